// Around the desk: the tools above the pages, and the history of a review.

import { getJson } from "./api.js";
import { button, dialog, el, notify } from "./dom.js";
import { shownValue } from "./reviewvalue.js";
import { ago, count } from "./words.js";

export const ZOOM_STEP = 1.25;

/** A button for a decision, with its key. */
export function action(/** @type {string} */ label, key, click, kind = "secondary") {
  const shown = [el("span", {}, label), el("kbd", {}, key === "Enter" ? "⏎" : key)];
  return el("button", { type: "button", class: kind, "aria-keyshortcuts": key, on: { click } }, shown);
}

export function pageTools(model, { step, zoom, fit, about = "" }) {
  const page = el("span", { class: "of" });
  const show = () => (page.textContent = `Page ${model.current} of ${model.last}`);
  model.addEventListener("page", show);
  show();
  return el(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "Pages" },
    el(
      "div",
      { class: "tool-group" },
      button("Previous page", () => step(-1), { icon: "back", class: "tool" }),
      page,
      button("Next page", () => step(1), { icon: "next", class: "tool" }),
    ),
    el(
      "div",
      { class: "tool-group zooms" },
      button("Smaller", () => zoom(1 / ZOOM_STEP), { icon: "minus", class: "tool" }),
      button("Fit the page", fit, { icon: "fit", class: "tool" }),
      button("Larger", () => zoom(ZOOM_STEP), { icon: "plus", class: "tool" }),
    ),
    about && el("p", { class: "muted tool-about" }, about),
  );
}

/** Who decided what, and when; the latest first. */
export async function showHistory(/** @type {Api.ReviewSummary} */ review) {
  try {
    /** @type {Api.ReviewHistory} */
    const { history } = await getJson(`api/review/${encodeURIComponent(review.id)}/history`);
    const nothing = el("p", { class: "muted" }, "Nothing was decided yet.");
    const listed = history.length ? el("ol", { class: "history" }, history.toReversed().map(entryLine)) : nothing;
    dialog("History", listed, el("p", { class: "muted" }, count(history.length, "entry", "entries")));
  } catch (error) {
    notify(error.message, "error");
  }
}

function entryLine(entry) {
  const corrected = entry.action === "correct" ? `: ${shownValue(entry.decision.value)}` : "";
  const who = el("span", { class: "muted" }, ` · ${entry.reviewer || "no name"}, ${ago(entry.at)}`);
  return el("li", {}, el("strong", {}, entry.path), ` ${entry.action}${corrected}`, who);
}
