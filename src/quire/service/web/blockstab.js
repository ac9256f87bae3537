// The blocks of the current page in reading order, as the filters let them through.

import { el, replace } from "./dom.js";
import { markSelected } from "./texttab.js";
import { count, engineName, kindName, percent } from "./words.js";

export class BlocksTab {
  constructor(/** @type {DocumentModel} */ model) {
    this.model = model;
    this.element = el("div", { class: "blocks" });
    model.addEventListener("filter", () => this.view && this.show(this.view));
  }

  show(/** @type {Api.PageView} */ view) {
    this.view = view;
    const shown = [...view.blocks.entries()].filter(([, block]) => this.model.shows(block));
    const hidden = view.blocks.length - shown.length;
    replace(
      this.element,
      view.blocks.length === 0 && el("p", { class: "muted" }, "There are no blocks on this page."),
      el("ol", {}, shown.map(([at, block]) => el("li", {}, this._row(block, at, view.page.number)))),
      hidden > 0 && el("p", { class: "muted" }, `${count(hidden, "block")} hidden by the filters`),
    );
    this.select();
  }

  select() {
    markSelected(this.element, this.model);
  }

  _row(/** @type {Api.Block} */ block, /** @type {number} */ at, /** @type {number} */ page) {
    const facts = [kindName(block.kind), engineName(block.engine)];
    if (block.confidence !== null) facts.push(percent(block.confidence));
    if (block.tier === "semantic") facts.push("from a similar picture");
    if (!block.bbox) facts.push("no place on the page");
    return el(
      "button",
      {
        type: "button",
        class: "block",
        data: { block: block.id, kind: block.kind },
        "aria-pressed": "false",
        on: { click: () => this.model.select({ block: block.id, page }, "panel") },
      },
      el("span", { class: "order" }, String(at + 1)),
      el(
        "span",
        { class: "block-about" },
        el("span", { class: "block-facts" }, facts.join(" · ")),
        el("span", { class: "block-text" }, block.text || "no text"),
      ),
    );
  }
}
