// The documents of all runs as a table: filtered by name and state, sorted by a column.

import { el, icon, replace } from "./dom.js";
import { documentRow, stateOf } from "./documentrow.js";
import { Thumbnails } from "./thumbnails.js";
import { count, isActive } from "./words.js";

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
const ORDER = ["failed", "partial", "running", "interrupted", "waiting", "cancelled", "finished"];

export class DocumentList {
  /** `actions` are what a row can do; `onWanted` is called when a filter or an order needs the older documents too. */
  constructor(actions, onWanted) {
    Object.assign(this, { actions, onWanted });
    this.documents = []; // {shown, run}, the latest first
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
    const name = this.name.value.trim().toLowerCase();
    const found = this.documents.filter(({ shown }) => this._lets(shown, name)).sort(this._compare());
    const rows = found.map(({ shown, run }) => this._row(shown, run));
    rows.forEach((row, at) => this.body.children[at] === row || this.body.insertBefore(row, this.body.children[at] ?? null));
    while (this.body.children.length > rows.length) this.body.lastChild.remove();
    for (const head of this.heads) head.setAttribute("aria-sort", this._sortOf(head.dataset.by));
    const all = `${this.documents.length.toLocaleString("en")}${this.complete ? "" : " and more"}`;
    const whole = this.complete ? count(found.length, "document") : "";
    this.status.textContent = found.length < this.documents.length ? `${found.length} of ${all}` : whole;
  }

  _row(shown, run) {
    const known = this.rows.get(shown.id) ?? { row: el("tr", { class: "document" }), state: "" };
    this.rows.set(shown.id, known);
    const state = JSON.stringify([shown, run.documents.length]);
    if (known.state === state) return known.row;
    known.state = state;
    const focused = known.row.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    documentRow(known.row, shown, run, { ...this.actions, thumbnails: this.thumbnails });
    if (focused) known.row.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    return known.row;
  }

  _head(by, label) {
    const sort = el("button", { type: "button", class: "sort", on: { click: () => this._sort(by) } }, label, icon("down"));
    return el("th", { scope: "col", class: `column-${by}`, data: { by } }, sort);
  }

  _sort(by) {
    this.sorted = { by, way: this.sorted.by === by ? -this.sorted.way : (FIRST[by] ?? 1) };
    this._changed();
  }

  _sortOf(by) {
    return this.sorted.by !== by ? "none" : this.sorted.way > 0 ? "ascending" : "descending";
  }

  _changed() {
    this._show();
    if (this.wantsAll && !this.complete) this.onWanted();
  }

  _lets(shown, name) {
    const wanted = this.state.value;
    const state = stateOf(shown);
    return shown.name.toLowerCase().includes(name) && (!wanted || (wanted === "active" ? isActive(state) : state === wanted));
  }

  _compare() {
    const { by, way } = this.sorted;
    const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
    const by_ = {
      name: (one, other) => names.compare(one.name, other.name),
      pages: (one, other) => one.pages - other.pages,
      state: (one, other) => ORDER.indexOf(stateOf(one)) - ORDER.indexOf(stateOf(other)),
      submitted: (one, other) => one.submitted - other.submitted,
    }[by];
    return (one, other) => way * by_(one.shown, other.shown) || other.shown.submitted - one.shown.submitted;
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
