// The pages below each other. Only those in sight, and one on each side, are in the document tree.

import { debounced, el, icon } from "./dom.js";
import { boxesOn } from "./model.js";
import { Overlay } from "./overlay.js";
import { Pictures } from "./pictures.js";
import { textOf } from "./texttab.js";
import { ADVICE } from "./words.js";

const GAP = 20;
const PAPER = 1.414; // of pages without a size: sheets, slides and sections of office files
const RESOLUTIONS = [50, 72, 100, 150, 200, 300];
const ZOOMS = { least: 0.25, most: 5 };
const NARROWEST = 160;
const WIDEST = 1100; // at zoom 1: a small receipt should not fill a large screen
const PICTURES_KEPT = 10;
const SOON_MS = 20; // pages fly by while scrolling: a picture is fetched when its page has stayed
const LATER_MS = 400; // of pages next to those in sight

export class Sheets {
  /** @type {number[]} */
  tops;
  /** @type {number[]} */
  heights;
  width = 0;

  constructor(/** @type {DocumentModel} */ model) {
    this.model = model;
    this.pictures = new Pictures(model, PICTURES_KEPT);
    this.zoom = 1;
    this.shown = new Map(); // page number -> Sheet
    this.roll = el("div", { class: "roll" });
    this.element = el("div", { class: "sheets", tabIndex: 0, role: "region", "aria-label": "Pages" }, this.roll);
    this._scrolled = false;
    this._arranged = -GAP;
    this.element.addEventListener("scroll", () => this._schedule());
    this._observer = new ResizeObserver(() => this.resize());
    this._observer.observe(this.element);
    this._settled = debounced(() => this._findCurrent(), 60);
    this._closed = new AbortController(); // the model may be shown again by others
    const on = (name, listener) => model.addEventListener(name, listener, { signal: this._closed.signal });
    on("page", ({ detail }) => detail.origin === "scroll" || this.goTo(model.current, detail.origin));
    on("select", ({ detail }) => {
      this._update();
      if (detail.origin !== "page") this.reveal();
    });
    for (const name of ["filter", "show", "hits"]) on(name, () => this._update());
  }

  close() {
    this._closed.abort();
    this._observer.disconnect();
    for (const sheet of this.shown.values()) sheet.close();
    this.pictures.close();
  }

  /** Lay the pages out anew for the width there is, and stay where the reader is. */
  resize() {
    const width = this.element.clientWidth;
    if (!width) return;
    const anchor = this._anchor();
    this.width = Math.round(Math.min(Math.max(width - 2 * GAP, NARROWEST), WIDEST) * this.zoom);
    this.tops = [];
    this.heights = [];
    let top = GAP;
    for (const page of this.model.pages) {
      const height = Math.round(this.width * (page.has_image ? page.height / page.width : PAPER));
      this.tops.push(top);
      this.heights.push(height);
      top += height + GAP;
    }
    this.roll.style.setProperty("height", `${top}px`);
    this.roll.style.setProperty("width", `${Math.max(width, this.width + 2 * GAP)}px`);
    for (const sheet of this.shown.values()) this._place(sheet);
    if (anchor) this._scrollTo(this.tops[anchor.at] + anchor.part * this.heights[anchor.at] - anchor.above);
    else this.draw();
  }

  setZoom(zoom) {
    this.zoom = Math.min(Math.max(zoom, ZOOMS.least), ZOOMS.most);
    this.resize();
    this.element.scrollLeft = (this.element.scrollWidth - this.element.clientWidth) / 2;
  }

  fitPage() {
    const at = this.model.at(this.model.current);
    this.setZoom((this.zoom * (this.element.clientHeight - 2 * GAP)) / this.heights[at]);
    this.goTo(this.model.current);
  }

  /** Scroll by a part of the height in sight. */
  scrollBy(part) {
    this.element.scrollTop += part * this.element.clientHeight;
  }

  goTo(/** @type {number} */ number, origin = "") {
    const at = this.model.at(number);
    if (at < 0 || !this.tops || origin === "hit" || this._inSight(at, origin)) return;
    this._scrollTo(this.tops[at] - GAP / 2);
  }

  /** Bring the selected block, or the current hit, into view. */
  async reveal() {
    const { selected, hits, hit } = this.model;
    if (!selected) return;
    const at = this.model.at(selected.page);
    if (at < 0 || !this.tops) return;
    const found = hits[hit]?.block === selected.block && hits[hit].page === selected.page ? hits[hit].bbox : null;
    const box = found ?? (await this._boxOf(selected));
    if (!box || this.model.selected !== selected) {
      if (!box) this.goTo(selected.page);
      return;
    }
    const top = this.tops[at] + box.top * this.heights[at];
    const bottom = top + box.height * this.heights[at];
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop + 10 || bottom > scrollTop + clientHeight - 10) this._scrollTo(top - Math.max(clientHeight * 0.25, 40));
  }

  /** Where the page itself scrolls to, the current page is known: the last one may not reach the top. */
  _scrollTo(/** @type {number} */ top) {
    this.element.scrollTop = top;
    this._arranged = this.element.scrollTop;
    this.draw();
  }

  async _boxOf({ block, page }) {
    const view = await this.model.view(page).catch(() => null);
    const found = view?.blocks.find((each) => each.id === block);
    return found ? boxesOn(found, page)[0] : null;
  }

  /** A page that was selected by one of its blocks is not scrolled to its top. */
  _inSight(/** @type {number} */ at, /** @type {string} */ origin) {
    const { scrollTop, clientHeight } = this.element;
    const visible = this.tops[at] < scrollTop + clientHeight && this.tops[at] + this.heights[at] > scrollTop;
    return visible && ["page", "panel"].includes(origin);
  }

  _schedule() {
    if (this._scrolled) return;
    this._scrolled = true;
    requestAnimationFrame(() => {
      this._scrolled = false;
      this.draw();
    });
    this._settled();
  }

  /** Put the pages in sight into the tree, and take the others out. */
  draw() {
    if (!this.tops) return;
    const { scrollTop, clientHeight } = this.element;
    const seen = [this._indexAt(scrollTop), this._indexAt(scrollTop + clientHeight)];
    const first = Math.max(0, seen[0] - 1);
    const last = Math.min(this.tops.length - 1, seen[1] + 1);
    const wanted = new Set();
    for (let at = first; at <= last; at++) {
      const page = this.model.pages[at];
      wanted.add(page.number);
      if (this.shown.has(page.number)) continue;
      const patience = at < seen[0] || at > seen[1] ? LATER_MS : SOON_MS;
      const sheet = new Sheet(this.model, page, this.pictures, patience);
      this.shown.set(page.number, sheet);
      this._place(sheet);
      this.roll.append(sheet.element);
    }
    for (const [number, sheet] of this.shown)
      if (!wanted.has(number)) {
        this.shown.delete(number);
        sheet.close();
      }
  }

  _place(sheet) {
    const at = this.model.at(sheet.page.number);
    const left = Math.max(GAP, Math.round((this.element.clientWidth - this.width) / 2));
    sheet.place(left, this.tops[at], this.width, this.heights[at]);
  }

  _indexAt(y) {
    let low = 0;
    let high = this.tops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  _anchor() {
    if (!this.tops?.length) return null;
    const above = this.element.clientHeight / 3;
    const y = this.element.scrollTop + above;
    const at = this._indexAt(y);
    return { at, above, part: Math.min(Math.max((y - this.tops[at]) / this.heights[at], 0), 1) };
  }

  _findCurrent() {
    if (!this.tops?.length || Math.abs(this.element.scrollTop - this._arranged) < 2) return;
    this._arranged = -GAP; // the reader has scrolled since
    const at = this._indexAt(this.element.scrollTop + this.element.clientHeight / 3);
    this.model.setCurrent(this.model.pages[at].number, "scroll");
  }

  _update() {
    for (const sheet of this.shown.values()) sheet.update();
  }
}

/** One page: its picture, what lies on it, and what went wrong. */
class Sheet {
  constructor(/** @type {DocumentModel} */ model, /** @type {Api.PageSummary} */ page, pictures, patience) {
    this.model = model;
    this.page = page;
    this.pictures = pictures;
    this.patience = patience;
    this.stop = new AbortController();
    this.overlay = new Overlay(model, page.number);
    this.picture = el("img", { alt: "", class: "picture", draggable: "false" });
    this.message = el("div", { class: "sheet-message", hidden: true });
    this.element = el(
      "article",
      { class: "sheet loading", "aria-label": `Page ${page.number}`, data: { page: String(page.number), status: page.status } },
      page.has_image && this.picture,
      page.has_image && this.overlay.element,
      this.message,
      el("span", { class: "sheet-number", "aria-hidden": "true" }, String(page.number)),
    );
    this.dpi = 0;
    if (page.status === "failed" || page.status === "skipped")
      this._say(page.status === "failed" ? "This page could not be read" : "This page was not read", page.reason);
    this._load();
  }

  close() {
    this.stop.abort();
    this.element.remove();
  }

  place(left, /** @type {number} */ top, /** @type {number} */ width, height) {
    for (const [name, value] of Object.entries({ left, top, width, height })) this.element.style.setProperty(name, `${value}px`);
    if (this.page.has_image) this._draw(width);
  }

  update() {
    if (this.overlay.view) this.overlay.update();
  }

  async _load() {
    try {
      const view = await this.model.view(this.page.number);
      if (this.stop.signal.aborted) return;
      if (this.page.has_image) this.overlay.setView(view);
      else this._write(view);
    } catch (error) {
      if (error.name !== "AbortError" && !this.stop.signal.aborted) this._say("This page cannot be shown", error.message, ADVICE[error.category]);
    }
  }

  /** The picture for the width on this screen. */
  async _draw(/** @type {number} */ width) {
    const needed = (72 * width * Math.min(devicePixelRatio, 2)) / this.page.width;
    const dpi = RESOLUTIONS.find((each) => each >= needed * 0.9) ?? Math.max(...RESOLUTIONS);
    if (dpi <= this.dpi) return;
    this.dpi = dpi;
    const { signal } = this.stop;
    await new Promise((resolve) => setTimeout(resolve, this.patience));
    if (signal.aborted || dpi !== this.dpi) return;
    try {
      this.picture.src = await this.pictures.get(this.page.number, dpi, signal);
      await this.picture.decode();
      this.element.classList.remove("loading");
      this.element.dataset.dpi = String(dpi);
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted || error.name === "EncodingError") return;
      this._say("This page cannot be drawn", error.message, ADVICE[error.category]);
    } finally {
      this.model.drawn();
    }
  }

  /** A page of an office file has no picture: its text stands in for it. */
  _write(/** @type {Api.PageView} */ view) {
    this.element.classList.remove("loading");
    this.element.classList.add("written");
    if (!view.blocks.length) this._say("This page has no text");
    else
      this.element.prepend(
        el(
          "div",
          { class: "prose", tabIndex: 0, role: "group", "aria-label": `Text of page ${this.page.number}` },
          textOf(view, this.model),
        ),
      );
  }

  _say(/** @type {string} */ title, ...lines) {
    this.element.classList.remove("loading");
    this.message.hidden = false;
    this.message.replaceChildren(icon("alert"), el("p", { class: "lead" }, title), ...lines.filter(Boolean).map((line) => el("p", {}, line)));
  }
}
