// One value beside its evidence: what was found, why it is in doubt, its picture, what else it may be.

import { cropBox } from "./crops.js";
import { el } from "./dom.js";
import { placeAt } from "./overlay.js";
import { count, percent } from "./words.js";

export const DOUBTS = { conflict: "Conflict", not_found: "Not found", unverified: "Not in the text", low: "Not sure" };
export const STATES = { open: "Open", confirmed: "Confirmed", corrected: "Corrected", rejected: "Rejected", absent: "Not in the document" };
const MOST = 5;

export const shownValue = (value) =>
  value === null || value === undefined || value === "" ? "—" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);

/** How likely a value answers its field. Rounded down, so that it never looks surer than it is. */
export const sureness = (/** @type {Api.Evidence} */ { probability }) =>
  probability === null || probability === undefined ? "" : `${Math.floor(100 * probability)} % sure`;

/** What a reviewer can choose with the keys 1 to 5: the values of a conflict, else the alternatives. */
export function choicesOf(/** @type {Item} */ item) {
  const known = item.conflict?.values ?? item.evidence.alternatives;
  const others = item.conflict ? item.evidence.alternatives.filter((one) => !known.some((each) => each.value === one.value && each.page === one.page)) : [];
  return [...known, ...others].slice(0, MOST);
}

/**
 * `picture(page, box)` resolves to the URL of a crop; `choose(at)` takes a choice, `look(place)` shows it on the page.
 * @typedef {(page: number, box: Api.PageBox, place: Api.Place) => Promise<string>} PictureOf
 * @typedef {{ picture: PictureOf, choose: (at: number) => void, look: (place: Api.Place) => void }} CardActs
 */

/** A value with its evidence, and what else it may be. */
export function valueCard(/** @type {Item} */ item, /** @type {CardActs} */ { picture, choose, look }) {
  const { evidence } = item;
  const decided = item.state !== "open";
  const place = item.decision?.bboxes.length ? item.decision : evidence;
  const choices = choicesOf(item);
  return el(
    "div",
    { class: "value-card", data: { path: item.path } },
    el(
      "div",
      { class: "value-marks" },
      el("h2", { class: "value-title", title: item.path }, item.title, rowOf(item)),
      el(
        "span",
        { class: "mark", data: { doubt: decided ? "" : item.doubt, state: item.state } },
        decided ? STATES[item.state] : (DOUBTS[item.doubt] ?? (item.evidence.status === "not_found" ? "New" : "At its place")),
      ),
      decided && item.reviewer && el("span", { class: "muted" }, `by ${item.reviewer}`),
      !decided && el("span", { class: "muted" }, sureness(evidence)),
      !decided && evidence.crop_verified && el("span", { class: "muted" }, "its picture reads the same"),
      evidence.extractor && el("span", { class: "muted" }, evidence.extractor),
    ),
    item.description && el("p", { class: "muted value-about", title: item.description }, item.description),
    reasonOf(item),
    !item.conflict && el("output", { class: "value-text", "aria-label": "Value" }, shownValue(item.value)),
    !item.conflict && place.page && place.bboxes.length > 0 && cropFigure(place, item, picture),
    item.conflict &&
      el(
        "div",
        { class: "sides" },
        item.conflict.values.map((one, at) => side(one, at, item, { picture, choose, look })),
      ),
    !item.conflict && choices.length > 0 && others(choices, { choose, look }),
    item.conflict &&
      choices.length > item.conflict.values.length &&
      others(choices.slice(item.conflict.values.length), { choose, look, from: item.conflict.values.length }),
  );
}

/** Which row of a list it is in. */
function rowOf({ path }) {
  const rows = [...path.matchAll(/\[(\d+)\]/g)].map(([, row]) => Number(row) + 1);
  return rows.length > 0 && el("span", { class: "muted" }, ` row ${rows.join(".")}`);
}

/** Why a value is in doubt, or was not found. */
export function reasonOf(/** @type {Item} */ item) {
  if (item.missing && item.state === "open") {
    const { pages, reason } = item.missing;
    return el("p", { class: "value-reason" }, [reason, pages.length > 0 && `${count(pages.length, "page")} searched`].filter(Boolean).join(" · "));
  }
  const reason = item.conflict?.reason || item.evidence.reason;
  return reason && item.state === "open" && el("p", { class: "value-reason" }, reason);
}

/** The picture of a place, with the boxes of the value marked. */
export function cropFigure(/** @type {Api.Place} */ place, /** @type {Item} */ item, picture) {
  const shown = el("img", { class: "crop", alt: `Page ${place.page}: ${place.quote || shownValue(item.value)}` });
  const part = cropBox(place.bboxes);
  const inside = (box) => ({
    left: (box.left - part.left) / part.width,
    top: (box.top - part.top) / part.height,
    width: box.width / part.width,
    height: box.height / part.height,
  });
  const marks = place.bboxes.map((box) => placeAt(el("div", { class: "crop-mark" }), inside(box)));
  const around = el(
    "figure",
    { class: "crop-frame" },
    el("div", { class: "crop-picture" }, shown, marks),
    el("figcaption", { class: "muted" }, `${place.name ? `${place.name}, page` : "Page"} ${place.page}${place.quote ? ` · “${place.quote}”` : ""}`),
  );
  picture(place.page, part, place).then((url) => (shown.src = url), () => around.classList.add("missing"));
  return around;
}

function side(one, at, item, { picture, choose, look }) {
  return el(
    "div",
    { class: "side", on: { pointermove: moved(() => look(one)), focusin: () => look(one) } },
    el(
      "button",
      { type: "button", class: "side-choose", on: { click: () => choose(at) } },
      el("kbd", {}, String(at + 1)),
      el("span", { class: "value-text" }, shownValue(one.value)),
    ),
    one.bboxes.length > 0 && cropFigure(one, item, picture),
  );
}

/** Calls once when the pointer moves here: a card that appears below a pointer at rest shows nothing. */
function moved(work) {
  let done = false;
  return (event) => {
    if (done || (!event.movementX && !event.movementY)) return;
    done = true;
    event.currentTarget.addEventListener("pointerleave", () => (done = false), { once: true });
    work();
  };
}

function others(choices, { choose, look, from = 0 }) {
  return el(
    "div",
    { class: "others" },
    el("h3", {}, "It may also be"),
    el(
      "ol",
      {},
      choices.map((one, at) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "other", on: { click: () => choose(from + at), pointermove: moved(() => look(one)), focus: () => look(one) } },
            el("kbd", {}, String(from + at + 1)),
            el("span", { class: "other-value" }, shownValue(one.value)),
            el("span", { class: "muted" }, one.page ? `page ${one.page}` : "", ` · ${percent(one.confidence)}`),
          ),
        ),
      ),
    ),
  );
}
