// The desk of a reviewer: one value, or one list, beside its page. Everything can be done with keys.

import { button, el, first, notify, replace } from "./dom.js";
import { endOf } from "./reviewend.js";
import { ReviewGrid } from "./reviewgrid.js";
import { decisionFor, firstOf, isDoubtful, isList, isMissing, isPending, pendingAfter } from "./reviewitems.js";
import { deskAct } from "./reviewkeys.js";
import { ReviewPage } from "./reviewpage.js";
import { ReviewPanel } from "./reviewpanel.js";
import { reviewerName } from "./reviewer.js";
import { ReviewSamples } from "./reviewsamples.js";
import { ReviewSession } from "./reviewsession.js";
import { ZOOM_STEP, action, showHistory } from "./reviewtools.js";
import { choicesOf } from "./reviewvalue.js";

const WAIT_MS = 4000; // before others' values are asked for again
const NOTHING = "There is no value to approve. Correct it, or say that it is not in the document.";
const LOST = "This value was given to another reviewer, since this page was away. Here is the next one.";

export class ReviewDesk {
  /** @type {Claim} the values in work */
  claim;
  /** @type {Item} the one of them that is shown */
  item;
  /** @type {ReviewGrid | null} */
  grid = null;
  /** @type {{ review: string, path: string } | null} what the decision was about that is being withdrawn */
  returning = null;
  /** @type {Promise<unknown> | null} */
  _picking = null;

  constructor(/** @type {HTMLElement} */ main, /** @type {HTMLElement} */ barPlace, /** @type {URLSearchParams} */ asked) {
    this.main = main;
    this.barPlace = barPlace;
    const one = (/** @type {string} */ name) => asked.get(name) ?? "";
    const filters = { doubts: asked.getAll("doubt"), field: one("field"), run: one("run"), review: one("review") };
    this.session = new ReviewSession(filters, reviewerName());
    this.busy = false;
    this.closed = false;
    this.acts = this._acts();
    this.panel = new ReviewPanel(this.acts);
    this.page = new ReviewPage((picked) => this.panel.form.pick(picked));
    this.samples = new ReviewSamples(this.session, (work) => this._guarded(work), (text) => this.panel.say(text));
    replace(main, el("div", { class: "desk" }, this.panel.element, this.page.element));
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

  /**
   * What buttons and keys do, by name; a key gives a number, and whether Shift is held.
   * @returns {Record<string, (given?: any, shift?: boolean) => void>}
   */
  _acts() {
    const picker = () => this.page.picker;
    return {
      approve: () => (isMissing(this.item) ? this.panel.say(NOTHING) : this._decide({ action: "approve" })),
      absent: () => this._decide({ action: "absent" }),
      reject: () => this._decide({ action: "reject" }),
      decide: (decision) => this._decide(decision),
      take: (at) => this._take(at),
      type: () => this.panel.form.focus(),
      next: () => this._advance(),
      undo: () => this._undo(),
      lookAgain: () => this._guarded(() => this.session.lookAgain()),
      goTo: (item) => this._goTo(item),
      approveList: () => this._approveList(),
      dropRow: () => this._dropRow(),
      addRow: () => this._addRow(),
      toggleSample: () => this.samples.toggle(),
      markAll: () => this.samples.markAll(),
      history: () => showHistory(this.claim.review),
      nextBlock: () => this._afterPick(() => picker()?.stepBlock(1)),
      previousBlock: () => this._afterPick(() => picker()?.stepBlock(-1)),
      stepWord: (by, extend) => picker()?.stepWord(by, { extend }),
      stepLine: (by, extend) => picker()?.stepLine(by, { extend }),
      stepPage: (by) => this.page.step(by),
      larger: () => this.page.zoom(ZOOM_STEP),
      smaller: () => this.page.zoom(1 / ZOOM_STEP),
      fitWidth: () => this.page.fitWidth(),
      boxes: () => this.page.toggle("boxes"),
      words: () => this.page.toggle("words"),
      clear: () => this._clearPick(),
      leave: () => this._clearPick({ leave: true }),
    };
  }

  /** There is another claim, or an item of this one was decided about elsewhere. */
  _changed() {
    if (this.closed) return;
    const { current } = this.session;
    clearTimeout(this._timer);
    if (!current) return this._end();
    this.panel.element.hidden = this.page.element.hidden = false;
    this.main.querySelector(".desk-end")?.remove();
    if (current !== this.claim) {
      this.claim = current;
      this.grid = isList(current) ? new ReviewGrid(current, (item) => this._choose(item)) : null;
      this._heading();
    }
    const chosen = firstOf(current.items, this.returning);
    this.returning = null;
    this._choose(chosen);
  }

  /** Behind the last value: what others have is asked for again, what was passed over waits for the reviewer. */
  _end() {
    const { done } = this.session;
    this.panel.element.hidden = this.page.element.hidden = true;
    replace(this.barPlace);
    const again = action("Look at them again", "Enter", () => this.acts.lookAgain(), "primary");
    const undo = done.length > 0 && action("Undo the last decision", "z", () => this._undo());
    const actions = [this.samples.markAllButton(), this.samples.fixturesButton(), undo, el("a", { class: "secondary", href: "#/review" }, "All reviews")];
    const shown = endOf(this.session, { again, actions: actions.filter(Boolean) });
    const before = this.main.querySelector(".desk-end");
    if (before?.textContent !== shown.textContent) {
      before?.remove(); // else what has the focus stays
      first(this.main, ".desk")?.append(el("div", { class: "desk-end", role: "status" }, shown));
    }
    if (this.session.left) this._timer = setTimeout(() => this._advance(), WAIT_MS);
  }

  _choose(/** @type {Item} */ item) {
    this.item = item;
    this._clearPick();
    this._show();
    if (this.grid) this.grid.focus(item);
  }

  _show() {
    const { item, claim } = this;
    const document = claim.review.pages;
    const where = this.panel.show(item, this.grid, {
      picture: (page, box) => this.session.crop(document, page, box),
      choose: (at) => this._take(at),
      look: (place) => this.page.look(place),
    });
    this.panel.left.textContent = `${this.session.left} left`;
    const isCurrent = () => !this.closed && this.item === item;
    const marked = this.grid ? claim.items : [item];
    const showing = this.page.show(this.session.document(document), item, marked, isCurrent);
    this._opening = showing.then((said) => (where.textContent = said));
    this.panel.values.show(claim.review.id, claim.items, item);
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
    this.panel.form.clear(this.item);
    if (leave) this.panel.card.focus();
  }

  _take(/** @type {number} */ at) {
    const one = choicesOf(this.item)[at];
    if (one) this._decide(decisionFor(this.item, one));
  }

  _decide(decision) {
    const { item } = this;
    return this._guarded(async () => {
      if (!(await this._decided(item, decision))) return;
      this.panel.form.input.blur();
      await this._goOn();
    });
  }

  /** Whether a decision was saved: another reviewer may have been faster, then the value is shown as it is now. */
  async _decided(/** @type {Item} */ item, decision) {
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
    if (!this.grid || !items.some(isPending)) await this.session.advance();
    else this._choose(pendingAfter(items, this.item));
  }

  _goTo(/** @type {Item} */ item) {
    return this._guarded(async () => {
      if (!(await this.session.goTo(item))) notify(`Another reviewer has ${item.title}.`);
    });
  }

  _advance() {
    return this._guarded(() => this.session.advance());
  }

  _approveList() {
    const found = this.claim.items.filter((item) => isDoubtful(item) && !isMissing(item));
    if (this.grid) this._decideAll("approve", found);
  }

  /** Decide in one way about several cells, and go on. */
  _decideAll(/** @type {string} */ what, /** @type {Item[]} */ items) {
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
    const cell = this.grid?.addRow(this.claim);
    if (cell) this._choose(cell);
  }

  _undo() {
    return this._guarded(async () => {
      this.returning = this.session.done.at(-1) ?? null;
      if (!(await this.session.undo())) notify("There is nothing to undo.");
    });
  }

  _lost() {
    notify(LOST, "error");
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

  _setBusy(/** @type {boolean} */ busy) {
    this.busy = busy;
    this.panel.setBusy(busy);
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
    const ended = !this.session.current;
    if (key === "Enter" && !ended && this.page.picker?.take()) return true; // a button in focus is not pressed
    if (key === "Enter" && target.closest?.("button, a")) return false;
    if (!ended && !this.item) return false;
    const missing = !ended && isMissing(this.item);
    const act = deskAct(key, { ended, inList: this.grid !== null, missing, hasCursor: Boolean(this.page.picker?.cursor) });
    if (!act) return false;
    this.acts[act[0]](act[1], shiftKey);
    return true;
  }
}
