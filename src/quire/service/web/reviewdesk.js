// The desk of a reviewer: one value, or one list, beside its page. Everything can be done with keys.

import { button, el, notify, replace } from "./dom.js";
import { endOf } from "./reviewend.js";
import { ReviewForm } from "./reviewform.js";
import { ReviewGrid } from "./reviewgrid.js";
import { ReviewPage } from "./reviewpage.js";
import { reviewerName } from "./reviewer.js";
import { ReviewSamples } from "./reviewsamples.js";
import { ReviewSession } from "./reviewsession.js";
import { ZOOM_STEP, action, showHistory } from "./reviewtools.js";
import { STATES, choicesOf, shownValue, valueCard } from "./reviewvalue.js";
import { ReviewValues } from "./reviewvalues.js";

const WAIT_MS = 4000; // before others' values are asked for again

export class ReviewDesk {
  constructor(main, barPlace, asked) {
    Object.assign(this, { main, barPlace });
    const one = (name) => asked.get(name) ?? "";
    const filters = { doubts: asked.getAll("doubt"), field: one("field"), run: one("run"), review: one("review") };
    this.session = new ReviewSession(filters, reviewerName());
    this.claim = null;
    this.item = null;
    this.returning = null; // the decision that is being withdrawn
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
    this.page.close();
    this.session.end();
  }

  _build() {
    this.status = el("p", { class: "offscreen", role: "status" });
    this.card = el("div", { class: "desk-card", tabIndex: 0, role: "region", "aria-label": "The value" }, el("div", { class: "skeleton" }));
    this.form = new ReviewForm((decision) => this._decide(decision), () => this._clearPick({ leave: true }));
    this.page = new ReviewPage((picked) => this.form.pick(picked));
    this.samples = new ReviewSamples(this.session, (work) => this._guarded(work), (said) => (this.status.textContent = said));
    this.approve = action("Approve", "a", () => this._approve(), "primary");
    this.absent = action("Not in the document", "x", () => this._decide({ action: "absent" }));
    this.left = el("span", { class: "left muted" });
    this.actions = el(
      "div",
      { class: "desk-actions", role: "toolbar", "aria-label": "Decide" },
      this.approve,
      this.absent,
      action("Reject", "r", () => this._decide({ action: "reject" })),
      action("Next", "n", () => this._advance()),
      action("Undo", "z", () => this._undo()),
      this.left,
    );
    this.forList = el(
      "div",
      { class: "desk-list" },
      action("Approve the list", "A", () => this._approveList()),
      action("Drop the row", "X", () => this._dropRow()),
      action("Add a row", "+", () => this._addRow()),
    );
    this.values = new ReviewValues((item) => this._goTo(item));
    const parts = [this.status, this.card, this.form.element, this.actions, this.values.element];
    this.panel = el("section", { class: "desk-panel", "aria-label": "Review" }, parts);
    replace(this.main, el("div", { class: "desk" }, this.panel, this.page.element));
  }

  /** There is another claim, or an item of this one was decided about elsewhere. */
  _changed() {
    if (this.closed) return;
    const { current } = this.session;
    clearTimeout(this._timer);
    if (!current) return this._end();
    this.panel.hidden = this.page.element.hidden = false;
    this.main.querySelector(".desk-end")?.remove();
    if (current !== this.claim) {
      this.claim = current;
      this.grid = isList(current) ? new ReviewGrid(current, (item) => this._choose(item)) : null;
      this._heading();
    }
    const open = current.items.filter(isDoubtful);
    const { review, path } = this.returning ?? {};
    const again = current.items.find((item) => item.path === path && item.review === review);
    this.returning = null;
    this._choose(again ?? open[0] ?? current.items[0]);
  }

  /** Behind the last value: what others have is asked for again, what was passed over waits for the reviewer. */
  _end() {
    const { done } = this.session;
    this.panel.hidden = this.page.element.hidden = true;
    replace(this.barPlace);
    const again = action("Look at them again", "Enter", () => this._lookAgain(), "primary");
    const undo = done.length > 0 && action("Undo the last decision", "z", () => this._undo());
    const actions = [this.samples.markAllButton(), undo, el("a", { class: "secondary", href: "#/review" }, "All reviews")];
    const shown = endOf(this.session, { again, actions: actions.filter(Boolean) });
    const before = this.main.querySelector(".desk-end");
    if (before?.textContent !== shown.textContent) {
      before?.remove(); // else what has the focus stays
      this.main.firstChild.append(el("div", { class: "desk-end", role: "status" }, shown));
    }
    if (this.session.left) this._timer = setTimeout(() => this._advance(), WAIT_MS);
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
      look: (place) => this.page.look(place),
    });
    const where = el("p", { class: "value-where muted" });
    replace(this.card, this.grid?.element, this.grid && this.forList, card, where);
    this.grid?.update(item);
    this.card.scrollTop = 0;
    this.approve.hidden = isMissing(item);
    this.absent.className = isMissing(item) ? "primary" : "secondary";
    this.left.textContent = `${this.session.left} left`;
    const state = item.state === "open" ? item.doubt.replace("_", " ") : STATES[item.state];
    this.status.textContent = `${item.title}: ${shownValue(item.value)}. ${state}.`;
    const isCurrent = () => !this.closed && this.item === item;
    const marked = this.grid ? claim.items : [item];
    this._opening = this.page.show(this.session.document(document), item, marked, isCurrent).then((said) => (where.textContent = said));
    this.values.show(claim.review.id, claim.items, item);
  }

  _heading() {
    const { review } = this.claim;
    this.samples.show(review);
    const links = [["document", `#/documents/${encodeURIComponent(review.pages)}`], ["all reviews", "#/review"]];
    replace(
      this.barPlace,
      el(
        "div",
        { class: "document-heading" },
        el("h1", { class: "document-name", title: review.name }, review.name),
        links.map(([label, href]) => el("a", { class: "muted", href }, label)),
      ),
      button("History", () => showHistory(review), { class: "secondary small" }),
      this.samples.element,
    );
    document.title = `Review · ${review.name} · Quire`;
  }

  _clearPick({ leave = false } = {}) {
    this.page.picker?.clear();
    this.form.clear(this.item);
    if (leave) this.card.focus();
  }

  /** Take one of the choices: the extracted value is approved, another one corrects it. */
  _take(at) {
    const one = choicesOf(this.item)[at];
    if (!one) return;
    const { value, bboxes, blocks, quote } = one;
    if (value === this.item.extracted && !this.item.decision) this._decide({ action: "approve" });
    else this._decide({ action: "correct", value, page: one.page || null, bboxes, blocks, quote });
  }

  _approve() {
    if (isMissing(this.item)) this.status.textContent = "There is no value to approve. Correct it, or say that it is not in the document.";
    else this._decide({ action: "approve" });
  }

  _decide(decision) {
    const { item } = this;
    return this._guarded(async () => {
      if (!(await this._decided(item, decision))) return;
      this.form.input.blur();
      await this._goOn();
    });
  }

  /** Whether a decision was saved: another reviewer may have been faster, then the value is shown as it is now. */
  async _decided(item, decision) {
    try {
      await this.session.decide(item, decision);
      return true;
    } catch (error) {
      if (error.status !== 409) throw error;
      notify(`${error.message}. Nothing was saved; this is how it is now.`, "error");
      if (error.item) Object.assign(item, error.item);
      this._show();
      return false;
    }
  }

  /** The next doubtful cell of the list, else the next value. */
  async _goOn() {
    const { items } = this.claim;
    const open = items.filter(isPending);
    if (!open.length || !this.grid) await this.session.advance();
    else this._choose(open.find((item) => items.indexOf(item) > items.indexOf(this.item)) ?? open[0]);
  }

  _goTo(item) {
    return this._guarded(async () => {
      if (!(await this.session.goTo(item))) notify(`Another reviewer has ${item.title}.`);
    });
  }

  _lookAgain() {
    return this._guarded(() => this.session.lookAgain());
  }

  _advance() {
    return this._guarded(() => this.session.advance());
  }

  _approveList() {
    const found = this.claim.items.filter((item) => isDoubtful(item) && !isMissing(item));
    if (this.grid) this._decideAll("approve", found);
  }

  /** Decide in one way about several cells, and go on. */
  _decideAll(what, items) {
    return this._guarded(async () => {
      for (const item of items) if (!(await this._decided(item, { action: what }))) return;
      await this._goOn();
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

  _lost() {
    notify("This value was given to another reviewer, since this page was away. Here is the next one.", "error");
    this._advance();
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
    this.busy = busy;
    this.form.setBusy(busy);
    this.panel.setAttribute("aria-busy", String(busy));
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
    const { page } = this;
    if (key === "u") {
      location.hash = "#/review";
      return true;
    }
    if (key === "Enter" && this.session.current && page.picker?.take()) return true; // a button in focus is not pressed
    if (key === "Enter" && target.closest?.("button, a")) return false;
    if (!this.session.current) return this._endKey(key);
    const { cursor } = page.picker ?? {};
    if (!this.item || (/^Arrow(Up|Down)$/.test(key) && !cursor)) return false; // what has the focus scrolls
    const acts = {
      a: () => this._approve(),
      Enter: () => (isMissing(this.item) ? this.form.focus() : this._approve()),
      A: () => this._approveList(),
      X: () => this._dropRow(),
      e: () => this.form.focus(),
      x: () => this._decide({ action: "absent" }),
      r: () => this._decide({ action: "reject" }),
      n: () => this._advance(),
      z: () => this._undo(),
      s: () => this.samples.toggle(),
      h: () => showHistory(this.claim.review),
      j: () => this._afterPick(() => page.picker?.stepBlock(1)),
      k: () => this._afterPick(() => page.picker?.stepBlock(-1)),
      ArrowRight: () => (cursor ? page.picker.stepWord(1, { extend: shiftKey }) : page.step(1)),
      ArrowLeft: () => (cursor ? page.picker.stepWord(-1, { extend: shiftKey }) : page.step(-1)),
      ArrowDown: () => page.picker.stepLine(1, { extend: shiftKey }),
      ArrowUp: () => page.picker.stepLine(-1, { extend: shiftKey }),
      "+": () => (this.grid ? this._addRow() : page.zoom(ZOOM_STEP)),
      "=": () => page.zoom(ZOOM_STEP),
      "-": () => page.zoom(1 / ZOOM_STEP),
      0: () => page.fitWidth(),
      b: () => page.toggle("boxes"),
      w: () => page.toggle("words"),
      Escape: () => this._clearPick(),
    };
    if (/^[1-5]$/.test(key)) this._take(Number(key) - 1);
    else if (Object.hasOwn(acts, key)) acts[key]();
    else return false;
    return true;
  }

  _endKey(key) {
    const acts = { z: () => this._undo(), s: () => this.samples.markAll(), Enter: () => this._lookAgain() };
    if (!Object.hasOwn(acts, key)) return false;
    acts[key]();
    return true;
  }
}

const isList = (claim) => claim.columns.length > 0 || claim.items.some((item) => item.path.includes("["));
const isDoubtful = (item) => item.doubt && item.state === "open";
const isPending = (item) => (item.doubt || item.added) && item.state === "open";
const isMissing = (item) => item.value === null || item.value === undefined;
