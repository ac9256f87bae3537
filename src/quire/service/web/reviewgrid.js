// A list of the extraction as a grid: a row for each item, a column for each field. A cell shows its place on the page.

import { el } from "./dom.js";
import { shownValue } from "./reviewvalue.js";

/** `onCell(item)` is called for the cell that is chosen, by the pointer or by the arrow keys. */
export class ReviewGrid {
  constructor(claim, onCell) {
    this.onCell = onCell;
    this.columns = [...new Map(claim.items.map((item) => [item.field, item.title])).entries()];
    this.rows = rowsOf(claim.items);
    this.cells = new Map();
    const head = el("tr", {}, el("td"), this.columns.map(([, title]) => el("th", { scope: "col" }, title)));
    const body = this.rows.map(([name, items], at) => el("tr", {}, el("th", { scope: "row" }, String(at + 1)), this.columns.map(([field]) => this._cell(items.get(field), name))));
    this.element = el("div", { class: "review-grid", tabIndex: -1 }, el("table", {}, el("caption", { class: "offscreen" }, `Values of ${claim.part}`), el("thead", {}, head), el("tbody", {}, body)));
    this.element.addEventListener("keydown", (event) => this._key(event));
  }

  /** Show which cell is chosen, and what became of the others. */
  update(chosen) {
    for (const [item, button] of this.cells) {
      button.dataset.state = item.state;
      button.dataset.doubt = item.state === "open" ? item.doubt : "";
      button.setAttribute("aria-current", String(item === chosen));
      button.tabIndex = item === chosen ? 0 : -1;
      button.textContent = shownValue(item.value);
      button.setAttribute("aria-label", `${item.path}: ${shownValue(item.value)}${item.state === "open" ? (item.doubt ? `, ${item.doubt}` : "") : `, ${item.state}`}`);
    }
    this.cells.get(chosen)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  focus(item) {
    this.cells.get(item)?.focus();
  }

  _cell(item) {
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
    if (next) {
      this.onCell(next);
      this.focus(next);
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The items by row: `items[3]` is one, whatever is below it. */
function rowsOf(items) {
  const rows = new Map();
  for (const item of items) {
    const name = /^[^[]*(\[\d+\])?/.exec(item.path)[0];
    if (!rows.has(name)) rows.set(name, new Map());
    rows.get(name).set(item.field, item);
  }
  return [...rows.entries()];
}
