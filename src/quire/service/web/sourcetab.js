// Long plain texts: the Markdown of the document, the JSON of the page.

import { download, getText } from "./api.js";
import { button, copyText, el, notify, replace } from "./dom.js";

const FURNITURE = new Set(["header", "footer", "page_number"]); // not in the Markdown
const EARLIER = 4;
const LINES = 200; // per element: the browser lays out only those in sight

/** The Markdown of the whole document, at the place of the current page. */
export class MarkdownTab {
  /** @type {{ begin: number, text: string }[]} */
  chunks = [];
  text = "";

  constructor(/** @type {DocumentModel} */ model) {
    this.model = model;
    this.source = el("div", { class: "source", tabIndex: 0, role: "group", "aria-label": "Markdown" });
    this.element = el(
      "div",
      {},
      el(
        "div",
        { class: "actions" },
        button("Copy", async () => copyText(await this._load(), "Markdown"), { icon: "copy", text: "Copy", class: "secondary small" }),
        saving(model, "md", "Download"),
      ),
      this.source,
    );
  }

  async show(/** @type {Api.PageView} */ view) {
    try {
      if (!this._loaded) {
        replace(this.source, el("div", { class: "skeleton" }));
        this.text = await this._load();
        this._loaded = true;
        this.chunks = chunksOf(this.text);
        replace(this.source, this.chunks.map((chunk) => el("pre", {}, chunk.text)));
        if (!this.text.trim()) replace(this.source, el("p", { class: "muted" }, "There is no text in this document."));
      }
      await this._goTo(view);
    } catch (error) {
      replace(this.source, el("p", { class: "reason" }, error.message));
    }
  }

  select() {}

  _load() {
    return getText(this.model.path("/exports/md"));
  }

  /** Scroll to the page: a table may have begun on an earlier one. */
  async _goTo(/** @type {Api.PageView} */ view) {
    const { number } = view.page;
    for (let at = this.model.at(number); at >= 0 && at > this.model.at(number) - EARLIER; at--) {
      const earlier = this.model.pages[at].number;
      const found = this._find(earlier === number ? view : await this.model.view(earlier));
      if (this.model.current !== number) return;
      if (found) {
        this._scrollTo(found);
        return;
      }
    }
  }

  /** Where the first block of a page is that the text has exactly once. */
  _find(/** @type {Api.PageView} */ view) {
    for (const block of view.blocks) {
      const begin = block.text.split("\n")[0].slice(0, 60);
      const at = begin.length < 12 || FURNITURE.has(block.kind) ? -1 : this.text.indexOf(begin);
      if (at >= 0 && this.text.indexOf(begin, at + 1) < 0) return { at, length: begin.length };
    }
    return null;
  }

  _scrollTo({ at, length }) {
    const index = this.chunks.findLastIndex((chunk) => chunk.begin <= at);
    const node = /** @type {Text} */ (this.source.children[index].firstChild);
    const start = at - this.chunks[index].begin;
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, Math.min(start + length, node.length));
    const scroller = this.element.closest(".panel-body");
    if (scroller) scroller.scrollTop += range.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 60;
  }
}

/** The JSON of the current page, as the API gives it. */
export class JsonTab {
  constructor(/** @type {DocumentModel} */ model) {
    this.source = el("div", { class: "source", tabIndex: 0, role: "group", "aria-label": "JSON of the page" });
    this.text = "";
    this.element = el(
      "div",
      {},
      el(
        "div",
        { class: "actions" },
        button("Copy", () => copyText(this.text, "JSON"), { icon: "copy", text: "Copy", class: "secondary small" }),
        saving(model, "json", "Whole document"),
      ),
      this.source,
    );
  }

  show(/** @type {Api.PageView} */ view) {
    this.text = JSON.stringify(view, null, 2);
    replace(this.source, chunksOf(this.text).map((chunk) => el("pre", {}, chunk.text)));
  }

  select() {}
}

function saving(/** @type {DocumentModel} */ model, format, /** @type {string} */ label) {
  return button(label, () => download(model.path(`/exports/${format}`), `document.${format}`).catch((error) => notify(error.message, "error")), {
    icon: "download", text: label, class: "secondary small",
  });
}

function chunksOf(/** @type {string} */ text) {
  const chunks = [];
  const lines = text.split("\n");
  let begin = 0;
  for (let at = 0; at < lines.length; at += LINES) {
    const some = lines.slice(at, at + LINES).join("\n");
    chunks.push({ begin, text: some });
    begin += some.length + 1;
  }
  return chunks;
}
