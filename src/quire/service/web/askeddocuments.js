// The part of a form that says from which documents: files to send, or documents that were read.

import { getJson } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { DropZone } from "./dropzone.js";
import { filesProblem } from "./extractrequest.js";
import { choice, part } from "./formparts.js";
import { optionFields } from "./uploads.js";
import { ago, count, size } from "./words.js";

const LISTED = 200;

export class AskedDocuments {
  /**
   * `wanted` is the id of a document that was read, which is chosen at first.
   * @param {string | null} wanted
   * @param {{ several?: boolean, about: string }} how
   */
  constructor(wanted, { several = false, about }) {
    /** @type {File[]} */
    this.files = [];
    this.max = Infinity;
    this.wanted = wanted;
    this.several = several;
    const read = several ? "Documents that were read" : "A document that was read";
    this.from = choice("from", { files: "Files", read }, wanted ? "read" : "files", () => this.arrange());
    this.zone = new DropZone((files) => this._add(files), { lead: "Drop documents here", label: about });
    this.list = el("ul", { class: "chosen", "aria-label": "Chosen files" });
    this.options = optionFields();
    this.document = el("select", { id: "document", multiple: several, size: several ? 6 : undefined });
    this.parts = {
      files: part("", el("div", { class: "part" }, this.zone.element, this.list, this.options.element), this.zone.choose),
      document: several ? part("Documents", this.document, this.document, "Several with Ctrl or Shift.") : part("Document", this.document),
    };
    this.elements = [this.from.element, this.parts.files.element, this.parts.document.element];
  }

  close() {
    this.zone.close();
  }

  arrange() {
    const from = this.from.value();
    this.parts.files.element.hidden = from !== "files";
    this.parts.document.element.hidden = from !== "read";
  }

  /** The latest reading of each document, and the one that the address names. */
  async show(/** @type {Api.DocumentSummary[]} */ listed) {
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

  /** What is chosen: files with options, or the ids of documents; null where something is wrong. */
  chosen() {
    if (this.from.value() === "read") {
      const documents = [...this.document.selectedOptions].map((one) => one.value).filter(Boolean);
      if (documents.length) return { documents };
      return this.parts.document.fail(this.document.disabled ? "Nothing was read yet. Choose a file instead." : "Choose at least one document.");
    }
    const problem = filesProblem(this.files, this.max);
    if (problem) return this.parts.files.fail(problem);
    const options = this.options.read();
    return options && { files: this.files, options };
  }

  _add(/** @type {File[]} */ files) {
    this.from.set("files");
    this.arrange();
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
}

/** The documents of the latest runs. */
export const latestDocuments = async () => {
  /** @type {Api.DocumentList} */
  const { documents } = await getJson(`api/documents?limit=${LISTED}`);
  return documents;
};
