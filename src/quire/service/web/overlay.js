// What lies on the picture of a page: boxes of blocks, words, hits. Places are fractions of the page, so percentages.

import { el } from "./dom.js";
import { boxesOn } from "./model.js";
import { engineName, kindName, percent } from "./words.js";

/** Put something at a box of the page. */
export function placeAt(element, box) {
  for (const [side, value] of [["left", box.left], ["top", box.top], ["width", box.width], ["height", box.height]])
    element.style.setProperty(side, `${100 * value}%`);
  return element;
}

export class Overlay {
  constructor(model, number) {
    this.model = model;
    this.number = number;
    this.view = null;
    this.boxes = el("div", { class: "boxes", role: "group", "aria-label": `Blocks of page ${number}` });
    this.details = el("div", { class: "cells", "aria-hidden": "true" });
    this.words = el("div", { class: "words", "aria-hidden": "true" });
    this.hits = el("div", { class: "hits", "aria-hidden": "true" });
    this.element = el("div", { class: "overlay" }, this.words, this.boxes, this.details, this.hits);
    this.boxes.addEventListener("click", (event) => this._clicked(event));
  }

  setView(view) {
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
    let selected = null;
    for (const box of this.boxes.children) {
      const block = this.view.blocks[box.dataset.order - 1];
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
    const here = hits.map((each, at) => [each, at]).filter(([each]) => each.page === this.number && each.bbox);
    this.hits.replaceChildren(...here.map(([each, at]) => placeAt(el("div", { class: at === hit ? "hit current" : "hit" }), each.bbox)));
  }

  _box(block, at) {
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
    const cells = (block?.table?.cells ?? []).filter((cell) => cell.page === this.number && cell.bbox);
    this.details.replaceChildren(...cells.map((cell) => placeAt(el("div", { class: cell.header ? "cell header" : "cell" }), cell.bbox)));
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
    const drawn = view.blocks.flatMap((block) => (block.words ?? []).map((word) => [block, word])).filter(([, word]) => word.bbox);
    this.words.replaceChildren(
      ...drawn.map(([block, word]) => {
        const doubt = word.confidence !== undefined && word.confidence < 0.9 ? "word doubtful" : "word";
        return placeAt(el("div", { class: doubt, data: { block: block.id, text: word.text } }), word.bbox);
      }),
    );
    this._filterWords();
  }

  _filterWords() {
    const hidden = new Set(this.view.blocks.filter((block) => !this.model.shows(block)).map((block) => block.id));
    for (const word of this.words.children) word.hidden = hidden.has(word.dataset.block);
  }
}

function shortened(text) {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line || "no text";
}
