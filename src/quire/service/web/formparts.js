// Parts of a form: a field with its label and what is wrong with it, and a choice of ways.

import { el, icon, replace } from "./dom.js";

/**
 * A field with its label, what it is about, and what is wrong with it.
 * @param {string} label
 * @param {HTMLElement} content
 * @param {HTMLElement | null} control
 * @param {string} about
 * @param {HTMLElement | null} more
 */
export function part(label, content, control = content, about = "", more = null) {
  const id = control?.id || `part-${Math.random().toString(36).slice(2)}`;
  const wrong = el("p", { class: "wrong", id: `${id}-wrong`, role: "alert" });
  const note = about && el("p", { class: "muted about-field", id: `${id}-about` }, about);
  const described = `${note ? `${id}-about ` : ""}${id}-wrong`;
  control?.setAttribute("aria-describedby", described);
  const element = el("div", { class: "field" }, label && control && el("label", { htmlFor: control.id }, label), content, note, more, wrong);
  const invalid = (is) => control && control.tagName !== "BUTTON" && control.setAttribute("aria-invalid", String(is));
  return {
    element,
    wrong: () => Boolean(wrong.textContent),
    focus: () => control?.focus(),
    clear: () => {
      wrong.replaceChildren();
      invalid(false);
    },
    fail: (message) => {
      replace(wrong, icon("alert"), el("span", {}, message));
      invalid(true);
      return null;
    },
  };
}

/** Two or more ways, as radio buttons side by side. */
export function choice(/** @type {string} */ name, labels, chosen, onChange) {
  const inputs = Object.keys(labels).map((value) => el("input", { type: "radio", name, value, checked: value === chosen, on: { change: onChange } }));
  return {
    element: el("div", { class: "ways" }, inputs.map((input) => el("label", { class: "way" }, input, el("span", {}, labels[input.value])))),
    value: () => inputs.find((input) => input.checked)?.value ?? Object.keys(labels)[0],
    set: (value) => inputs.forEach((input) => (input.checked = input.value === value)),
  };
}
