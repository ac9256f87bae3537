// The field for a correct value: typed, or picked on the page together with its place.

import { button, el } from "./dom.js";

export class ReviewForm {
  /** `onSave(decision)` is called with a correction, `onLeave` when the field is left with Escape. */
  constructor(onSave, onLeave) {
    this.place = null; // where the value was picked
    this.input = el("input", { id: "correct", autocomplete: "off", spellcheck: "false", "aria-describedby": "correct-about" });
    this.about = el("p", { id: "correct-about", class: "muted" });
    this.element = el(
      "form",
      { class: "desk-form", on: { submit: (event) => this._submitted(event, onSave) } },
      el("label", { htmlFor: "correct" }, "Correct it"),
      el("div", { class: "desk-field" }, this.input, button("Save", () => {}, { type: "submit", class: "secondary" })),
      this.about,
    );
    this.input.addEventListener("keydown", (event) => event.key === "Escape" && onLeave());
  }

  focus() {
    this.input.focus();
  }

  /** Something was picked on the page: it is the correction, once it is saved. */
  pick(picked) {
    this.place = picked;
    this.input.value = picked.text;
    const empty = `Nothing is written there. Type the value; its place on page ${picked.page} is kept.`;
    this.about.textContent = picked.text ? `From page ${picked.page}. Enter saves it, Escape drops it.` : empty;
    this.input.focus();
    this.input.select();
  }

  clear(/** @type {Item} */ item) {
    this.place = null;
    this.input.value = "";
    this.about.textContent = item?.enum?.length ? `One of ${item.enum.join(", ")}` : "";
  }

  setBusy(busy) {
    this.input.readOnly = busy;
  }

  _submitted(event, onSave) {
    event.preventDefault();
    const value = this.input.value.trim();
    if (!value) return;
    const { page, bboxes, blocks, text: quote } = this.place ?? {};
    onSave({ action: "correct", value, ...(this.place && { page, bboxes, blocks, quote }) });
  }
}
