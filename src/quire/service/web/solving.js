// The screen where a task is given: over which documents, what is asked for, and who solves and reviews it.

import { getJson, onceKey, postJson } from "./api.js";
import { AskedDocuments, latestDocuments } from "./askeddocuments.js";
import { AskedValues } from "./askedvalues.js";
import { el, replace } from "./dom.js";
import { refusalOf } from "./extractrequest.js";
import { part } from "./formparts.js";
import { FormSending } from "./formsending.js";
import { size } from "./words.js";

const DRAFT = "quire-solve"; // of this tab: what was asked for last
const REVIEWS = { none: "Nobody", queue: "People, later", wait: "People; the run waits for them" };

export class Solving {
  constructor(/** @type {HTMLElement} */ main, /** @type {URLSearchParams} */ asked) {
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "{}");
    this.largest = Infinity;
    this.documents = new AskedDocuments(asked.get("document"), { several: true, about: "Files for the task" });
    this.values = new AskedValues(draft, {
      ways: { template: "Excel template", any: "Any answer" },
      onChange: (by) => (this.parts.template.element.hidden = by !== "template"),
    });
    this.task = el("textarea", { id: "task", rows: "4", placeholder: TASK_EXAMPLE, value: draft.task ?? "" });
    this.template = el("input", { type: "file", id: "template", accept: ".xlsx" });
    this.runner = el("select", { id: "runners" });
    this.reviewer = el("select", { id: "reviewer" });
    this.review = el("select", { id: "review" }, Object.entries(REVIEWS).map(([value, label]) => el("option", { value }, label)));
    this.parts = {
      ...this.documents.parts,
      task: part("Task", this.task, this.task, "What is to be done with the documents, in your words."),
      ...this.values.parts,
      template: part("Excel template", this.template, this.template, "Its named cells and tables say what is asked for, and are filled; formulas are kept."),
      runners: part("Solved by", this.runner),
      reviewer: part("Reviewed by", this.reviewer, this.reviewer, "Besides the checks of every value against the page."),
      review: part("Open values are decided by", this.review),
      form: part("", el("span", { hidden: true }), null),
    };
    this.review.value = Object.hasOwn(REVIEWS, draft.review ?? "") ? draft.review : "none";
    this.sending = new FormSending("Solve", this.parts.form.element);
    replace(
      main,
      el(
        "form",
        { class: "home extracting", novalidate: true, on: { submit: (event) => this._submitted(event) } },
        el("h1", { class: "lead" }, "Solve a task"),
        el("fieldset", { class: "step" }, el("legend", {}, "Documents"), this.documents.elements),
        el("fieldset", { class: "step" }, el("legend", {}, "What to do"), this.parts.task.element, this.values.elements, this.parts.template.element),
        el(
          "fieldset",
          { class: "step" },
          el("legend", {}, "Who"),
          el("div", { class: "solve-who" }, this.parts.runners.element, this.parts.reviewer.element, this.parts.review.element),
        ),
        this.sending.element,
      ),
    );
    this.documents.arrange();
    this.values.arrange();
    this._choices();
  }

  close() {
    this.closed = true;
    this.sending.close();
    this.documents.close();
    this._remember();
  }

  key(event) {
    if (event.key !== "u") return false;
    location.hash = "#/";
    return true;
  }

  /** What there is on the server: documents that were read, and runners. */
  async _choices() {
    try {
      /** @type {[Api.SolveChoices, Api.DocumentSummary[]]} */
      const [choices, listed] = await Promise.all([getJson("api/solve"), latestDocuments()]);
      if (this.closed) return;
      this.documents.max = choices.max_bytes;
      this.largest = choices.max_template_bytes;
      const names = choices.runners.map((one) => one.name);
      const reviewers = choices.runners.filter((one) => one.capabilities.includes("reviews")).map((one) => one.name);
      replace(
        this.runner,
        names.map((name) => el("option", { value: name }, name)),
        names.length > 1 && el("option", { value: names.join(" ") }, `${names.join(", then ")}`),
      );
      replace(this.reviewer, el("option", { value: "" }, "The checks alone"), reviewers.map((name) => el("option", { value: name }, name)));
      await this.documents.show(listed);
    } catch (error) {
      if (!this.closed) this.parts.form.fail(error.message);
    }
  }

  /** The request as the API wants it; null where something is wrong. */
  _asked() {
    const task = this.task.value.trim();
    if (!task) this.parts.task.fail("Say what is to be done with the documents.");
    const values = this.values.asked();
    if (!task || !values) return null;
    const runners = this.runner.value.split(" ").filter(Boolean);
    return { task, ...values, runners, reviewer: this.reviewer.value, review: this.review.value };
  }

  /** The template, where that is the way; null where something is wrong. */
  _template() {
    if (this.values.by.value() !== "template") return {};
    const file = this.template.files?.[0];
    if (!file) return this.parts.template.fail("Choose an Excel workbook to fill.");
    if (file.size > this.largest) return this.parts.template.fail(`${file.name} is ${size(file.size)}, and this server takes templates of ${size(this.largest)}.`);
    return { template: file };
  }

  async _submitted(event) {
    event.preventDefault();
    if (this.sending.busy) return;
    for (const one of Object.values(this.parts)) one.clear();
    const [source, asked, template] = [this.documents.chosen(), this._asked(), this._template()];
    if (!source || !asked || !template) return this._focusWrong();
    this._remember();
    try {
      const run = await this._send(source, asked, template);
      if (!this.closed) location.hash = `#/solve/${encodeURIComponent(run.id)}`;
    } catch (error) {
      if (!this.closed && error.name !== "AbortError") this._refused(error);
    }
  }

  _send(source, asked, template) {
    const { files, options, documents } = source;
    if (files) return this.sending.upload("api/solve", files, { solve: asked, options, ...template });
    const named = { ...asked, documents };
    if ("template" in template) return this.sending.upload("api/solve", [], { solve: named, ...template });
    return this.sending.during(() => postJson("api/solve", named, { "Idempotency-Key": onceKey() }));
  }

  _refused(error) {
    const { place, text } = refusalOf(error);
    const named = /template/.test(error.message) ? "template" : place;
    this.parts[named].fail(text);
    this._focusWrong();
  }

  _focusWrong() {
    Object.values(this.parts).find((one) => one.wrong())?.focus();
  }

  _remember() {
    sessionStorage.setItem(DRAFT, JSON.stringify({ ...this.values.draft(), task: this.task.value, review: this.review.value }));
  }
}

const TASK_EXAMPLE = "Fill in the form from these reports. Amounts are in thousands of euros.";
