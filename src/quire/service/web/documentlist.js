// The documents of all runs as a table: filtered by name and state, sorted by a column.

import { el, first, icon, replace } from "./dom.js";
import { comparing, isWanted } from "./documentorder.js";
import { documentRow } from "./documentrow.js";
import { Thumbnails } from "./thumbnails.js";
import { count } from "./words.js";

const COLUMNS = { name: "Name", pages: "Pages", state: "State", submitted: "Added" };
const FIRST = { submitted: -1, pages: -1 }; // which way a column is sorted at first
const STATES = {
  "": "All states",
  active: "Being read",
  finished: "Read",
  partial: "Partly read",
  failed: "Failed",
  cancelled: "Cancelled",
};

export class DocumentList {
  /** `actions` are what a row can do; `onWanted` is called when a filter or an order needs the older documents too. */
  constructor(actions, onWanted) {
    this.actions = actions;
    this.onWanted = onWanted;
    /** @type {{ shown: Shown, run: Api.Run }[]} */
    this.documents = []; // the latest first
    this.complete = true;
    this.sorted = { by: "submitted", way: -1 };
    this.thumbnails = new Thumbnails();
    this.rows = new Map(); // id -> {row, state}
    const filter = () => this._changed();
    this.name = el("input", {
      type: "search", id: "filter-name", placeholder: "Filter by name", "aria-label": "Filter by name", autocomplete: "off",
      spellcheck: "false", on: { input: filter },
    });
    const states = Object.entries(STATES).map(([value, text]) => el("option", { value }, text));
    this.state = el("select", { id: "filter-state", "aria-label": "State", on: { change: filter } }, states);
    this.status = el("p", { class: "muted list-status", role: "status" });
    this.heads = Object.entries(COLUMNS).map(([by, label]) => this._head(by, label));
    const head = el("tr", {}, el("td"), this.heads, el("td"));
    this.body = el("tbody");
    this.table = el("table", { class: "documents" }, el("thead", {}, head), this.body);
    const nothing = [el("div", { class: "skeleton row" }), el("div", { class: "skeleton row" }), el("div", { class: "skeleton row" })];
    this.instead = el("div", { class: "list-instead" }, nothing);
    this.tools = el("div", { class: "list-tools", hidden: true }, this.name, this.state, this.status);
    this.element = el("div", {}, this.tools, this.table, this.instead);
    this.table.hidden = true;
  }

  close() {
    this.thumbnails.close();
  }

  /** Whether a filter or an order is about more than the latest documents. */
  get wantsAll() {
    return Boolean(this.name.value.trim() || this.state.value) || this.sorted.by !== "submitted" || this.sorted.way > 0;
  }

  /** `complete` says that these are all documents of the server. */
  show(documents, complete) {
    Object.assign(this, { documents, complete });
    this.tools.hidden = this.table.hidden = !documents.length;
    this.instead.hidden = documents.length > 0;
    if (documents.length) this._show();
    else replace(this.instead, empty());
  }

  /** Rows that changed are built anew; the others keep the focus, and a button under the pointer stays. */
  _show() {
    const [name, state, compare] = [this.name.value, this.state.value, comparing(this.sorted.by, this.sorted.way)];
    const found = this.documents.filter(({ shown }) => isWanted(shown, name, state)).sort((one, other) => compare(one.shown, other.shown));
    const rows = found.map(({ shown, run }) => this._row(shown, run));
    rows.forEach((row, at) => this.body.children[at] === row || this.body.insertBefore(row, this.body.children[at] ?? null));
    while (this.body.children.length > rows.length) this.body.lastChild?.remove();
    for (const head of this.heads) head.setAttribute("aria-sort", this._sortOf(head.dataset.by ?? ""));
    const all = `${this.documents.length.toLocaleString("en")}${this.complete ? "" : " and more"}`;
    const whole = this.complete ? count(found.length, "document") : "";
    this.status.textContent = found.length < this.documents.length ? `${found.length} of ${all}` : whole;
  }

  _row(/** @type {Shown} */ shown, /** @type {Api.Run} */ run) {
    const known = this.rows.get(shown.id) ?? { row: el("tr", { class: "document" }), state: "" };
    this.rows.set(shown.id, known);
    const state = JSON.stringify([shown, run.documents.length]);
    if (known.state === state) return known.row;
    known.state = state;
    const focused = known.row.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.focus : null;
    documentRow(known.row, shown, run, { ...this.actions, thumbnails: this.thumbnails });
    if (focused) first(known.row, `[data-focus="${CSS.escape(focused)}"]`)?.focus();
    return known.row;
  }

  _head(/** @type {string} */ by, /** @type {string} */ label) {
    const sort = el("button", { type: "button", class: "sort", on: { click: () => this._sort(by) } }, label, icon("down"));
    return el("th", { scope: "col", class: `column-${by}`, data: { by } }, sort);
  }

  _sort(/** @type {string} */ by) {
    this.sorted = { by, way: this.sorted.by === by ? -this.sorted.way : (FIRST[by] ?? 1) };
    this._changed();
  }

  _sortOf(/** @type {string} */ by) {
    return this.sorted.by !== by ? "none" : this.sorted.way > 0 ? "ascending" : "descending";
  }

  _changed() {
    this._show();
    if (this.wantsAll && !this.complete) this.onWanted();
  }
}

function empty() {
  return el(
    "div",
    { class: "empty" },
    icon("file"),
    el("p", { class: "lead" }, "Nothing was read yet"),
    el("p", {}, "Drop a PDF, a scan, a photo or an office file above. You see every page with the text that was found, and where."),
  );
}
