// An open document: its pages as they are needed, what is selected, filtered and found. Parts of the screen listen.

import { getJson } from "./api.js";
import { Crops } from "./crops.js";

const VIEWS_KEPT = 48;

/**
 * Emits `page` (the current one changed), `select`, `filter`, `show` (boxes or words on or off) and `hits`; `detail` of
 * `select` and `page` says where it came from.
 */
export class DocumentModel extends EventTarget {
  constructor(/** @type {Api.DocumentDetail} */ detail) {
    super();
    this.id = detail.id;
    this.detail = detail;
    this.pages = detail.page_list;
    this.current = this.pages[0]?.number ?? 1;
    /** @type {{ block: string, page: number } | null} */
    this.selected = null;
    this.boxes = true;
    this.words = false;
    this.filter = { kinds: new Set(), engines: new Set(), confidence: 1 }; // kinds and engines that are hidden
    this.query = ""; // the text that was searched for
    /** @type {Hit[]} */
    this.hits = [];
    this.hit = -1;
    this.crops = new Crops(); // pictures of figures
    /** @type {() => void} a page was drawn, or cannot be */
    this.drawn = () => {};
    /** @type {Promise<void>} */
    this.firstDrawn = new Promise((resolve) => (this.drawn = resolve));
    this._views = new Map();
    this._at = new Map(this.pages.map((page, at) => [page.number, at]));
  }

  path(rest) {
    return `api/documents/${encodeURIComponent(this.id)}${rest}`;
  }

  at(/** @type {number} */ number) {
    return this._at.get(number) ?? -1;
  }

  /** The number of the last page. */
  get last() {
    return this.pages.at(-1)?.number ?? 1;
  }

  /**
   * The view of a page, with the words of its blocks if asked for. Kept for the latest pages.
   * @returns {Promise<Api.PageView>}
   */
  view(number, { words = false } = {}) {
    const key = `${number}${words ? "w" : ""}`;
    const known = this._views.get(key);
    this._views.delete(key);
    const view = known ?? getJson(this.path(`/pages/${number}${words ? "?words=1" : ""}`));
    if (!known) view.catch(() => this._views.delete(key));
    this._views.set(key, view);
    if (this._views.size > VIEWS_KEPT) this._views.delete(this._views.keys().next().value);
    return view;
  }

  setCurrent(/** @type {number} */ number, /** @type {string} */ origin) {
    if (number === this.current || this.at(number) < 0) return;
    this.current = number;
    this._emit("page", { origin });
  }

  select(selected, /** @type {string} */ origin) {
    if (this.selected?.block === selected?.block && this.selected?.page === selected?.page && origin !== "again") return;
    this.selected = selected;
    this._emit("select", { origin });
    if (selected) this.setCurrent(selected.page, origin);
  }

  setFilter(change) {
    Object.assign(this.filter, change);
    this._emit("filter");
  }

  get filtered() {
    return this.filter.kinds.size > 0 || this.filter.engines.size > 0 || this.filter.confidence < 1;
  }

  /** Whether the filters let a block through. Text from the file itself has no confidence: it is certain. */
  shows(/** @type {Api.Block} */ block) {
    const { kinds, engines, confidence } = this.filter;
    return !kinds.has(block.kind) && !engines.has(block.engine) && (confidence >= 1 || (block.confidence ?? 1) <= confidence);
  }

  toggle(what) {
    this[what] = !this[what];
    this._emit("show");
  }

  setHits(hits, at = -1, query = "") {
    this.query = query;
    this.hits = hits;
    this.hit = at;
    this._emit("hits");
  }

  goToHit(/** @type {number} */ at) {
    if (!this.hits.length) return;
    this.hit = (at + this.hits.length) % this.hits.length;
    const { block, page } = this.hits[this.hit];
    this.selected = { block, page };
    this.current = page;
    this._emit("hits");
    this._emit("select", { origin: "hit" });
    this._emit("page", { origin: "hit" });
  }

  _emit(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** The boxes of a block on a page. */
export function boxesOn(/** @type {Api.Block} */ block, /** @type {number} */ page) {
  const places = block.parts ?? [{ page: block.page, bbox: block.bbox }];
  return places.flatMap((place) => (place.page === page && place.bbox ? [place.bbox] : []));
}
