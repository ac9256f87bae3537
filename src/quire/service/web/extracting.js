// The screen where an extraction is started: from which documents, which values, and by which model.

import { getJson, onceKey, postJson, upload } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { DropZone } from "./dropzone.js";
import { EXAMPLE, fieldsAsked, filesProblem, refusalOf, schemaAsked } from "./extractrequest.js";
import { optionFields } from "./uploads.js";
import { ago, count, size } from "./words.js";

const DRAFT = "quire-extract"; // of this tab: what was asked for last
const LARGEST_SCHEMA = 1 << 20; // of a part of a form that the server takes
const LISTED = 200;

export class Extracting {
  constructor(/** @type {HTMLElement} */ main, /** @type {URLSearchParams} */ asked) {
    /** @type {File[]} */
    this.files = [];
    this.max = Infinity;
    this.wanted = asked.get("document");
    this.stop = /** @type {AbortController | null} */ (null); // of the upload
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "{}");
    this.from = choice("from", { files: "Files", read: "A document that was read" }, this.wanted ? "read" : "files", () => this._arrange());
    this.by = choice("by", { fields: "Names of fields", schema: "JSON Schema" }, draft.by ?? "fields", () => this._arrange());
    this.zone = new DropZone((files) => this._add(files), { lead: "Drop documents here", label: "Files to extract from" });
    this.list = el("ul", { class: "chosen", "aria-label": "Chosen files" });
    this.options = optionFields();
    this.document = el("select", { id: "document" });
    this.fields = el("textarea", { id: "fields", rows: "2", placeholder: EXAMPLE, value: draft.fields ?? "", spellcheck: "false" });
    this.schema = el("textarea", {
      id: "schema",
      rows: "9",
      class: "code",
      placeholder: SCHEMA_EXAMPLE,
      value: draft.schema ?? "",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.schemaFile = el("input", {
      type: "file",
      class: "offscreen",
      id: "schema-file",
      tabIndex: -1,
      accept: ".json,application/json",
      "aria-label": "File with a JSON Schema",
      on: { change: () => this._picked() },
    });
    this.schema.addEventListener("drop", (event) => this._dropped(event));
    this.learned = el("select", { id: "learned" });
    this.parts = {
      files: part("", el("div", { class: "part" }, this.zone.element, this.list, this.options.element), this.zone.choose),
      document: part("Document", this.document),
      fields: part(
        "Fields",
        this.fields,
        this.fields,
        "Separated by commas or on lines of their own. A name is compared with the labels on the page.",
      ),
      schema: part(
        "JSON Schema",
        this.schema,
        this.schema,
        "Types, lists, nested objects, patterns.",
        el(
          "div",
          {},
          button("Load a file", () => this.schemaFile.click(), { class: "secondary small" }),
          this.schemaFile,
        ),
      ),
      learned: part("Model", this.learned, this.learned, "Learnt from samples on this server."),
      form: part("", el("span", { hidden: true }), null),
    };
    this.go = button("Extract", () => {}, { type: "submit", class: "primary" });
    this.stopper = button("Stop", () => this.stop?.abort(), { class: "secondary", hidden: true });
    this.sent = el("progress", { max: 1, value: 0, "aria-label": "Upload", hidden: true });
    replace(
      main,
      el(
        "form",
        { class: "home extracting", novalidate: true, on: { submit: (event) => this._submitted(event) } },
        el("h1", { class: "lead" }, "Extract values"),
        el(
          "fieldset",
          { class: "step" },
          el("legend", {}, "From"),
          this.from.element,
          this.parts.files.element,
          this.parts.document.element,
        ),
        el(
          "fieldset",
          { class: "step" },
          el("legend", {}, "Values"),
          this.by.element,
          this.parts.fields.element,
          this.parts.schema.element,
          this.parts.learned.element,
        ),
        el("div", { class: "extract-go" }, this.go, this.stopper, this.sent, this.parts.form.element),
      ),
    );
    this._arrange();
    this._choices();
  }

  close() {
    this.closed = true;
    this.stop?.abort();
    this.zone.close();
    this._remember();
  }

  key(event) {
    if (event.key !== "u") return false;
    location.hash = "#/";
    return true;
  }

  _arrange() {
    const [from, by] = [this.from.value(), this.by.value()];
    this.parts.files.element.hidden = from !== "files";
    this.parts.document.element.hidden = from !== "read";
    this.parts.fields.element.hidden = by !== "fields";
    this.parts.schema.element.hidden = by !== "schema";
  }

  /** What there is on the server: documents that were read, and models. */
  async _choices() {
    this.parts.learned.element.hidden = true;
    try {
      /** @type {[Api.ExtractChoices, Api.DocumentList]} */
      const [choices, listed] = await Promise.all([getJson("api/extract"), getJson(`api/documents?limit=${LISTED}`)]);
      if (this.closed) return;
      this.max = choices.max_bytes;
      this.parts.learned.element.hidden = !choices.learned.length;
      replace(this.learned, el("option", { value: "" }, "None"), choices.learned.map((name) => el("option", { value: name }, name)));
      await this._documents(listed.documents);
    } catch (error) {
      if (!this.closed) this.parts.form.fail(error.message);
    }
  }

  /** The latest reading of each document, and the one that the address names. */
  async _documents(listed) {
    const known = new Map();
    for (const one of listed) if (one.ledger && !known.has(one.sha256)) known.set(one.sha256, one);
    let named = this.wanted && listed.find((one) => one.id === this.wanted);
    if (this.wanted && !named)
      named = await getJson(`api/documents/${encodeURIComponent(this.wanted)}`).catch((error) =>
        this.parts.document.fail(`${error.message}. Choose another one, or a file.`),
      );
    if (named) known.set(named.sha256, named);
    const options = [...known.values()].map((one) =>
      el("option", { value: one.id }, `${one.name} · ${count(one.ledger?.pages ?? 0, "page")} · ${ago(one.submitted)}`),
    );
    replace(this.document, options.length ? options : el("option", { value: "" }, "Nothing was read yet"));
    this.document.disabled = !options.length;
    if (named) this.document.value = named.id;
  }

  _add(/** @type {File[]} */ files) {
    this.from.set("files");
    this._arrange();
    this.files.push(...files);
    this.parts.files.clear();
    this._showFiles();
  }

  _showFiles() {
    const remove = (at) => () => {
      this.files.splice(at, 1);
      this.parts.files.clear();
      this._showFiles();
      (this.list.querySelectorAll("button")[Math.min(at, this.files.length - 1)] ?? this.zone.choose).focus();
    };
    replace(
      this.list,
      this.files.map((file, at) =>
        el(
          "li",
          {},
          icon("file"),
          el("span", { class: "name" }, file.name),
          el("span", { class: "muted" }, size(file.size)),
          button(`Remove ${file.name}`, remove(at), { icon: "close", class: "quiet" }),
        ),
      ),
    );
  }

  _picked() {
    const file = this.schemaFile.files?.[0];
    if (file) this._load(file);
    this.schemaFile.value = "";
  }

  /** A file that is dropped on the schema is one, and no document. */
  _dropped(event) {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    event.stopPropagation();
    this.zone.element.classList.remove("over");
    this._load(file);
  }

  async _load(/** @type {File} */ file) {
    if (file.size > LARGEST_SCHEMA) return this.parts.schema.fail(`${file.name} is larger than 1 MiB. Is it a JSON Schema?`);
    this.schema.value = await file.text();
    this.parts.schema.clear();
    this._asked();
    this.schema.focus();
  }

  /** What is asked for, as the API wants it; null where something is wrong, which is said at its place. */
  _asked() {
    const by = this.by.value();
    const said = by === "fields" ? fieldsAsked(this.fields.value) : schemaAsked(this.schema.value);
    if ("wrong" in said) return this.parts[by].fail(said.wrong);
    return { ...said.asked, ...(this.learned.value ? { learned: this.learned.value } : {}) };
  }

  /** Where the values come from; null where something is wrong. */
  _source() {
    if (this.from.value() === "read") {
      const document = this.document.value;
      return document ? { document } : this.parts.document.fail("Nothing was read yet. Choose a file instead.");
    }
    const problem = filesProblem(this.files, this.max);
    if (problem) return this.parts.files.fail(problem);
    const options = this.options.read();
    return options && { files: this.files, options };
  }

  async _submitted(event) {
    event.preventDefault();
    if (this.stop) return;
    for (const one of Object.values(this.parts)) one.clear();
    const [source, asked] = [this._source(), this._asked()];
    if (!source || !asked) return this._focusWrong();
    this._remember();
    const stop = new AbortController();
    this._sending(stop);
    try {
      const run = await this._send(source, asked, stop.signal);
      if (!this.closed) location.hash = `#/extract/${encodeURIComponent(run.id)}`;
    } catch (error) {
      if (!this.closed && error.name !== "AbortError") this._refused(error);
    } finally {
      this._sending(null);
    }
  }

  _send(source, asked, /** @type {AbortSignal} */ signal) {
    const { files, options, document } = source;
    if (document) return postJson("api/extract", { document, ...asked }, { "Idempotency-Key": onceKey() });
    return upload("api/extract", files, { extract: asked, options }, { once: onceKey(), signal, onProgress: (part) => (this.sent.value = part) });
  }

  _sending(/** @type {AbortController | null} */ stop) {
    this.stop = stop;
    this.go.disabled = stop !== null;
    const uploads = stop && this.from.value() === "files";
    this.stopper.hidden = this.sent.hidden = !uploads;
    this.sent.value = 0;
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
    sessionStorage.setItem(DRAFT, JSON.stringify({ by: this.by.value(), fields: this.fields.value, schema: this.schema.value }));
  }
}

const SCHEMA_EXAMPLE = `{
  "type": "object",
  "properties": {
    "invoice_number": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "total": {"type": "number"}
  }
}`;

/**
 * A field with its label, what it is about, and what is wrong with it.
 * @param {string} label
 * @param {HTMLElement} content
 * @param {HTMLElement | null} control
 * @param {string} about
 * @param {HTMLElement | null} more
 */
function part(label, content, control = content, about = "", more = null) {
  const id = control?.id || `part-${Math.random().toString(36).slice(2)}`;
  const wrong = el("p", { class: "wrong", id: `${id}-wrong`, role: "alert" });
  const note = about && el("p", { class: "muted about-field", id: `${id}-about` }, about);
  const described = `${note ? `${id}-about ` : ""}${id}-wrong`;
  control?.setAttribute("aria-describedby", described);
  const element = el("div", { class: "field" }, label && control && el("label", { htmlFor: control.id }, label), content, note, more, wrong);
  const invalid = (is) => control && control.tagName !== "BUTTON" && control.setAttribute("aria-invalid", String(is));
  return {
    element,
    wrong: () => Boolean(wrong.textContent),
    focus: () => control?.focus(),
    clear: () => {
      wrong.replaceChildren();
      invalid(false);
    },
    fail: (message) => {
      replace(wrong, icon("alert"), el("span", {}, message));
      invalid(true);
      return null;
    },
  };
}

/** Two or more ways, as radio buttons side by side. */
function choice(/** @type {string} */ name, labels, chosen, onChange) {
  const inputs = Object.keys(labels).map((value) => el("input", { type: "radio", name, value, checked: value === chosen, on: { change: onChange } }));
  return {
    element: el("div", { class: "ways" }, inputs.map((input) => el("label", { class: "way" }, input, el("span", {}, labels[input.value])))),
    value: () => inputs.find((input) => input.checked)?.value ?? Object.keys(labels)[0],
    set: (value) => inputs.forEach((input) => (input.checked = input.value === value)),
  };
}
