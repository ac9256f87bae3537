// Which documents are learnt from: the one in work, and at the end all that were decided about.

import { download } from "./api.js";
import { button, el, notify, replace } from "./dom.js";
import { action } from "./reviewtools.js";
import { count } from "./words.js";

export class ReviewSamples {
  /** @type {Api.ReviewSummary} */
  review;

  /** `guarded(work)` runs one thing after the other, `say` tells a screen reader. */
  constructor(session, guarded, say) {
    this.session = session;
    this.guarded = guarded;
    this.say = say;
    this.element = el("button", {
      type: "button", class: "secondary small", "aria-keyshortcuts": "s",
      on: { click: () => this.toggle() },
    });
  }

  show(/** @type {Api.ReviewSummary} */ review) {
    this.review = review;
    this.element.setAttribute("aria-pressed", String(review.sample));
    this.element.title = review.sample && openIn(review) ? lacking(review) : "Learn from what is decided in this document";
    replace(this.element, el("span", {}, review.sample ? "A sample" : "Use as a sample"), el("kbd", {}, "s"));
  }

  toggle() {
    const { review } = this;
    return this.guarded(async () => {
      Object.assign(review, await this.session.mark(review.id, !review.sample));
      this.show(review);
      this.say(`${review.name} is ${review.sample ? "a sample" : "no sample"}.`);
      if (review.sample && openIn(review)) notify(lacking(review));
    });
  }

  /** Mark what was decided about in this session. */
  markAll() {
    return this.guarded(async () => {
      const reviews = this.session.reviews();
      if (!reviews.length) return;
      for (const review of reviews) await this.session.mark(review, true);
      notify(`${count(reviews.length, "document is a sample", "documents are samples")}.`);
    });
  }

  /** The button for that; null if nothing was decided. */
  markAllButton() {
    const decided = this.session.reviews().length;
    const label = decided === 1 ? "Use the document as a sample" : `Use the ${decided} documents as samples`;
    return decided ? action(label, "s", () => this.markAll()) : null;
  }

  /** A button that downloads what was decided about in this session as fixtures; null if nothing was. */
  fixturesButton() {
    const reviews = this.session.reviews();
    const save = () =>
      this.guarded(async () => {
        for (const review of reviews) await download(`api/review/${encodeURIComponent(review)}/fixture`, `${review}.fixture.zip`);
      });
    return reviews.length ? button(reviews.length === 1 ? "Download as fixture" : "Download as fixtures", save, { class: "secondary" }) : null;
  }
}

const openIn = ({ open }) => Object.values(open).reduce((sum, one) => sum + one, 0);
const lacking = (/** @type {Api.ReviewSummary} */ review) =>
  `The sample lacks ${count(openIn(review), "decision")} so far: nothing is learnt of values that are open.`;
