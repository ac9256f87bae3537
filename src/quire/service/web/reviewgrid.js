// A list of the extraction as a grid: a row for each item, a column for each field. A cell shows its place on the page.

import { el, replace } from "./dom.js";
import { noEvidence } from "./reviewitems.js";
import { shownValue } from "./reviewvalue.js";

/** `onCell(item)` is called for the cell that is chosen, by the pointer or by the arrow keys. */
export class ReviewGrid {
  /** @type {[string, Map<string, Item>][]} */
  rows = [];

  constructor(/** @type {{ columns: Api.ReviewColumn[], items: Item[], part: string, review?: Api.ReviewSummary | null }} */ claim, onCell) {
    this.onCell = onCell;
    const known = [...claim.columns, ...claim.items.filter((item) => item.path.includes("["))];
    this.columns = [...new Map(known.map(({ field, title }) => [field, title])).entries()];
    this.cells = new Map();
    this.body = el("tbody");
    const head = el("tr", {}, el("td"), this.columns.map(([, title]) => el("th", { scope: "col" }, title)));
    this.element = el(
      "div",
      { class: "review-grid", tabIndex: -1 },
      el("table", {}, el("caption", { class: "offscreen" }, `Values of ${claim.part}`), el("thead", {}, head), this.body),
    );
    this.element.addEventListener("keydown", (event) => this._key(event));
    this._fill(claim.items);
  }

  /** Show which cell is chosen, and what became of the others. */
  update(chosen) {
    for (const [item, button] of this.cells) {
      button.dataset.state = item.state;
      button.dataset.doubt = item.state === "open" ? item.doubt : "";
      button.setAttribute("aria-current", String(item === chosen));
      button.tabIndex = item === chosen ? 0 : -1;
      button.textContent = shownValue(item.value);
      button.setAttribute(
        "aria-label",
        `${item.path}: ${shownValue(item.value)}${item.state === "open" ? (item.doubt ? `, ${item.doubt}` : "") : `, ${item.state}`}`,
      );
    }
    this.cells.get(chosen)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  focus(/** @type {Item} */ item) {
    this.cells.get(item)?.focus();
  }

  rowOf(/** @type {Item} */ item) {
    return [...(this.rows.find(([, items]) => items.get(item.field) === item)?.[1].values() ?? [])];
  }

  /** A row behind the last one, with cells that were not extracted; returns the first of them. */
  addRow(/** @type {Claim} */ claim) {
    const nested = this.columns.some(([field]) => field.split("[]").length > 2);
    if (!this.columns.length || nested) return null; // a list in a list has no grid of one kind of rows
    const row = this.rows.length;
    const made = this.columns.map(([field, title]) => emptyCell(claim, field.replace("[]", `[${row}]`), field, title));
    claim.items.push(...made);
    this._fill(claim.items);
    return made[0];
  }

  _fill(/** @type {Item[]} */ items) {
    this.rows = rowsOf(items);
    this.cells.clear();
    replace(
      this.body,
      this.rows.map(([, row], at) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, String(at + 1)),
          this.columns.map(([field]) => this._cell(row.get(field))),
        ),
      ),
    );
  }

  _cell(/** @type {Item | undefined} */ item) {
    if (!item) return el("td");
    const made = el("button", { type: "button", class: "grid-cell", on: { click: () => this.onCell(item) } });
    this.cells.set(item, made);
    return el("td", {}, made);
  }

  _key(event) {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const at = [...this.cells].find(([, button]) => button === document.activeElement)?.[0];
    if (!by || !at) return;
    const row = this.rows.findIndex(([, items]) => items.get(at.field) === at);
    const column = this.columns.findIndex(([field]) => field === at.field);
    const next = this.rows[row + by[0]]?.[1].get(this.columns[column + by[1]]?.[0]);
    if (next) this.onCell(next);
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The items by row: `items[3]` is one, whatever is below it. */
function rowsOf(/** @type {Item[]} */ items) {
  const rows = new Map();
  for (const item of items) {
    const name = /^[^[]*\[\d+\]/.exec(item.path)?.[0];
    if (!name) continue; // the list itself, of which no row was found
    if (!rows.has(name)) rows.set(name, new Map());
    rows.get(name).set(item.field, item);
  }
  return [...rows.entries()];
}

/**
 * A cell of a row that a reviewer adds.
 * @returns {Item}
 */
function emptyCell(/** @type {Claim} */ claim, /** @type {string} */ path, /** @type {string} */ field, /** @type {string} */ title) {
  return {
    review: claim.review.id, path, field, part: claim.part, title, description: "", type: "string", kind: null, enum: [],
    doubt: "", state: "open", version: 0, reviewer: "", value: null, extracted: null, evidence: noEvidence(),
    conflict: null, missing: null, decision: null, added: true,
  };
}
