/** What people see where something could not be shown. */

import { button, el, icon } from "./dom.js";

/**
 * A whole view that failed: what, why, what to do, and a way on.
 * @param {string} title
 * @param {string} reason
 * @param {string | null | undefined} advice
 * @param {{ href: string, label: string }} way
 */
export function failedView(title, reason, advice, { href, label }) {
  return el(
    "div",
    { class: "empty failed" },
    icon("alert"),
    el("h1", { class: "lead" }, title),
    el("p", { class: "reason" }, reason),
    advice && el("p", { class: "advice" }, advice),
    el("a", { class: "secondary", href }, label),
  );
}

/**
 * A part of a view that failed, to be tried again.
 * @param {string} reason
 * @param {() => void} again
 */
export function failedPart(reason, again) {
  return el("div", { class: "trouble", role: "alert" }, icon("alert"), el("p", {}, reason), button("Try again", again, { class: "secondary" }));
}
