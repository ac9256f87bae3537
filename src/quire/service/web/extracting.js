// The screen where an extraction is started: from which documents, which values, and by which model.

import { getJson, onceKey, postJson } from "./api.js";
import { AskedDocuments, latestDocuments } from "./askeddocuments.js";
import { AskedValues } from "./askedvalues.js";
import { el, replace } from "./dom.js";
import { refusalOf } from "./extractrequest.js";
import { part } from "./formparts.js";
import { FormSending } from "./formsending.js";

const DRAFT = "quire-extract"; // of this tab: what was asked for last

export class Extracting {
  constructor(/** @type {HTMLElement} */ main, /** @type {URLSearchParams} */ asked) {
    this.documents = new AskedDocuments(asked.get("document"), { about: "Files to extract from" });
    this.values = new AskedValues(JSON.parse(sessionStorage.getItem(DRAFT) ?? "{}"));
    this.learned = el("select", { id: "learned" });
    this.parts = {
      ...this.documents.parts,
      ...this.values.parts,
      learned: part("Model", this.learned, this.learned, "Learnt from samples on this server."),
      form: part("", el("span", { hidden: true }), null),
    };
    this.sending = new FormSending("Extract", this.parts.form.element);
    replace(
      main,
      el(
        "form",
        { class: "home extracting", novalidate: true, on: { submit: (event) => this._submitted(event) } },
        el("h1", { class: "lead" }, "Extract values"),
        el("fieldset", { class: "step" }, el("legend", {}, "From"), this.documents.elements),
        el("fieldset", { class: "step" }, el("legend", {}, "Values"), this.values.elements, this.parts.learned.element),
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

  /** What there is on the server: documents that were read, and models. */
  async _choices() {
    this.parts.learned.element.hidden = true;
    try {
      /** @type {[Api.ExtractChoices, Api.DocumentSummary[]]} */
      const [choices, listed] = await Promise.all([getJson("api/extract"), latestDocuments()]);
      if (this.closed) return;
      this.documents.max = choices.max_bytes;
      this.parts.learned.element.hidden = !choices.learned.length;
      replace(this.learned, el("option", { value: "" }, "None"), choices.learned.map((name) => el("option", { value: name }, name)));
      await this.documents.show(listed);
    } catch (error) {
      if (!this.closed) this.parts.form.fail(error.message);
    }
  }

  async _submitted(event) {
    event.preventDefault();
    if (this.sending.busy) return;
    for (const one of Object.values(this.parts)) one.clear();
    const [source, values] = [this.documents.chosen(), this.values.asked()];
    if (!source || !values) return this._focusWrong();
    this._remember();
    const asked = { ...values, ...(this.learned.value ? { learned: this.learned.value } : {}) };
    try {
      const run = await this._send(source, asked);
      if (!this.closed) location.hash = `#/extract/${encodeURIComponent(run.id)}`;
    } catch (error) {
      if (!this.closed && error.name !== "AbortError") this._refused(error);
    }
  }

  _send(source, asked) {
    const { files, options, documents } = source;
    if (files) return this.sending.upload("api/extract", files, { extract: asked, options });
    return this.sending.during(() => postJson("api/extract", { document: documents[0], ...asked }, { "Idempotency-Key": onceKey() }));
  }

  /** Say what the server refused where it can be changed: it names the part of the request. */
  _refused(error) {
    const { place, text } = refusalOf(error);
    this.parts[place].fail(text);
    this._focusWrong();
  }

  /** Go to the first thing that is wrong. */
  _focusWrong() {
    Object.values(this.parts).find((one) => one.wrong())?.focus();
  }

  _remember() {
    sessionStorage.setItem(DRAFT, JSON.stringify(this.values.draft()));
  }
}
