// What stands beside the page: tabs about the current page and the document.

import { BlocksTab } from "./blockstab.js";
import { el, replace } from "./dom.js";
import { ReadingTab } from "./readingtab.js";
import { JsonTab, MarkdownTab } from "./sourcetab.js";
import { TablesTab } from "./tablestab.js";
import { TextTab } from "./texttab.js";

const NAMES = { text: "Text", blocks: "Blocks", tables: "Tables", markdown: "Markdown", json: "JSON", reading: "Reading", found: "Found" };

export class Panel {
  constructor(/** @type {DocumentModel} */ model, search) {
    this.model = model;
    this.search = search;
    this.tabs = {
      text: new TextTab(model),
      blocks: new BlocksTab(model),
      tables: new TablesTab(model),
      markdown: new MarkdownTab(model),
      json: new JsonTab(model),
      reading: new ReadingTab(),
      found: { element: search.element, show() {}, select() {} },
    };
    this.buttons = Object.entries(NAMES).map(([name, label]) =>
      el(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": "panel-body",
          hidden: name === "found",
          data: { tab: name },
          on: { click: () => this.choose(name), keydown: (event) => this._key(event) },
        },
        label,
      ),
    );
    this.body = el("div", { class: "panel-body", id: "panel-body", role: "tabpanel", tabIndex: 0 });
    this.element = el(
      "section",
      { class: "panel", "aria-label": "What was read" },
      el("div", { class: "tabs", role: "tablist", "aria-label": "Views of what was read" }, this.buttons),
      this.body,
    );
    this.buttons[0].hidden = model.pages.every((page) => !page.has_image); // its text stands in place of the pages
    model.addEventListener("page", () => this._fill());
    model.addEventListener("select", (/** @type {any} */ { detail }) => this._selected(detail.origin));
    this.name = "";
    this.choose(this._first);
  }

  get _first() {
    return this.buttons[0].hidden ? "blocks" : "text";
  }

  choose(/** @type {string} */ name) {
    if (this.name === name) return;
    this.name = name;
    for (const each of this.buttons) {
      const chosen = each.dataset.tab === name;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
    }
    this.body.setAttribute("aria-labelledby", `tab-${name}`);
    replace(this.body, this.tabs[name].element);
    this.body.scrollTop = 0;
    this._fill();
  }

  chooseAt(index) {
    const names = Object.keys(NAMES);
    if (index < names.length - 1 && !this.buttons[index].hidden) this.choose(names[index]);
  }

  /** Show the tab of the search while there is one. */
  showFound(there) {
    this.buttons[this.buttons.length - 1].hidden = !there;
    if (there) this.choose("found");
    else if (this.name === "found") this.choose(this._first);
  }

  async _fill() {
    const { name, model } = this;
    const page = model.current;
    const tab = this.tabs[name];
    if (name === "tables") {
      tab.show();
      return;
    }
    const patience = setTimeout(
      () => name === this.name && this._page !== page && name !== "found" && replace(this.body, el("div", { class: "skeleton" })),
      200,
    );
    let view;
    try {
      view = await model.view(page);
    } catch (error) {
      clearTimeout(patience);
      if (name === this.name && page === model.current) replace(this.body, el("p", { class: "reason" }, error.message));
      return;
    }
    clearTimeout(patience);
    if (name !== this.name || page !== model.current) return;
    if (this.body.firstChild !== tab.element) replace(this.body, tab.element);
    if (this._page !== page && name !== "found") this.body.scrollTop = 0;
    this._page = page;
    tab.show(view);
  }

  /** A click on the page shows the text of the block, whatever else is open. */
  _selected(/** @type {string} */ origin) {
    if (origin === "page" && !["text", "blocks"].includes(this.name)) this.choose(this._first);
    this.tabs[this.name].select();
  }

  _key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = this.buttons.filter((each) => !each.hidden);
    const next = shown[(shown.findIndex((each) => each.dataset.tab === this.name) + step + shown.length) % shown.length];
    this.choose(next.dataset.tab ?? "");
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
