// All values of the document in work, in short: what is decided, what is open, and where the reviewer is.

import { getJson } from "./api.js";
import { el, replace } from "./dom.js";
import { DOUBTS, STATES, shownValue } from "./reviewvalue.js";

export class ReviewValues {
  /** `onChoose(part)` is called for a value that is still open. */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.review = "";
    this.items = new Map(); // path -> item
    this.element = el("nav", { class: "desk-values", "aria-label": "Values of this document", hidden: true });
  }

  /** Show the values of a review, with those of the claim in work as they are now. */
  async show(/** @type {string} */ review, claimed, current) {
    for (const item of claimed) if (this.review === review) this.items.set(item.path, item);
    if (this.review !== review) {
      const asked = (this.asked = review);
      /** @type {{ items: Item[] }} */
      const { items } = await getJson(`api/review/${encodeURIComponent(review)}`).catch(() => ({ items: [] }));
      if (this.asked !== asked) return;
      this.review = review;
      this.items = new Map([...items, ...claimed].map((item) => [item.path, item]));
    }
    const parts = Map.groupBy(this.items.values(), (item) => item.part);
    this.element.hidden = parts.size < 2;
    replace(this.element, el("ol", {}, [...parts].map(([part, items]) => el("li", {}, this._row(part, items, part === current.part)))));
    this.element.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  _row(part, /** @type {Item[]} */ items, current) {
    const open = items.filter((item) => item.doubt && item.state === "open");
    const [item] = open.length ? open : items;
    const several = items.length > 1 || item.path !== part;
    const state = open.length ? DOUBTS[item.doubt] : item.state === "open" ? "" : STATES[item.state];
    const shown = [
      el("span", { class: "values-name" }, several ? part : item.title),
      el("span", { class: "values-value" }, several ? `${open.length} of ${items.length} open` : shownValue(item.value)),
      el("span", { class: "values-state" }, state),
    ];
    const about = { class: "values-row", data: { doubt: open.length ? item.doubt : "", state: item.state }, "aria-current": current && "true" };
    if (!open.length || current) return el("div", about, shown);
    return el("button", { type: "button", ...about, on: { click: () => this.onChoose(item) } }, shown);
  }
}
