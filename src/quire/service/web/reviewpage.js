// The page beside the value in work: where the value stands, or probably does, and what is picked on it.

import { getJson } from "./api.js";
import { el, icon, replace } from "./dom.js";
import { Picker } from "./reviewpick.js";
import { placesOf } from "./reviewsession.js";
import { ZOOM_STEP, pageTools } from "./reviewtools.js";
import { Sheets } from "./sheets.js";

const ABOUT = "Click a block, drag over words, or draw a box to correct the value";

/** One document at a time is open. `onPick(picked)` is called with what was picked on a page. */
export class ReviewPage {
  /** @type {DocumentModel | null} */
  model = null;
  /** @type {Sheets | null} */
  sheets = null;
  /** @type {Picker | null} */
  picker = null;

  constructor(onPick) {
    this.onPick = onPick;
    this.element = el("div", { class: "stage" });
    this._before = /** @type {number | null} */ (null); // the zoom before a whole page was shown
  }

  close() {
    this.picker?.close();
    this.sheets?.close();
    this.model = this.sheets = this.picker = null;
  }

  /** Show an item on the page: `marked` are the items whose places are marked. Resolves to what it says about that. */
  async show(/** @type {Promise<DocumentModel>} */ loading, /** @type {Item} */ item, /** @type {Item[]} */ marked, isCurrent) {
    try {
      const model = await loading;
      if (!isCurrent()) return "";
      if (this.model !== model) this._open(model);
      const { hits, at } = hitsOf(item, marked);
      if (at >= 0) return this._goTo(hits, at, "");
      const likely = await likelyPlace(model, item);
      if (!isCurrent()) return "";
      if (likely) return this._goTo([...hits, likely.hit], hits.length, `“${likely.text}” stands on page ${likely.hit.page}`);
      this._showWhole(hits, item.missing?.pages[0]);
      return "The whole page is shown: nothing on it looks like this field";
    } catch (error) {
      if (isCurrent()) this._fail(error);
      return "";
    }
  }

  look(/** @type {Api.Place} */ place) {
    const { page, bboxes, blocks } = place;
    if (!this.model || !page || !bboxes.length) return;
    this._goTo(bboxes.map((bbox) => ({ page, bbox, block: blocks[0] ?? "" })), 0);
  }

  step(/** @type {number} */ by) {
    const { model } = this;
    const next = model?.pages[model.at(model.current) + by];
    if (next) model.setCurrent(next.number, "step");
  }

  zoom(/** @type {number} */ by) {
    if (!this.sheets) return;
    this._before = null;
    this.sheets.setZoom(this.sheets.zoom * by);
    this.sheets.reveal();
  }

  fitWidth() {
    this._before = null;
    this.sheets?.setZoom(1);
  }

  toggle(what) {
    this.model?.toggle(what);
  }

  _open(/** @type {DocumentModel} */ model) {
    this.close();
    this.model = model;
    model.boxes = false;
    const sheets = (this.sheets = new Sheets(model));
    this.picker = new Picker(sheets, this.onPick);
    const acts = { step: (by) => this.step(by), zoom: (by) => this.zoom(by), fit: () => sheets.fitPage(), about: ABOUT };
    replace(this.element, pageTools(model, acts), sheets.element);
    sheets.resize();
  }

  _goTo(/** @type {Hit[]} */ hits, /** @type {number} */ at, said = "") {
    if (this._before !== null) this.sheets?.setZoom(this._before);
    this._before = null;
    this.model?.setHits(hits, at);
    this.model?.goToHit(at);
    return said;
  }

  _showWhole(/** @type {Hit[]} */ hits, /** @type {number | undefined} */ page) {
    const { model, sheets } = this;
    if (!model || !sheets) return;
    model.setHits(hits);
    model.select(null, "step");
    model.setCurrent(page ?? model.current, "step");
    this._before ??= sheets.zoom;
    sheets.fitPage();
  }

  _fail(error) {
    this.close();
    const told = [el("p", { class: "lead" }, "The document cannot be shown"), el("p", { class: "reason" }, error.message)];
    replace(this.element, el("div", { class: "empty failed" }, icon("alert"), told));
  }
}

/** Where the name of the field is printed. */
async function likelyPlace(/** @type {DocumentModel} */ model, /** @type {Item} */ item) {
  const name = item.field.replace(/^.*\./, "").replaceAll(/\W|_/g, " ");
  for (const text of new Set([item.title, name].map((each) => each.trim()).filter((each) => each.length > 2))) {
    /** @type {Api.SearchResult} */
    const { hits } = await getJson(model.path(`/search?q=${encodeURIComponent(text)}&limit=1`));
    if (hits.length && hits[0].bbox) return { text, hit: hits[0] };
  }
  return null;
}

/** The places of some items, and which of them is that of the current one. */
function hitsOf(current, /** @type {Item[]} */ items) {
  const hits = [];
  let at = -1;
  for (const item of items) {
    const [place] = placesOf(item);
    if (!place) continue;
    if (item === current) at = hits.length;
    for (const bbox of place.bboxes) hits.push({ page: place.page, bbox, block: place.blocks[0] ?? "" });
  }
  return { hits, at };
}
