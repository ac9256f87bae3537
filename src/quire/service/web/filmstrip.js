// Small pictures of all pages with their state. Like the pages, only those in sight are in the tree.

import { el } from "./dom.js";
import { Pictures } from "./pictures.js";
import { count, engineName } from "./words.js";

const STEP = { down: 132, across: 92 };
const DPI = 20;
const FIRST_MS = 3000;
const PAST_MS = 120; // a frame that was scrolled past is not fetched
const KEPT = 60;
const STATUS = { ok: "read", empty: "empty", failed: "failed", skipped: "not read", running: "being read", done: "read", waiting: "waiting" };

export class Filmstrip {
  /**
   * `pages` are `{number, status, …}`; `model` is null while the document is being read.
   * @param {FilmPage[]} pages
   * @param {{ model?: DocumentModel | null, onPage?: (page: number) => void }} about
   */
  constructor(pages, { model = null, onPage = () => {} } = {}) {
    this.pages = pages;
    this.model = model;
    this.onPage = onPage;
    this.pictures = model && new Pictures(model, KEPT);
    this.shown = new Map();
    this.roll = el("div", { class: "film-roll" });
    this.element = el("nav", { class: "film", "aria-label": "Pages of the document" }, this.roll);
    this.element.addEventListener("scroll", () => this.draw());
    this._observer = new ResizeObserver(() => this.draw());
    this._observer.observe(this.element);
    model?.addEventListener("page", () => this.follow());
  }

  close() {
    this._observer.disconnect();
    for (const cell of this.shown.values()) cell.stop.abort();
    this.pictures?.close();
  }

  setPages(/** @type {FilmPage[]} */ pages) {
    this.pages = pages;
    this.draw();
  }

  /** Keep the current page in sight. */
  follow() {
    if (!this.model) return;
    const at = this.model.at(this.model.current);
    const [scroll, size, , , step] = this._along();
    const begin = at * step;
    if (begin < this.element[scroll] || begin + step > this.element[scroll] + this.element[size])
      this.element[scroll] = begin - this.element[size] / 2 + step / 2;
    this.draw();
  }

  draw() {
    const [scroll, size, side, length, step] = this._along();
    this.roll.style.setProperty(length, `${this.pages.length * step}px`);
    this.roll.style.setProperty(length === "height" ? "width" : "height", "100%");
    const first = Math.max(0, Math.floor(this.element[scroll] / step) - 2);
    const last = Math.min(this.pages.length - 1, Math.ceil((this.element[scroll] + this.element[size]) / step) + 2);
    const wanted = new Set();
    for (let at = first; at <= last; at++) {
      const page = this.pages[at];
      wanted.add(page.number);
      const cell = this.shown.get(page.number) ?? this._add(page);
      cell.element.style.setProperty(side, `${at * step}px`);
      cell.element.style.setProperty(side === "top" ? "left" : "top", "0");
      this._update(cell, page);
    }
    for (const [number, cell] of this.shown)
      if (!wanted.has(number)) {
        cell.stop.abort();
        cell.element.remove();
        this.shown.delete(number);
      }
  }

  /** @returns {["scrollLeft" | "scrollTop", "clientWidth" | "clientHeight", string, string, number]} */
  _along() {
    const across = getComputedStyle(this.element).getPropertyValue("--film-across").trim() === "1";
    return across ? ["scrollLeft", "clientWidth", "left", "width", STEP.across] : ["scrollTop", "clientHeight", "top", "height", STEP.down];
  }

  _add(/** @type {FilmPage} */ page) {
    const picture = el("span", { class: "thumb" });
    const element = el(
      "button",
      { type: "button", class: "frame", on: { click: () => this.onPage(page.number) } },
      picture,
      el("span", { class: "frame-number" }, el("span", { class: "dot" }), String(page.number)),
    );
    const cell = { element, picture, stop: new AbortController(), status: null };
    if (page.has_image) {
      if ((page.width ?? 0) > (page.height ?? 0)) picture.classList.add("wide");
      picture.style.setProperty("aspect-ratio", `${page.width} / ${page.height}`);
      this._picture(cell, page.number);
    }
    this.shown.set(page.number, cell);
    this.roll.append(element);
    return cell;
  }

  _update(cell, /** @type {FilmPage} */ page) {
    const current = this.model !== null && this.model.current === page.number;
    if (cell.status === page.status && cell.current === current) return;
    Object.assign(cell, { status: page.status, current });
    cell.element.dataset.status = page.status;
    const about = [`Page ${page.number}`, STATUS[page.status]];
    if (page.reason) about.push(page.reason);
    else if (page.blocks) about.push(count(page.blocks, "block"), `from ${engineName(page.engine)}`);
    cell.element.title = about.join(" · ");
    cell.element.setAttribute("aria-label", about.join(", "));
    if (current) cell.element.setAttribute("aria-current", "page");
    else cell.element.removeAttribute("aria-current");
  }

  async _picture(cell, /** @type {number} */ number) {
    const { model, pictures } = this;
    const { signal } = cell.stop;
    if (!model || !pictures) return;
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    await Promise.race([model.firstDrawn, pause(FIRST_MS)]); // the page itself comes first
    await pause(PAST_MS);
    if (signal.aborted) return;
    try {
      const url = await pictures.get(number, DPI, signal);
      if (!signal.aborted) cell.picture.append(el("img", { src: url, alt: "", draggable: "false" }));
    } catch {
      cell.picture.classList.add("none");
    }
  }
}
