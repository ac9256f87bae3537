// Picking a value on the page: a click takes a block, a drag over words takes these, a drag from white draws a box.
// With keys: a cursor over the blocks of the page, and over the words of one.

import { el } from "./dom.js";
import { boxesOn } from "./model.js";
import { placeAt } from "./overlay.js";
import { boxOf, holds, linesOf, middle, wordBeside, wordsBetween } from "./wordplaces.js";

const MOVED = 4; // pixels: less is a click

/** `onPick({text, page, bboxes, blocks})` is called with what was picked. Open until `close`. */
export class Picker {
  constructor(sheets, onPick) {
    this.sheets = sheets;
    this.model = sheets.model;
    this.onPick = onPick;
    this.marks = el("div", { class: "picks", "aria-hidden": "true" });
    this.cursor = null; // {page, block, from, to}: words of a block, all of them without `from`
    this._listeners = {
      pointerdown: (event) => this._down(event),
      pointermove: (event) => this._move(event),
      pointerup: (event) => this._up(event),
      pointercancel: () => this._stop(),
    };
    for (const [name, listener] of Object.entries(this._listeners)) sheets.element.addEventListener(name, listener);
  }

  close() {
    for (const [name, listener] of Object.entries(this._listeners)) this.sheets.element.removeEventListener(name, listener);
    this.clear();
  }

  clear() {
    this.cursor = null;
    this._stop();
    this.marks.remove();
  }

  /** Move the cursor to the next or previous block, and to the next page at the end. */
  async stepBlock(/** @type {number} */ by) {
    const page = this.cursor?.page ?? this.model.current;
    const blocks = await this._blocks(page);
    const at = blocks.findIndex((block) => block.id === this.cursor?.block.id);
    const next = blocks[at < 0 ? (by > 0 ? 0 : blocks.length - 1) : at + by];
    if (next) this._put({ page, block: next });
    else {
      const other = this.model.pages[this.model.at(page) + by];
      const there = other ? await this._blocks(other.number) : [];
      if (there.length) this._put({ page: other.number, block: by > 0 ? there[0] : there.at(-1) });
    }
  }

  /** Move the cursor over the words of its block; `extend` moves its end alone. */
  stepWord(by, { extend = false } = {}) {
    if (!this.cursor) return;
    const { block, from, to } = this.cursor;
    const last = block.words.length - 1;
    const clamped = (at) => Math.min(Math.max(at, 0), last);
    if (from === undefined) this._put({ ...this.cursor, from: by > 0 ? 0 : last, to: by > 0 ? 0 : last });
    else if (extend) this._put({ ...this.cursor, from, to: clamped(Math.max(to + by, from)) });
    else this._put({ ...this.cursor, from: clamped(from + by), to: clamped(from + by) });
  }

  /** Move the cursor to the word that stands below or above it in its block; `extend` moves its end alone. */
  stepLine(by, { extend = false } = {}) {
    if (!this.cursor) return;
    const { block, from, to } = this.cursor;
    if (from === undefined) return this.stepWord(by);
    const next = wordBeside(block.words, extend ? to : from, by);
    if (next < 0) return;
    this._put({ ...this.cursor, from: extend ? Math.min(from, next) : next, to: extend ? Math.max(from, next) : next });
  }

  /** Take what the cursor is on; says whether there was something. */
  take() {
    if (!this.cursor) return false;
    const { page, block, from, to } = this.cursor;
    const words = from === undefined ? block.words : block.words.slice(from, to + 1);
    this._pick(page, words.map((word) => ({ ...word, block: block.id })), from === undefined ? block : null);
    return true;
  }

  async _blocks(/** @type {number} */ page) {
    const view = await this.model.view(page, { words: true }).catch(() => null);
    return (view?.blocks ?? []).map((block) => ({ ...block, words: (block.words ?? []).filter((word) => word.bbox) })).filter((block) => block.words.length);
  }

  _put(cursor) {
    this.cursor = cursor;
    const words = cursor.from === undefined ? null : cursor.block.words.slice(cursor.from, cursor.to + 1);
    this.model.setHits([]);
    this.model.select({ block: cursor.block.id, page: cursor.page }, "key");
    requestAnimationFrame(() => this._draw(cursor.page, words ? linesOf(words) : boxesOn(cursor.block, cursor.page)));
  }

  _down(event) {
    const sheet = event.target.closest?.(".sheet");
    if (!sheet || event.button !== 0 || event.target.closest(".prose")) return;
    const page = Number(sheet.dataset.page);
    this._drag = {
      sheet,
      page,
      start: this._at(sheet, event),
      x: event.clientX,
      y: event.clientY,
      moved: false,
      box: event.shiftKey,
      words: [],
      pointer: event.pointerId,
    };
    this._blocks(page).then((blocks) => {
      if (this._drag?.page === page) this._drag.words = blocks.flatMap((block) => block.words.map((word) => ({ ...word, block: block.id })));
    });
  }

  _move(event) {
    const drag = this._drag;
    if (!drag) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < MOVED) return;
    if (!drag.moved) {
      drag.moved = true;
      this.sheets.element.setPointerCapture(drag.pointer);
      this.sheets.element.classList.add("picking");
    }
    event.preventDefault();
    drag.end = this._at(drag.sheet, event);
    const chosen = this._chosen(drag);
    this._draw(drag.page, chosen.length && !this._drawsBox(drag) ? linesOf(chosen) : [boxOf(drag.start, drag.end)]);
  }

  async _up(event) {
    const drag = this._drag;
    this._stop();
    if (!drag) return;
    if (!drag.words.length) drag.words = (await this._blocks(drag.page)).flatMap((block) => block.words.map((word) => ({ ...word, block: block.id })));
    if (!drag.moved) return this._clicked(drag);
    drag.end = this._at(drag.sheet, event);
    const words = this._chosen(drag);
    if (words.length || this._drawsBox(drag)) this._pick(drag.page, words, null, this._drawsBox(drag) ? boxOf(drag.start, drag.end) : null);
    else this.marks.remove();
  }

  async _clicked({ page, start }) {
    const blocks = (await this._blocks(page)).filter((block) => boxesOn(block, page).some((box) => holds(box, start)));
    const areas = (block) => boxesOn(block, page).reduce((sum, box) => sum + box.width * box.height, 0);
    const [block] = blocks.sort((one, other) => areas(one) - areas(other));
    if (!block) return;
    const cell = block.table?.cells.find((each) => each.page === page && each.bbox && holds(each.bbox, start));
    const words = block.words.filter((word) => !cell || holds(cell.bbox, middle(word.bbox))).map((word) => ({ ...word, block: block.id }));
    if (words.length) this._pick(page, words, cell ? null : block);
  }

  _stop() {
    this._drag = null;
    this.sheets.element.classList.remove("picking");
  }

  /** A drag that begins on a word takes words in reading order; one from white, or with Shift, those in its box. */
  _drawsBox(drag) {
    return drag.box || !drag.words.some((word) => holds(word.bbox, drag.start));
  }

  _chosen(drag) {
    if (this._drawsBox(drag)) {
      const box = boxOf(drag.start, drag.end);
      return drag.words.filter((word) => holds(box, middle(word.bbox)));
    }
    return wordsBetween(drag.words, drag.start, drag.end);
  }

  _pick(/** @type {number} */ page, /** @type {WordPlace[]} */ words, /** @type {Api.Block | null} */ block, /** @type {Api.PageBox | null} */ drawn = null) {
    const text = words.map((word) => word.text).join(" ");
    const bboxes = drawn && !words.length ? [drawn] : block ? boxesOn(block, page) : linesOf(words);
    const blocks = [...new Set(words.map((word) => word.block))];
    this._draw(page, bboxes);
    this.onPick({ text, page, bboxes, blocks });
  }

  _draw(/** @type {number} */ page, /** @type {Api.PageBox[]} */ boxes) {
    const sheet = this.sheets.element.querySelector(`.sheet[data-page="${page}"] .overlay`);
    if (!sheet) return;
    if (this.marks.parentNode !== sheet) sheet.append(this.marks);
    this.marks.replaceChildren(...boxes.map((box) => placeAt(el("div", { class: "pick" }), box)));
  }

  _at(sheet, event) {
    const paper = sheet.getBoundingClientRect();
    const part = (value, begin, size) => Math.min(Math.max((value - begin) / size, 0), 1);
    return { x: part(event.clientX, paper.left, paper.width), y: part(event.clientY, paper.top, paper.height) };
  }
}
