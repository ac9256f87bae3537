// All tables of the document: copy, CSV, Excel, and where they are. A table is fetched when it comes into view.

import { download, getJson } from "./api.js";
import { button, copyText, el, notify, replace } from "./dom.js";
import { gridOf, tabbedOf } from "./tablegrid.js";
import { markSelected } from "./texttab.js";
import { count } from "./words.js";

export class TablesTab {
  constructor(/** @type {DocumentModel} */ model) {
    this.model = model;
    this.element = el("div", { class: "tables" });
    this._near = new IntersectionObserver((seen) => seen.forEach((each) => each.isIntersecting && this._fill(each.target)), { rootMargin: "200px" });
    this._fills = new WeakMap();
  }

  async show() {
    if (this._listed) return;
    this._listed = true;
    replace(this.element, el("div", { class: "skeleton" }));
    try {
      /** @type {Api.TableSummary[]} */
      const tables = await getJson(this.model.path("/tables"));
      const cards = tables.map((table, at) => this._card(table, at));
      replace(this.element, cards.length ? cards : el("p", { class: "muted" }, "No tables were found in this document."));
      for (const card of cards) this._near.observe(card);
      this.select();
    } catch (error) {
      this._listed = false;
      replace(this.element, el("p", { class: "reason" }, error.message));
    }
  }

  select() {
    markSelected(this.element, this.model);
  }

  _card(/** @type {Api.TableSummary} */ table, /** @type {number} */ at) {
    const title = table.caption || `Table ${at + 1}`;
    const grid = el("div", { class: "grid", tabIndex: 0, role: "group", "aria-label": title }, el("div", { class: "skeleton" }));
    const select = (page = table.page) => this.model.select({ block: table.block, page }, "panel");
    const file = (to) =>
      download(this.model.path(`/tables/${encodeURIComponent(table.block)}?to=${to}`), `table.${to}`).catch((error) =>
        notify(error.message, "error"),
      );
    const card = el(
      "section",
      { class: "table-card", data: { block: table.block } },
      el(
        "div",
        { class: "table-head" },
        el("h2", {}, title),
        el("p", { class: "muted" }, `Page ${table.page} · ${count(table.rows, "row")}, ${count(table.columns, "column")}`),
      ),
      el(
        "div",
        { class: "actions" },
        button("Show", () => select(), {
          icon: "place",
          text: "Show",
          class: "secondary small",
          "aria-label": `Show ${title} on the page`,
        }),
        button("Copy", async () => copyText(tabbedOf(await this._table(table)), "Table"), {
          icon: "copy",
          text: "Copy",
          class: "secondary small",
          "aria-label": `Copy ${title}`,
        }),
        button("CSV", () => file("csv"), {
          icon: "download",
          text: "CSV",
          class: "secondary small",
          "aria-label": `Download ${title} as CSV`,
        }),
        button("Excel", () => file("xlsx"), {
          icon: "download",
          text: "Excel",
          class: "secondary small",
          "aria-label": `Download ${title} as Excel`,
        }),
      ),
      grid,
    );
    this._fills.set(card, async () => {
      const found = await this._table(table).catch(() => null);
      replace(grid, found ? gridOf(found, { onCell: (cell) => select(cell.page) }) : el("p", { class: "muted" }, "This table cannot be shown."));
    });
    return card;
  }

  _fill(card) {
    this._near.unobserve(card);
    this._fills.get(card)();
  }

  async _table(/** @type {Api.TableSummary} */ table) {
    const view = await this.model.view(table.page);
    const found = view.blocks.find((block) => block.id === table.block)?.table;
    if (!found) throw new Error("This table cannot be shown.");
    return found;
  }
}
