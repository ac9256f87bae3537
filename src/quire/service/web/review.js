// The screen of reviews: what is open, by doubt and by field, the documents, and where to begin.

import { download, getJson, request } from "./api.js";
import { button, el, icon, notify, replace } from "./dom.js";
import { failedPart } from "./failures.js";
import { reviewerName, setReviewerName } from "./reviewer.js";
import { DOUBTS } from "./reviewvalue.js";
import { ago, count } from "./words.js";

const POLL_MS = 10_000;

export class Reviews {
  constructor(/** @type {HTMLElement} */ main) {
    this.chosen = new Set(Object.keys(DOUBTS));
    this.field = "";
    this.run = "";
    this.total = el("p", { class: "muted", role: "status" });
    this.doubts = el("fieldset", { class: "doubts" });
    this.fields = el("select", { id: "review-field", on: { change: (event) => this._filter({ field: event.target.value }) } });
    this.runs = el("select", { id: "review-run", on: { change: (event) => this._filter({ run: event.target.value }) } });
    this.name = el("input", {
      id: "reviewer",
      value: reviewerName(),
      maxlength: "100",
      autocomplete: "name",
      on: { change: (event) => setReviewerName(event.target.value) },
    });
    this.start = button("Start", () => this._start(), { class: "primary" });
    this.list = el("div", { class: "runs" }, el("div", { class: "skeleton row" }));
    replace(
      main,
      el(
        "div",
        { class: "home reviews" },
        el("h1", { class: "lead" }, "Review"),
        el(
          "section",
          { class: "review-start", "aria-label": "What to review" },
          this.doubts,
          el(
            "div",
            { class: "review-fields" },
            labelled("Field", this.fields),
            labelled("Run", this.runs),
            labelled("Your name", this.name),
          ),
          el("div", { class: "review-go" }, this.start, this.total),
        ),
        el(
          "section",
          { "aria-labelledby": "reviews" },
          el(
            "div",
            { class: "review-head" },
            el("h2", { id: "reviews" }, "Documents"),
            button("Samples", () => this._samples(), {
              icon: "download",
              text: "Samples",
              class: "secondary small",
              "aria-label": "Download the samples",
            }),
          ),
          this.list,
        ),
      ),
    );
    this._closed = false;
    this._poll();
  }

  close() {
    this._closed = true;
    clearTimeout(this._timer);
  }

  /** A key outside of fields; says whether it meant something. */
  key(event) {
    if (event.key === "u") location.hash = "#/";
    else if (event.key === "Enter" && !event.target.closest?.("button, a, select")) this._start();
    else return false;
    return true;
  }

  async _poll() {
    await this._load();
    if (!this._closed) this._timer = setTimeout(() => this._poll(), POLL_MS);
  }

  async _load() {
    try {
      /** @type {[Api.ReviewList, Api.ReviewQueueView]} */
      const [listed, queue] = await Promise.all([getJson("api/review?limit=200"), getJson(`api/review/queue?limit=0&${this._query(Object.keys(DOUBTS))}`)]);
      if (this._closed) return;
      this._showQueue(queue);
      this._showRuns(listed.reviews);
      this._showList(listed.reviews);
    } catch (error) {
      if (!this._closed) replace(this.list, failedPart(error.message, () => this._load()));
    }
  }

  _query(/** @type {Iterable<string>} */ doubts = this.chosen) {
    const query = new URLSearchParams();
    for (const doubt of doubts) query.append("doubt", doubt);
    if (this.field) query.set("field", this.field);
    if (this.run) query.set("run", this.run);
    return query;
  }

  _filter(change) {
    Object.assign(this, change);
    this._load();
  }

  _showQueue(queue) {
    const boxes = Object.entries(DOUBTS).map(([doubt, label]) => {
      const toggle = (event) => {
        this.chosen[event.target.checked ? "add" : "delete"](doubt);
        this._showTotal(queue);
      };
      return el(
        "label",
        { class: "check" },
        el("input", { type: "checkbox", checked: this.chosen.has(doubt), on: { change: toggle } }),
        el("span", {}, label),
        el("span", { class: "count" }, String(queue.doubts[doubt] ?? 0)),
      );
    });
    if (this.doubts.contains(document.activeElement))
      this.doubts
        .querySelectorAll(".count")
        .forEach((each, at) => (each.textContent = String(Object.keys(DOUBTS).map((doubt) => queue.doubts[doubt] ?? 0)[at])));
    else replace(this.doubts, el("legend", {}, "In doubt"), boxes);
    options(this.fields, "All fields", Object.entries(queue.fields).map(([field, open]) => [field, `${field} (${open})`]), this.field);
    this._showTotal(queue);
  }

  _showTotal(queue) {
    const open = [...this.chosen].reduce((sum, doubt) => sum + (queue.doubts[doubt] ?? 0), 0);
    this.total.textContent = `${count(open, "value")} to review`;
    this.start.disabled = !this.chosen.size;
  }

  _showRuns(/** @type {Api.ReviewSummary[]} */ reviews) {
    options(this.runs, "All runs", [...new Map(reviews.map((review) => [review.run, `${review.run} (${review.name})`])).entries()], this.run);
  }

  _showList(/** @type {Api.ReviewSummary[]} */ reviews) {
    const shown = JSON.stringify(reviews);
    if (this._shown === shown) return;
    this._shown = shown;
    const rows = reviews.map((review) => this._row(review));
    replace(this.list, rows.length ? rows : empty());
  }

  _row(/** @type {Api.ReviewSummary} */ review) {
    const open = Object.values(review.open).reduce((sum, each) => sum + each, 0);
    const decided = Object.entries(review.states).reduce((sum, [state, each]) => sum + (state === "open" ? 0 : each), 0);
    const facts = [open ? `${open} in doubt` : "Nothing in doubt", `${decided} decided`, ago(review.opened)];
    return el(
      "article",
      { class: "run", data: { review: review.id } },
      el(
        "div",
        { class: "document review-row" },
        el("span", { class: "badge" }, icon(open ? "file" : "check")),
        el(
          "div",
          { class: "about" },
          el("a", { class: "name", href: `#/review/work?review=${encodeURIComponent(review.id)}` }, review.name),
          el("p", { class: "facts" }, facts.join(" · ")),
        ),
        el(
          "div",
          { class: "review-open" },
          Object.entries(review.open).map(([doubt, each]) => el("span", { class: "mark", data: { doubt } }, `${DOUBTS[doubt]} ${each}`)),
        ),
        el(
          "label",
          { class: "check small" },
          el("input", { type: "checkbox", checked: review.sample, on: { change: (event) => this._mark(review, event.target) } }),
          el("span", {}, "Sample"),
        ),
      ),
    );
  }

  async _mark(/** @type {Api.ReviewSummary} */ review, /** @type {HTMLInputElement} */ box) {
    try {
      const asked = box.checked;
      const answer = await request(`api/review/${encodeURIComponent(review.id)}/sample`, {
        method: "PUT",
        body: JSON.stringify({ sample: asked }),
        headers: { "Content-Type": "application/json" },
      });
      box.checked = (await answer.json()).sample;
      if (box.checked !== asked) notify("This server takes every review that has ended as a sample.");
    } catch (error) {
      box.checked = !box.checked;
      notify(error.message, "error");
    }
  }

  _samples() {
    download("api/review/samples", "samples.jsonl").catch((error) => notify(error.message, "error"));
  }

  _start() {
    setReviewerName(this.name.value);
    if (this.chosen.size) location.hash = `#/review/work?${this._query()}`;
  }
}

function labelled(/** @type {string} */ label, field) {
  return el("label", { htmlFor: field.id }, el("span", {}, label), field);
}

function options(select, every, known, chosen) {
  if (select === document.activeElement) return; // not under the fingers of the reader
  replace(select, el("option", { value: "" }, every), known.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  select.value = known.some(([value]) => value === chosen) ? chosen : "";
}

function empty() {
  return el(
    "div",
    { class: "empty" },
    icon("check"),
    el("p", { class: "lead" }, "No extraction waits for a review"),
    el("p", {}, "Extract the fields of a document, and the values that are in doubt appear here, each with its place on the page."),
    el("a", { class: "secondary", href: "#/extract" }, "Extract values"),
  );
}
