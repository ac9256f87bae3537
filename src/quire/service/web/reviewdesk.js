// The desk of a reviewer: one value, or one list, beside its page. Everything can be done with keys.

import { button, el, icon, notify, replace } from "./dom.js";
import { ReviewGrid } from "./reviewgrid.js";
import { reviewerName } from "./reviewer.js";
import { Picker } from "./reviewpick.js";
import { ReviewSession, placesOf } from "./reviewsession.js";
import { ZOOM_STEP, pageTools, showHistory } from "./reviewtools.js";
import { STATES, choicesOf, nothingLeft, shownValue, valueCard } from "./reviewvalue.js";
import { Sheets } from "./sheets.js";
import { count } from "./words.js";

const WAIT_MS = 4000; // before others' values are asked for again

export class ReviewDesk {
  constructor(main, barPlace, asked) {
    Object.assign(this, { main, barPlace, asked });
    const filters = { doubts: asked.getAll("doubt"), field: asked.get("field") ?? "", run: asked.get("run") ?? "", review: asked.get("review") ?? "" };
    this.session = new ReviewSession(filters, reviewerName());
    this.claim = null;
    this.item = null;
    this.returning = null; // the decision that is being withdrawn
    this.place = null; // where the corrected value was picked
    this.busy = false;
    this.closed = false;
    this._build();
    this.session.addEventListener("change", () => this._changed());
    this.session.addEventListener("lost", () => this._lost());
    this._guarded(() => this.session.start());
  }

  close() {
    this.closed = true;
    clearTimeout(this._timer);
    this.picker?.close();
    for (const model of this.opened) model.sheets.close();
    this.session.end();
  }

  _build() {
    this.opened = new Set();
    this.status = el("p", { class: "offscreen", role: "status" });
    this.card = el("div", { class: "desk-card", tabIndex: 0, role: "region", "aria-label": "The value" }, el("div", { class: "skeleton" }));
    this.input = el("input", { id: "correct", autocomplete: "off", spellcheck: "false", "aria-describedby": "correct-about" });
    this.about = el("p", { id: "correct-about", class: "muted" });
    this.form = el(
      "form",
      { class: "desk-form", on: { submit: (event) => this._submitted(event) } },
      el("label", { htmlFor: "correct" }, "Correct it"),
      el("div", { class: "desk-field" }, this.input, button("Save", () => {}, { type: "submit", class: "secondary" })),
      this.about,
    );
    this.input.addEventListener("keydown", (event) => event.key === "Escape" && this._clearPick({ leave: true }));
    this.actions = el(
      "div",
      { class: "desk-actions", role: "toolbar", "aria-label": "Decide" },
      action("Approve", "a", () => this._decide({ action: "approve" }), "primary"),
      action("Not in the document", "x", () => this._decide({ action: "absent" })),
      action("Reject", "r", () => this._decide({ action: "reject" })),
      action("Next", "n", () => this._guarded(() => this.session.advance())),
      action("Undo", "z", () => this._undo()),
    );
    this.forList = el(
      "div",
      { class: "desk-list" },
      action("Approve the list", "A", () => this._approveList()),
      action("Drop the row", "X", () => this._dropRow()),
      action("Add a row", "+", () => this._addRow()),
    );
    this.panel = el("section", { class: "desk-panel", "aria-label": "Review" }, this.status, this.card, this.form, this.actions);
    this.stage = el("div", { class: "stage" });
    replace(this.main, el("div", { class: "desk" }, this.panel, this.stage));
  }

  /** There is another claim, or an item of this one was decided about elsewhere. */
  async _changed() {
    if (this.closed) return;
    const { current } = this.session;
    clearTimeout(this._timer);
    if (!current) return this._nothing();
    this.panel.hidden = this.stage.hidden = false;
    this.main.querySelector(".desk-end")?.remove();
    if (current !== this.claim) {
      this.claim = current;
      this.grid = isList(current) ? new ReviewGrid(current, (item) => this._choose(item)) : null;
      this._heading();
    }
    const open = current.items.filter(isDoubtful);
    const again = current.items.find((item) => item.path === this.returning?.path && item.review === this.returning.review);
    this.returning = null;
    this._choose(again ?? open[0] ?? current.items[0]);
  }

  _nothing() {
    const { left } = this.session;
    this.panel.hidden = this.stage.hidden = true;
    replace(this.barPlace);
    this.main.querySelector(".desk-end")?.remove();
    const decided = this.session.reviews().length;
    const undo = decided > 0 && button("Undo the last decision", () => this._undo(), { class: "secondary" });
    const samples = decided > 0 && action(decided === 1 ? "Use the document as a sample" : `Use the ${decided} documents as samples`, "s", () => this._sampleAll());
    this.main.firstChild.append(el("div", { class: "desk-end", role: "status" }, nothingLeft(left, [samples, undo, el("a", { class: "secondary", href: "#/review" }, "All reviews")].filter(Boolean))));
    if (left) this._timer = setTimeout(() => this._guarded(() => this.session.advance()), WAIT_MS);
  }

  _choose(item) {
    this.item = item;
    this._clearPick();
    this._show();
    if (this.grid) this.grid.focus(item);
  }

  _show() {
    const { item, claim } = this;
    const document = claim.review.pages;
    const card = valueCard(item, {
      picture: (page, box) => this.session.crop(document, page, box),
      choose: (at) => this._take(at),
      look: (place) => this._look(place),
    });
    replace(this.card, this.grid?.element, this.grid && this.forList, card);
    this.grid?.update(item);
    this.card.scrollTop = 0;
    replace(this.actions.querySelector(".left") ?? this.actions.appendChild(el("span", { class: "left muted" })), `${this.session.left} left`);
    this.status.textContent = `${item.title}: ${shownValue(item.value)}. ${item.state === "open" ? item.doubt.replace("_", " ") : STATES[item.state]}.`;
    this._opening = this._showPage(document, item);
  }

  async _showPage(document, item) {
    try {
      const model = await this.session.document(document);
      if (this.closed || this.item !== item) return;
      if (this.model !== model) this._openModel(model);
      const own = this._hits();
      model.setHits(own.hits, own.at);
      if (own.at >= 0) model.goToHit(own.at);
      else if (item.missing?.pages.length) model.setCurrent(item.missing.pages[0], "step");
    } catch (error) {
      if (this.closed || this.item !== item) return;
      this.model = null;
      replace(this.stage, el("div", { class: "empty failed" }, icon("alert"), el("p", { class: "lead" }, "The document cannot be shown"), el("p", { class: "reason" }, error.message)));
    }
  }

  _openModel(model) {
    this.picker?.close();
    this.model = model;
    if (!model.sheets) {
      model.boxes = false;
      model.sheets = new Sheets(model);
      this.opened.add(model);
    }
    this.sheets = model.sheets;
    this.picker = new Picker(this.sheets, (picked) => this._picked(picked));
    replace(this.stage, pageTools(model, { step: (by) => this._step(by), zoom: (by) => this._zoom(by), fit: () => this.sheets.fitPage(), about: "Click a block, drag over words, or draw a box to correct the value" }), this.sheets.element);
    this.sheets.resize();
  }

  /** The places that are marked: those of all cells of a list, and which of them is the current one. */
  _hits() {
    const hits = [];
    let at = -1;
    for (const item of this.grid ? this.claim.items : [this.item]) {
      const [place] = placesOf(item);
      if (!place) continue;
      if (item === this.item) at = hits.length;
      for (const bbox of place.bboxes) hits.push({ page: place.page, bbox, block: place.blocks[0] });
    }
    return { hits, at };
  }

  _look(place) {
    if (!this.model || !place.page || !place.bboxes.length) return;
    this.model.setHits(place.bboxes.map((bbox) => ({ page: place.page, bbox, block: place.blocks[0] })), 0);
    this.model.goToHit(0);
  }

  _heading() {
    const { review } = this.claim;
    this.sample = el("button", { type: "button", class: "secondary small", "aria-keyshortcuts": "s", title: "Learn from what is decided in this document", on: { click: () => this._sample() } });
    this._showSample(review);
    replace(
      this.barPlace,
      el("div", { class: "document-heading" }, el("h1", { class: "document-name", title: review.name }, review.name), el("a", { class: "muted", href: `#/documents/${encodeURIComponent(review.pages)}` }, "document"), el("a", { class: "muted", href: "#/review" }, "all reviews")),
      button("History", () => showHistory(review), { class: "secondary small" }),
      this.sample,
    );
    document.title = `Review · ${review.name} · Quire`;
  }

  _step(by) {
    const { model } = this;
    const next = model?.pages[model.at(model.current) + by];
    if (next) model.setCurrent(next.number, "step");
  }

  _zoom(by) {
    if (!this.sheets) return;
    this.sheets.setZoom(this.sheets.zoom * by);
    this.sheets.reveal();
  }

  /** Something was picked on the page: it is the correction, once it is saved. */
  _picked(picked) {
    this.place = picked;
    this.input.value = picked.text;
    this.about.textContent = picked.text ? `From page ${picked.page}. Enter saves it, Escape drops it.` : `Nothing is written there. Type the value; its place on page ${picked.page} is kept.`;
    this.input.focus();
    this.input.select();
  }

  _clearPick({ leave = false } = {}) {
    this.place = null;
    this.picker?.clear();
    this.input.value = "";
    this.about.textContent = this.item?.enum?.length ? `One of ${this.item.enum.join(", ")}` : "";
    if (leave) this.card.focus();
  }

  _submitted(event) {
    event.preventDefault();
    const value = this.input.value.trim();
    if (!value) return;
    const place = this.place ? { page: this.place.page, bboxes: this.place.bboxes, blocks: this.place.blocks, quote: this.place.text } : {};
    this._decide({ action: "correct", value, ...place });
  }

  /** Take one of the choices: the extracted value is approved, another one corrects it. */
  _take(at) {
    const one = choicesOf(this.item)[at];
    if (!one) return;
    if (one.value === this.item.extracted && !this.item.decision) this._decide({ action: "approve" });
    else this._decide({ action: "correct", value: one.value, page: one.page || null, bboxes: one.bboxes, blocks: one.blocks, quote: one.quote });
  }

  _decide(decision) {
    const { item } = this;
    if (!item || (item.added && decision.action === "approve" && item.state === "open")) return; // there is nothing to approve
    return this._guarded(async () => {
      try {
        await this.session.decide(item, decision);
      } catch (error) {
        if (error.status !== 409) throw error;
        this._stale(item, error);
        return;
      }
      this.input.blur();
      await this._goOn();
    });
  }

  /** The next doubtful cell of the list, else the next value. */
  async _goOn() {
    const open = this.claim.items.filter(isPending);
    if (open.length && this.grid) this._choose(open.find((item) => this.claim.items.indexOf(item) > this.claim.items.indexOf(this.item)) ?? open[0]);
    else await this.session.advance();
  }

  _approveList() {
    if (this.grid) this._decideAll("approve", this.claim.items.filter(isDoubtful), () => this.session.advance());
  }

  /** Decide in one way about several cells, and go on. */
  _decideAll(what, items, goOn = () => this._goOn()) {
    return this._guarded(async () => {
      for (const item of items) {
        try {
          await this.session.decide(item, { action: what });
        } catch (error) {
          if (error.status !== 409) throw error;
          this._stale(item, error);
          return;
        }
      }
      await goOn();
    });
  }

  /** The document does not have this row. */
  _dropRow() {
    if (this.grid) this._decideAll("absent", this.grid.rowOf(this.item).filter((item) => item.state === "open"));
  }

  /** A row that was not found: its cells are filled like others. */
  _addRow() {
    const first = this.grid?.addRow(this.claim);
    if (first) this._choose(first);
  }

  _undo() {
    return this._guarded(async () => {
      this.returning = this.session.done.at(-1) ?? null;
      if (!(await this.session.undo())) notify("There is nothing to undo.");
    });
  }

  /** Another reviewer was faster: show what the value is now. */
  _stale(item, error) {
    notify(`${error.message}. Nothing was saved; this is how it is now.`, "error");
    if (error.item) Object.assign(item, error.item);
    this._show();
  }

  _lost() {
    notify("This value was given to another reviewer, since this page was away. Here is the next one.", "error");
    this._guarded(() => this.session.advance());
  }

  async _guarded(work) {
    if (this.busy) return;
    this._setBusy(true); // a key that is pressed meanwhile would be about a value that was not seen yet
    try {
      await work();
    } catch (error) {
      if (!this.closed) notify(error.message, "error");
    } finally {
      this._setBusy(false);
    }
  }

  _setBusy(busy) {
    this.busy = this.input.readOnly = busy;
    this.panel.setAttribute("aria-busy", String(busy));
  }

  _showSample(review) {
    this.sample.setAttribute("aria-pressed", String(review.sample));
    replace(this.sample, el("span", {}, review.sample ? "A sample" : "Use as a sample"), el("kbd", {}, "s"));
  }

  async _sample() {
    const { review } = this.claim;
    await this._guarded(async () => {
      Object.assign(review, await this.session.mark(review.id, !review.sample));
      this._showSample(review);
      this.status.textContent = `${review.name} is ${review.sample ? "a sample" : "no sample"}.`;
    });
  }

  /** What was decided about in this session. */
  async _sampleAll() {
    await this._guarded(async () => {
      const reviews = this.session.reviews();
      if (!reviews.length) return;
      for (const review of reviews) await this.session.mark(review, true);
      notify(`${count(reviews.length, "document is a sample", "documents are samples")}.`);
    });
  }

  /** Do something with what is picked once the page is there and what was to be picked before is. */
  _afterPick(work) {
    const { item } = this;
    const picking = Promise.resolve(this._picking ?? this._opening)
      .then(() => this.item === item && !this.closed && work())
      .finally(() => this._picking === picking && (this._picking = null));
    this._picking = picking;
  }

  /** A key outside of fields; says whether it meant something. */
  key(event) {
    if (!this._picking || !/^(Enter|Arrow.*)$/.test(event.key)) return this._key(event);
    this._afterPick(() => this._key(event));
    return true;
  }

  _key({ key, target, shiftKey }) {
    if (key === "u") {
      location.hash = "#/review";
      return true;
    }
    if (!this.session.current) {
      const left = { z: () => this._undo(), s: () => this._sampleAll() };
      return Object.hasOwn(left, key) && Boolean(left[key]());
    }
    if (!this.item || (/^Arrow(Up|Down)$/.test(key) && !this.picker?.cursor)) return false; // what has the focus scrolls
    if (key === "Enter" && this.picker?.take()) return true; // and a button that has the focus is not pressed
    if (key === "Enter" && target.closest?.("button, a")) return false;
    const acts = {
      a: () => this._decide({ action: "approve" }),
      Enter: () => this._decide({ action: "approve" }),
      A: () => this._approveList(),
      X: () => this._dropRow(),
      e: () => this.input.focus(),
      x: () => this._decide({ action: "absent" }),
      r: () => this._decide({ action: "reject" }),
      n: () => this._guarded(() => this.session.advance()),
      z: () => this._undo(),
      s: () => this._sample(),
      h: () => showHistory(this.claim.review),
      j: () => this._afterPick(() => this.picker?.stepBlock(1)),
      k: () => this._afterPick(() => this.picker?.stepBlock(-1)),
      ArrowRight: () => (this.picker?.cursor ? this.picker.stepWord(1, { extend: shiftKey }) : this._step(1)),
      ArrowLeft: () => (this.picker?.cursor ? this.picker.stepWord(-1, { extend: shiftKey }) : this._step(-1)),
      ArrowDown: () => this.picker.stepLine(1, { extend: shiftKey }),
      ArrowUp: () => this.picker.stepLine(-1, { extend: shiftKey }),
      "+": () => (this.grid ? this._addRow() : this._zoom(ZOOM_STEP)),
      "=": () => this._zoom(ZOOM_STEP),
      "-": () => this._zoom(1 / ZOOM_STEP),
      0: () => this.sheets?.setZoom(1),
      b: () => this.model?.toggle("boxes"),
      w: () => this.model?.toggle("words"),
      Escape: () => this._clearPick(),
    };
    if (/^[1-5]$/.test(key)) this._take(Number(key) - 1);
    else if (Object.hasOwn(acts, key)) acts[key]();
    else return false;
    return true;
  }
}

function action(label, key, click, kind = "secondary") {
  return el("button", { type: "button", class: kind, "aria-keyshortcuts": key, on: { click } }, el("span", {}, label), el("kbd", {}, key));
}

const isList = (claim) => claim.columns.length > 0 || claim.items.some((item) => item.path.includes("["));
const isDoubtful = (item) => item.doubt && item.state === "open";
const isPending = (item) => (item.doubt || item.added) && item.state === "open";
