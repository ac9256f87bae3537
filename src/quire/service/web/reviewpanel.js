// What stands beside the page at the desk: the value in work, the field for a correct one, and what can be decided.

import { el, replace } from "./dom.js";
import { ReviewForm } from "./reviewform.js";
import { isMissing } from "./reviewitems.js";
import { action } from "./reviewtools.js";
import { STATES, shownValue, valueCard } from "./reviewvalue.js";
import { ReviewValues } from "./reviewvalues.js";

export class ReviewPanel {
  /** @param {Record<string, (given?: any) => void>} acts what the buttons do, by name */
  constructor(acts) {
    this.status = el("p", { class: "offscreen", role: "status" });
    const about = { class: "desk-card", tabIndex: 0, role: "region", "aria-label": "The value" };
    this.card = el("div", about, el("div", { class: "skeleton" }));
    this.form = new ReviewForm(acts.decide, acts.leave);
    this.approve = action("Approve", "a", () => acts.approve(), "primary");
    this.absent = action("Not in the document", "x", () => acts.absent());
    this.left = el("span", { class: "left muted" });
    const actions = el(
      "div",
      { class: "desk-actions", role: "toolbar", "aria-label": "Decide" },
      this.approve,
      this.absent,
      action("Reject", "r", () => acts.reject()),
      action("Next", "n", () => acts.next()),
      action("Undo", "z", () => acts.undo()),
      this.left,
    );
    this.forList = el(
      "div",
      { class: "desk-list" },
      action("Approve the list", "A", () => acts.approveList()),
      action("Drop the row", "X", () => acts.dropRow()),
      action("Add a row", "+", () => acts.addRow()),
    );
    this.values = new ReviewValues(acts.goTo);
    const parts = [this.status, this.card, this.form.element, actions, this.values.element];
    this.element = el("section", { class: "desk-panel", "aria-label": "Review" }, parts);
  }

  /**
   * Show a value, in the grid of its list if it has one. Returns the place for a word about where the value stands.
   * @param {Item} item
   * @param {import("./reviewgrid.js").ReviewGrid | null} grid
   * @param {import("./reviewvalue.js").CardActs} acts
   */
  show(item, grid, acts) {
    const where = el("p", { class: "value-where muted" });
    replace(this.card, grid?.element, grid && this.forList, valueCard(item, acts), where);
    grid?.update(item);
    this.card.scrollTop = 0;
    this.approve.hidden = isMissing(item);
    this.absent.className = isMissing(item) ? "primary" : "secondary";
    const state = item.state === "open" ? item.doubt.replace("_", " ") : STATES[item.state];
    this.say(`${item.title}: ${shownValue(item.value)}. ${state}.`);
    return where;
  }

  /** Tell a screen reader. */
  say(/** @type {string} */ text) {
    this.status.textContent = text;
  }

  setBusy(/** @type {boolean} */ busy) {
    this.form.setBusy(busy);
    this.element.setAttribute("aria-busy", String(busy));
  }
}
