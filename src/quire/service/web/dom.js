// Builds elements. Texts of documents only ever become text nodes and attributes: nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  boxes: "M4 4h16v6H4zM4 14h9v6H4z",
  words: "M3 7h5M11 7h4M18 7h3M3 12h3M9 12h7M19 12h2M3 17h6M12 17h5",
  filter: "M3 5h18l-7 8v6l-4 1.5V13z",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  close: "M6 6l12 12M18 6L6 18",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 17V5M7 9l5-5 5 5M5 20h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
  moon: "M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z",
  screen: "M3 5h18v11H3zM9 20h6M12 16v4",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.1M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19z",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  alert: "M12 3l10 18H2zM12 10v5M12 18v.1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  panel: "M3 4h18v16H3zM14 4v16",
  film: "M3 4h18v16H3zM9 4v16",
  place: "M12 21s7-6.3 7-11.5A7 7 0 0 0 5 9.5C5 14.7 12 21 12 21zM12 7.2a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8z",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  again: "M19 12a7 7 0 1 1-2.1-5M19 3v5h-5",
  spark: "M13 3L5 14h6l-1 7 8-11h-6z",
};

/**
 * An element with properties, listeners (`on`) and children; strings become text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} props
 * @param {Child[]} children
 */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "style") for (const [rule, set] of Object.entries(value)) made.style.setProperty(rule, set);
    else if (name === "class") made.className = value;
    else if (name in PROPERTIES) Object.assign(made, { [name]: value });
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...shownOf(children));
  return made;
}

const PROPERTIES = { value: 1, checked: 1, disabled: 1, hidden: 1, htmlFor: 1, tabIndex: 1, textContent: 1, indeterminate: 1 };

/** A drawing from the table above; it says nothing to screen readers, the control around it does. */
export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.classList.add("icon");
  drawing.append(path);
  return drawing;
}

/**
 * A button with an icon; `label` is its name, and its tooltip when only the icon is shown.
 * @param {string} label
 * @param {(event: any) => void} click
 * @param {{ icon?: string, text?: string | boolean } & Record<string, any>} about
 */
export function button(label, click, { icon: drawing, text = !drawing, ...props } = {}) {
  const shown = text === true ? label : text;
  return el(
    "button",
    { type: "button", title: text ? undefined : label, "aria-label": drawing || !text ? label : undefined, on: { click }, ...props },
    drawing && icon(drawing),
    shown ? el("span", {}, shown) : null,
  );
}

export function replace(/** @type {Element} */ parent, /** @type {Child[]} */ ...children) {
  parent.replaceChildren(...shownOf(children));
}

/** The children that there are: null, undefined and false leave a place empty. */
function shownOf(/** @type {Child[]} */ children) {
  const given = /** @type {any[]} */ (children).flat();
  return given.filter((child) => child !== null && child !== undefined && child !== false);
}

/** Say something for a few seconds; errors stay until they are closed. */
export function notify(/** @type {string} */ message, kind = "info") {
  const notice = el(
    "div",
    { class: `notice ${kind}` },
    icon(kind === "error" ? "alert" : "check"),
    el("p", {}, message),
    button("Close", () => notice.remove(), { icon: "close", class: "quiet" }),
  );
  const notices = byId("notices");
  while (notices.children.length > 3) notices.firstChild?.remove();
  notices.append(notice);
  if (kind !== "error") setTimeout(() => notice.remove(), 4000);
}

/** The first element inside another one that a selector names. */
export const first = (/** @type {Element} */ within, /** @type {string} */ selector) =>
  /** @type {HTMLElement | null} */ (within.querySelector(selector));

/** An element that the page itself is made of. */
export function byId(/** @type {string} */ id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return found;
}

/**
 * A button that opens a panel below it, closed by Escape and by a click elsewhere.
 * @param {string} label
 * @param {(panel: HTMLElement, close: () => void) => void} fill
 * @param {{ icon?: string, text?: string } & Record<string, any>} about
 */
export function menu(label, fill, { icon: drawing, text, ...props } = {}) {
  const panel = el("div", { class: "menu-panel", hidden: true });
  const opener = button(label, () => (panel.hidden ? open() : close()), {
    icon: drawing, text, "aria-expanded": "false", "aria-haspopup": "true", ...props,
  });
  const around = el("div", { class: "menu" }, opener, panel);
  const outside = (event) => around.contains(event.target) || close();
  const escape = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
    opener.focus();
  };
  function open() {
    fill(panel, close);
    panel.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside);
    around.addEventListener("keydown", escape);
    first(panel, "button, input, a")?.focus();
  }
  function close() {
    panel.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside);
    around.removeEventListener("keydown", escape);
  }
  return Object.assign(around, { opener, open, close, refill: () => panel.hidden || fill(panel, close) });
}

/** A modal dialog; removed when it closes. */
export function dialog(title, ...children) {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const made = el(
    "dialog",
    { "aria-labelledby": id },
    el("div", { class: "dialog-head" }, el("h2", { id }, title), button("Close", () => made.close(), { icon: "close", class: "quiet" })),
    ...children,
  );
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}

/** Ask before something that cannot be undone; resolves to whether it is wanted. */
export function confirmed(title, about, act) {
  return new Promise((resolve) => {
    let wanted = false;
    const close = (chosen) => () => {
      wanted = chosen;
      box.close();
    };
    const buttons = [button("Cancel", close(false), { class: "secondary" }), button(act, close(true), { class: "danger" })];
    const box = dialog(title, el("p", {}, about), el("div", { class: "dialog-end" }, buttons));
    box.addEventListener("close", () => resolve(wanted));
    buttons[0].focus();
  });
}

/** Text to the clipboard, also where the page is not served over HTTPS. */
export async function copyText(text, what) {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyBySelection(text);
    notify(`${what} copied`);
  } catch {
    notify(`${what} could not be copied: the browser does not allow it`, "error");
  }
}

function copyBySelection(text) {
  const area = el("textarea", { class: "offscreen", "aria-hidden": "true", value: text });
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("not copied");
}

export function debounced(work, ms) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), ms);
  };
}
