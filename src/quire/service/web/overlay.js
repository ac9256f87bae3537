// What lies on the picture of a page: boxes of blocks, words, hits. Places are fractions of the page, so percentages.

import { el } from "./dom.js";
import { boxesOn } from "./model.js";
import { engineName, kindName, percent } from "./words.js";

/** Put something at a box of the page. */
export function placeAt(element, /** @type {Api.PageBox} */ box) {
  const { left, top, width, height } = box;
  for (const [side, value] of Object.entries({ left, top, width, height })) element.style.setProperty(side, `${100 * value}%`);
  return element;
}

export class Overlay {
  constructor(/** @type {DocumentModel} */ model, /** @type {number} */ number) {
    this.model = model;
    this.number = number;
    /** @type {Api.PageView | null} */
    this.view = null;
    this.boxes = el("div", { class: "boxes", role: "group", "aria-label": `Blocks of page ${number}` });
    this.details = el("div", { class: "cells", "aria-hidden": "true" });
    this.words = el("div", { class: "words", "aria-hidden": "true" });
    this.hits = el("div", { class: "hits", "aria-hidden": "true" });
    this.element = el("div", { class: "overlay" }, this.words, this.boxes, this.details, this.hits);
    this.boxes.addEventListener("click", (event) => this._clicked(event));
  }

  setView(/** @type {Api.PageView} */ view) {
    this.view = view;
    this.boxes.replaceChildren(
      ...view.blocks.flatMap((block, at) => boxesOn(block, this.number).map((box) => placeAt(this._box(block, at), box))),
    );
    this.update();
  }

  /** Draw what is switched on, let through and selected now. */
  update() {
    const { model } = this;
    this.boxes.hidden = !model.boxes;
    let first = true;
    let selected = /** @type {HTMLElement | null} */ (null);
    const blocks = this.view?.blocks ?? [];
    for (const box of childrenOf(this.boxes)) {
      const block = blocks[Number(box.dataset.order) - 1];
      box.hidden = !model.shows(block);
      const chosen = model.selected?.block === block.id;
      box.setAttribute("aria-pressed", String(chosen));
      box.tabIndex = -1;
      if (chosen) selected = box;
      else if (first && !box.hidden) {
        box.tabIndex = 0; // one stop for the tab key, the keys j and k go on from there
        first = false;
      }
    }
    if (selected) selected.tabIndex = 0;
    this._showCells();
    this.updateHits();
    this._showWords();
  }

  updateHits() {
    const { hits, hit } = this.model;
    const here = [...hits.entries()].filter(([, each]) => each.page === this.number);
    this.hits.replaceChildren(...here.flatMap(([at, { bbox }]) => (bbox ? placeAt(el("div", { class: at === hit ? "hit current" : "hit" }), bbox) : [])));
  }

  _box(/** @type {Api.Block} */ block, /** @type {number} */ at) {
    const said = `${at + 1}. ${kindName(block.kind)}: ${shortened(block.text)}`;
    const certain = block.confidence === null ? "" : ` · ${percent(block.confidence)}`;
    return el("button", {
      type: "button", class: "box", "aria-label": said, title: `${kindName(block.kind)} · ${engineName(block.engine)}${certain}`,
      data: { block: block.id, kind: block.kind, order: String(at + 1) }, tabIndex: -1,
    });
  }

  _clicked(event) {
    const box = event.target.closest(".box");
    if (box) this.model.select({ block: box.dataset.block, page: this.number }, "page");
  }

  /** The cells of a selected table. */
  _showCells() {
    const block = this.view?.blocks.find((each) => each.id === this.model.selected?.block);
    const cells = (block?.table?.cells ?? []).filter((cell) => cell.page === this.number);
    const marks = cells.flatMap(({ header, bbox }) => (bbox ? placeAt(el("div", { class: header ? "cell header" : "cell" }), bbox) : []));
    this.details.replaceChildren(...marks);
  }

  async _showWords() {
    if (!this.model.words) {
      this.words.replaceChildren();
      return;
    }
    if (this.words.children.length) {
      this._filterWords();
      return;
    }
    const view = await this.model.view(this.number, { words: true }).catch(() => null);
    if (!view || !this.model.words) return;
    const marked = (/** @type {Api.Block} */ block, /** @type {Api.Word} */ { text, bbox, confidence }) => {
      const doubt = confidence !== undefined && confidence < 0.9 ? "word doubtful" : "word";
      return bbox ? placeAt(el("div", { class: doubt, data: { block: block.id, text } }), bbox) : [];
    };
    this.words.replaceChildren(...view.blocks.flatMap((block) => (block.words ?? []).flatMap((word) => marked(block, word))));
    this._filterWords();
  }

  _filterWords() {
    const hidden = new Set(this.view?.blocks.filter((block) => !this.model.shows(block)).map((block) => block.id));
    for (const word of childrenOf(this.words)) word.hidden = hidden.has(word.dataset.block ?? "");
  }
}

const childrenOf = (/** @type {Element} */ parent) => /** @type {HTMLElement[]} */ ([...parent.children]);

function shortened(/** @type {string} */ text) {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line || "no text";
}
