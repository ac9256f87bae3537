// The part of a form that says which values are asked for: names of fields, or a JSON Schema.

import { button, el } from "./dom.js";
import { EXAMPLE, fieldsAsked, schemaAsked } from "./extractrequest.js";
import { choice, part } from "./formparts.js";

const LARGEST_SCHEMA = 1 << 20; // of a part of a form that the server takes

export class AskedValues {
  /**
   * `draft` is what `draft()` gave before; `ways` are further ways, whose parts the form has itself.
   * @param {{ by?: string, fields?: string, schema?: string }} draft
   * @param {{ ways?: Record<string, string>, onChange?: (by: string) => void }} about
   */
  constructor(draft, { ways = {}, onChange = () => {} } = {}) {
    this.onChange = onChange;
    const labels = { fields: "Names of fields", schema: "JSON Schema", ...ways };
    this.by = choice("by", labels, Object.hasOwn(labels, draft.by ?? "") ? draft.by : "fields", () => this.arrange());
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
    this.parts = {
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
    };
    this.elements = [this.by.element, this.parts.fields.element, this.parts.schema.element];
  }

  arrange() {
    const by = this.by.value();
    for (const [name, one] of Object.entries(this.parts)) one.element.hidden = by !== name;
    this.onChange(by);
  }

  /** What is asked for, as the API wants it; null where something is wrong, which is said at its place. */
  asked() {
    const by = this.by.value();
    if (!Object.hasOwn(this.parts, by)) return {};
    const said = by === "fields" ? fieldsAsked(this.fields.value) : schemaAsked(this.schema.value);
    return "wrong" in said ? this.parts[by].fail(said.wrong) : said.asked;
  }

  draft() {
    return { by: this.by.value(), fields: this.fields.value, schema: this.schema.value };
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
    this._load(file);
  }

  async _load(/** @type {File} */ file) {
    if (file.size > LARGEST_SCHEMA) return this.parts.schema.fail(`${file.name} is larger than 1 MiB. Is it a JSON Schema?`);
    this.schema.value = await file.text();
    this.parts.schema.clear();
    this.asked();
    this.schema.focus();
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
