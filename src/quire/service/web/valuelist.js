// The values of an extraction: each with its status, and on demand with its picture and what else was found.

import { el, replace } from "./dom.js";
import { ReviewGrid } from "./reviewgrid.js";
import { noEvidence } from "./reviewitems.js";
import { DOUBTS, cropFigure, reasonOf, shownValue, sureness } from "./reviewvalue.js";
import { percent } from "./words.js";

const STATUSES = {
  found: "At its place", repaired: "At another place", unverified: "Not in the text", conflict: "Conflict",
  not_found: "Not found", corrected: "Corrected", confirmed: "Confirmed",
};

/** The values in the order of the schema, as items of a review are. */
export function itemsOf(/** @type {Api.Extraction} */ extraction) {
  const conflicts = new Map(extraction.conflicts.map((one) => [one.path, one]));
  const missing = new Map(extraction.not_found.map((one) => [one.path, one]));
  const found = new Map(leaves(extraction.values, ""));
  for (const path of [...Object.keys(extraction.evidence), ...missing.keys()]) if (!found.has(path)) found.set(path, null);
  return [...found].map(([path, value]) => {
    const evidence = extraction.evidence[path] ?? noEvidence();
    return {
      path,
      value,
      evidence,
      field: path.replaceAll(/\[\d+\]/g, "[]"),
      title: path.split(/[.\]]/).at(-1) || path,
      part: path.split("[")[0],
      state: "open",
      doubt: Object.hasOwn(DOUBTS, evidence.status) ? evidence.status : "",
      isLow: (evidence.probability ?? 1) < extraction.coverage.threshold,
      conflict: conflicts.get(path) ?? null,
      missing: missing.get(path) ?? null,
    };
  });
}

function* leaves(value, /** @type {string} */ path) {
  if (Array.isArray(value) && value.length) for (const [at, one] of value.entries()) yield* leaves(one, `${path}[${at}]`);
  else if (value !== null && typeof value === "object" && Object.keys(value).length)
    for (const [name, one] of Object.entries(value)) yield* leaves(one, path ? `${path}.${name}` : name);
  else yield [path, typeof value === "object" ? null : value];
}

/** `picture(page, box)` resolves to the URL of a crop; `onChoose(item)` gets the value that is chosen, `look(place)` another place. */
export class ValueList {
  constructor(items, { picture, onChoose, look }) {
    this.items = items;
    this.picture = picture;
    this.onChoose = onChoose;
    this.look = look;
    this.chosen = null;
    this.rows = new Map(); // item -> its button, outside of grids
    this.grids = new Map(); // item -> its grid
    this.detail = el("div", { class: "value-detail" });
    this.element = el(
      "ul",
      { class: "values", "aria-label": "Values" },
      partsOf(items).flatMap((part) => (part.list ? [this._grid(part.items)] : part.items.map((item) => this._row(item)))),
    );
  }

  /** Show a value with its evidence, by its path; the first one that stands somewhere without a path. */
  choose(path, { focus = false } = {}) {
    const item = this.items.find((one) => one.path === path) ?? this.items.find((one) => one.evidence.page) ?? this.items[0];
    if (!item) return;
    this.chosen = item;
    for (const [one, row] of this.rows) row.setAttribute("aria-expanded", String(one === item));
    for (const grid of new Set(this.grids.values())) grid.update(item);
    replace(this.detail, evidenceOf(item, this));
    (this.rows.get(item) ?? this.grids.get(item).element).after(this.detail);
    if (focus) this.rows.get(item)?.focus() ?? this.grids.get(item)?.focus(item);
    this.detail.scrollIntoView({ block: "nearest" });
    (this.rows.get(item) ?? this.grids.get(item).element).scrollIntoView({ block: "nearest" });
    this.onChoose(item);
  }

  step(/** @type {number} */ by) {
    const next = this.items[this.items.indexOf(this.chosen) + by];
    if (next) this.choose(next.path, { focus: true });
  }

  _row(/** @type {Item} */ item) {
    const row = el(
      "button",
      { type: "button", class: "value-row", "aria-expanded": "false", data: { path: item.path }, on: { click: () => this.choose(item.path) } },
      el("span", { class: "value-name" }, item.path),
      el("span", { class: "value-shown" }, shownValue(item.value)),
      el("span", { class: "value-status" }, marksOf(item)),
    );
    this.rows.set(item, row);
    return el("li", {}, row);
  }

  _grid(/** @type {Item[]} */ items) {
    const grid = new ReviewGrid({ columns: [], items, part: items[0].part }, (item) => this.choose(item.path, { focus: true }));
    for (const item of items) this.grids.set(item, grid);
    grid.update(null);
    return el("li", {}, el("h2", {}, items[0].part), grid.element);
  }
}

/** How sure it is that a value answers its field, and where it stands: the two are apart. */
function marksOf(/** @type {Item} */ { evidence, doubt, isLow }) {
  const sure = sureness(evidence);
  const place = STATUSES[evidence.status];
  if (doubt || !sure) return [el("span", { class: "mark", data: { doubt } }, place), sure && el("span", { class: "muted" }, sure)];
  return [el("span", { class: "mark", data: { doubt: isLow ? "low" : "" } }, sure), el("span", { class: "muted" }, place)];
}

/** Values one below the other, and lists of objects, which are grids. */
function partsOf(/** @type {Item[]} */ items) {
  const parts = [];
  for (const item of items) {
    const list = /^[^[]+\[\d+\]\.[^[]+$/.test(item.path);
    const last = parts.at(-1);
    if (last?.list && list && last.items[0].part === item.part) last.items.push(item);
    else parts.push({ list, items: [item] });
  }
  return parts;
}

function evidenceOf(item, { picture, look }) {
  const { evidence, conflict } = item;
  const sides = conflict?.values ?? [];
  const others = evidence.alternatives.filter((one) => !sides.some((side) => side.value === one.value && side.page === one.page));
  const facts = [
    evidence.label && `label “${evidence.label}”`,
    evidence.confidence.total !== undefined && `confidence of the extractor ${percent(evidence.confidence.total)}`,
    evidence.crop_verified && "its picture reads the same",
    evidence.extractor,
  ];
  return [
    reasonOf(item) || null,
    !conflict && evidence.page && evidence.bboxes.length > 0 && cropFigure(evidence, item, picture),
    ...sides.map((one) => el("div", { class: "side" }, placeButton(one, look), one.bboxes.length > 0 && cropFigure(one, item, picture))),
    others.length > 0 &&
      el(
        "div",
        { class: "others" },
        el("h3", {}, "It may also be"),
        el(
          "ol",
          {},
          others.map((one) => el("li", {}, placeButton(one, look))),
        ),
      ),
    el("p", { class: "muted" }, facts.filter(Boolean).join(" · ")),
  ];
}

function placeButton(one, look) {
  return el(
    "button",
    { type: "button", class: "other", on: { click: () => look(one) } },
    el("span", { class: "other-value" }, shownValue(one.value)),
    el("span", { class: "muted" }, `${one.name ? `${one.name}, ` : ""}${one.page ? `page ${one.page} · ` : ""}${percent(one.confidence)}`),
  );
}
