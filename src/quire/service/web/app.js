// Starts the page: the bar on top, the theme, the key, and which screen the address names.

import { parsedAddress } from "./address.js";
import { forgetKey, hasKey, onKeyNeeded } from "./api.js";
import { button, byId, dialog, el, first, icon, replace } from "./dom.js";
import { Extracted } from "./extracted.js";
import { Extracting } from "./extracting.js";
import { Home } from "./home.js";
import { keysAllowed, showHelp } from "./help.js";
import { Reviews } from "./review.js";
import { ReviewDesk } from "./reviewdesk.js";
import { Solved } from "./solved.js";
import { Solving } from "./solving.js";
import { Viewer } from "./viewer.js";

const THEMES = { system: "screen", light: "sun", dark: "moon" };
const main = byId("main");
/** @type {Record<string, [string, string, (asked: URLSearchParams, id: string) => NonNullable<typeof screen>]>} */
const SCREENS = {
  "/": ["home", "", (asked) => new Home(main, asked)],
  "/documents/": ["document", "", (asked, id) => new Viewer(main, bar.place, id, asked)],
  "/extract": ["extract", "Extract values", (asked) => new Extracting(main, asked)],
  "/extract/": ["values", "Values", (asked, id) => new Extracted(main, bar.place, id, asked)],
  "/solve": ["extract", "Solve a task", (asked) => new Solving(main, asked)],
  "/solve/": ["solved", "Solve", (asked, id) => new Solved(main, bar.place, id, asked)],
  "/review": ["reviews", "Review", () => new Reviews(main)],
  "/review/work": ["desk", "Review", (asked) => new ReviewDesk(main, bar.place, asked)],
};
/** @type {Home | Viewer | Extracting | Extracted | Solving | Solved | Reviews | ReviewDesk | null} */
let screen = null;

function show() {
  const { path, id, asked } = parsedAddress(location.hash);
  const kind = { "/documents/": Viewer, "/extract/": Extracted, "/solve/": Solved }[path];
  const same = screen instanceof Viewer || screen instanceof Extracted || screen instanceof Solved ? screen : null;
  if (same && kind && same instanceof kind && same.id === id) {
    same.arrive(asked);
    return;
  }
  screen?.close();
  const [name, title, open] = SCREENS[path] ?? SCREENS["/"];
  document.body.dataset.screen = name;
  replace(bar.place);
  document.title = title ? `${title} · Quire` : "Quire";
  screen = open(asked, id);
}

const bar = topBar();

function topBar() {
  const place = el("div", { class: "bar-place" });
  const theme = button("", () => setTheme(nextTheme()), { icon: "screen", text: "", class: "quiet" });
  const setTheme = (name) => {
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    localStorage.setItem("quire-theme", name);
    drawTheme();
  };
  const current = () => document.documentElement.dataset.theme ?? "system";
  const nextTheme = () => Object.keys(THEMES)[(Object.keys(THEMES).indexOf(current()) + 1) % 3];
  const drawTheme = () => {
    const label = `Theme: ${current() === "system" ? "as the system" : current()}`;
    replace(theme, icon(THEMES[current()]));
    theme.title = label;
    theme.setAttribute("aria-label", label);
  };
  drawTheme();
  replace(
    byId("bar"),
    el(
      "a",
      { class: "brand", href: "#/", "aria-label": "Quire: all documents" },
      el("img", { src: "web/icon.svg", alt: "", width: 24, height: 24 }),
      el("span", {}, "Quire"),
    ),
    place,
    el(
      "div",
      { class: "bar-end" },
      el("a", { class: "bar-link", href: "#/extract" }, "Extract"),
      el("a", { class: "bar-link", href: "#/solve" }, "Solve"),
      el("a", { class: "bar-link", href: "#/review" }, "Review"),
      theme,
      button("Help and keys", () => showHelp({ forget: hasKey() ? forget : null }), { icon: "help", class: "quiet" }),
    ),
  );
  return { place, toggleTheme: () => setTheme(nextTheme()) };
}

function forget() {
  forgetKey();
  location.reload();
}

function askForKey(wrong) {
  return new Promise((resolve) => {
    let given = /** @type {string | null} */ (null);
    const input = el("input", { type: "password", id: "key", autocomplete: "off", required: true, "aria-describedby": "key-about" });
    const box = dialog(
      "API key",
      el(
        "form",
        {
          class: "key-form",
          on: {
            submit: (event) => {
              event.preventDefault();
              given = input.value.trim() || null;
              box.close();
            },
          },
        },
        el("p", { id: "key-about" }, wrong ? "That key was not accepted. Please try again." : "This server needs a key. It is kept until you close this tab."),
        el("label", { htmlFor: "key" }, "Key"),
        input,
        el("div", { class: "dialog-end" }, button("Continue", () => {}, { type: "submit", class: "primary" })),
      ),
    );
    input.focus();
    box.addEventListener("close", () => resolve(given));
  });
}

onKeyNeeded(askForKey);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const field = event.target instanceof Element && event.target.closest("input, textarea, select");
  if ((field && field.getAttribute("type") !== "checkbox") || !keysAllowed()) return;
  if (event.key === "?") showHelp({ forget: hasKey() ? forget : null });
  else if (event.key === "t") bar.toggleTheme();
  else if (!screen?.key?.(event)) return;
  event.preventDefault();
});

// The address names the screen: that of a part of the page would lead away from it.
first(document.body, ".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

// A file that is dropped beside the drop zone must not replace the page.
for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());

window.addEventListener("hashchange", show);
show();
