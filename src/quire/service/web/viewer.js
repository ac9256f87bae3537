// The screen of a document: its pages with boxes, what was read beside them; its progress while it is being read.

import { download, getJson, request } from "./api.js";
import { button, el, icon, menu, notify, replace } from "./dom.js";
import { failedView } from "./failures.js";
import { Filmstrip } from "./filmstrip.js";
import { fillFilters } from "./filters.js";
import { DocumentModel } from "./model.js";
import { Panel } from "./panel.js";
import { RunProgress } from "./progress.js";
import { Search } from "./searching.js";
import { Sheets } from "./sheets.js";
import { ADVICE, STATES, adviceFor, count, isActive } from "./words.js";

const EXPORTS = {
  md: "Markdown", html: "HTML", txt: "Text", json: "JSON", docling: "DoclingDocument", xlsx: "Tables as Excel", csv: "Tables as CSV", pdf: "Searchable PDF",
};
const ZOOM_STEP = 1.25;

export class Viewer {
  /** @type {DocumentModel} */
  model;
  /** @type {Search} */
  search;
  /** @type {Sheets} */
  sheets;
  /** @type {Filmstrip} */
  film;
  /** @type {Panel} */
  panel;
  /** @type {HTMLElement} */
  root;
  /** @type {ReturnType<typeof menu>} */
  filters;
  /** @type {{ close(): void }[]} */
  parts = [];

  constructor(/** @type {HTMLElement} */ main, /** @type {HTMLElement} */ barPlace, /** @type {string} */ id, /** @type {URLSearchParams} */ asked) {
    this.main = main;
    this.barPlace = barPlace;
    this.id = id;
    this.closed = false;
    replace(main, el("div", { class: "viewer waiting" }, el("div", { class: "skeleton page" })));
    this._open(asked);
  }

  close() {
    this.closed = true;
    for (const part of this.parts) part.close();
    this.parts = [];
  }

  /** The address has changed, to another page or block of this document. */
  arrive(/** @type {URLSearchParams} */ asked) {
    const page = Number(asked.get("page"));
    if (this.model && page && page !== this.model.current) this.model.setCurrent(page, "address");
    if (this.model && asked.get("block")) this.model.select({ block: asked.get("block"), page: page || this.model.current }, "address");
  }

  async _open(/** @type {URLSearchParams} */ asked) {
    try {
      /** @type {Api.DocumentDetail} */
      const detail = await getJson(`api/documents/${encodeURIComponent(this.id)}`);
      if (this.closed) return;
      document.title = `${detail.name} · Quire`;
      if (detail.page_list.length) this._show(detail, asked);
      else if (isActive(detail.state)) this._wait(detail, asked);
      else this._fail(detail.name, detail.error ?? STATES[detail.state], adviceFor(detail));
    } catch (error) {
      if (!this.closed)
        this._fail(
          "This document cannot be shown",
          error.message,
          error.status === 404 ? "It may have been deleted from the store. Read the file again." : ADVICE[error.category],
        );
    }
  }

  _fail(/** @type {string} */ title, reason, advice) {
    replace(this.barPlace);
    replace(this.main, failedView(title, reason, advice, { href: "#/", label: "All documents" }));
  }

  /** The document is being read: the state of each page, as it changes. */
  _wait(/** @type {Api.DocumentDetail} */ detail, /** @type {URLSearchParams} */ asked) {
    const lead = el("p", { class: "lead" }, STATES[detail.state]);
    const doing = el("p", { class: "muted" });
    const bar = el("progress", { max: 1, "aria-label": "Pages that are read" });
    const film = new Filmstrip([]);
    const stop = button("Cancel", () => this._cancel(detail.run), { class: "secondary" });
    const name = el("h1", { class: "document-name", title: detail.name }, detail.name);
    replace(this.barPlace, el("div", { class: "document-heading" }, backToDocuments(), name));
    replace(this.main, el("div", { class: "viewer reading-now" }, film.element, el("div", { class: "waiting-card", role: "status" }, lead, bar, doing, stop)));
    const progress = new RunProgress(detail.run, {
      onChange: () => {
        const tally = progress.of(detail.sha256);
        if (!tally?.total) return;
        const done = tally.count("done");
        const failed = tally.count("failed");
        lead.textContent = `${done} of ${count(tally.total, "page")}${failed ? `, ${failed} failed` : ""}`;
        doing.textContent = progress.connected ? progress.doing : "Connecting again…";
        bar.max = tally.total;
        bar.value = done + failed;
        film.setPages(progressPages(tally));
      },
      onEnd: () => {
        this.close();
        this.closed = false;
        this._open(asked);
      },
    });
    this.parts = [film, { close: () => progress.stop() }];
  }

  async _cancel(/** @type {string} */ run) {
    try {
      await request(`api/runs/${encodeURIComponent(run)}`, { method: "DELETE" });
      notify("The run is cancelled. What was read is kept.");
    } catch (error) {
      notify(error.message, "error");
    }
  }

  _show(/** @type {Api.DocumentDetail} */ detail, /** @type {URLSearchParams} */ asked) {
    const model = (this.model = new DocumentModel(detail));
    this.search = new Search(model, (there) => this.panel.showFound(there));
    this.sheets = new Sheets(model);
    this.film = new Filmstrip(model.pages, { model, onPage: (page) => model.setCurrent(page, "film") });
    this.panel = new Panel(model, this.search);
    this.parts = [this.sheets, this.film, model.crops];
    this.root = el(
      "div",
      { class: "viewer" },
      this.film.element,
      el("div", { class: "stage" }, this._tools(), this.sheets.element),
      this._splitter(),
      this.panel.element,
    );
    replace(
      this.barPlace,
      this._heading(detail),
      this.search.field,
      el(
        "a",
        { class: "secondary extract-from", href: `#/extract?document=${encodeURIComponent(this.id)}`, "aria-label": "Extract values" },
        icon("spark"),
        el("span", {}, "Extract values"),
      ),
      this._exports(),
    );
    replace(this.main, this.root);
    model.addEventListener("page", () => this._remember());
    model.addEventListener("select", () => this._remember());
    this.sheets.resize();
    this.film.draw();
    this.arrive(asked);
  }

  _heading(/** @type {Api.DocumentDetail} */ detail) {
    const { ledger } = detail;
    const facts = [count(ledger?.pages ?? detail.page_list.length, "page")];
    if (ledger?.empty) facts.push(`${ledger.empty} empty`);
    return el(
      "div",
      { class: "document-heading" },
      backToDocuments(),
      el("h1", { class: "document-name", title: detail.name }, detail.name),
      el("p", { class: "muted" }, facts.join(" · ")),
      ledger &&
        ledger.failed > 0 &&
        button(`${count(ledger.failed, "page")} failed`, () => this._nextFailed(), {
          class: "warn small",
          title: "Go to the next page that failed",
        }),
    );
  }

  _exports() {
    const save = (format, close) => () => {
      close();
      download(this.model.path(`/exports/${format}`), `document.${format}`).catch((error) => notify(error.message, "error"));
    };
    return menu(
      "Download",
      (panel, close) =>
        replace(
          panel,
          Object.entries(EXPORTS).map(([format, label]) =>
            el("button", { type: "button", class: "menu-item", on: { click: save(format, close) } }, label),
          ),
        ),
      { icon: "download", text: "Download", class: "secondary exports" },
    );
  }

  _tools() {
    const { model } = this;
    const page = el("input", {
      type: "number",
      id: "page",
      class: "page-field",
      min: String(model.pages[0].number),
      max: String(model.last),
      value: String(model.current),
      "aria-label": "Page",
      on: {
        change: (event) =>
          model.at(Number(event.target.value)) < 0
            ? (event.target.value = model.current)
            : model.setCurrent(Number(event.target.value), "field"),
      },
    });
    model.addEventListener("page", () => (page.value = String(model.current)));
    const toggle = (label, what, drawing) => {
      const made = button(label, () => model.toggle(what), { icon: drawing, text: label, class: "tool toggle", "aria-pressed": String(model[what]) });
      model.addEventListener("show", () => made.setAttribute("aria-pressed", String(model[what])));
      return made;
    };
    this.filters = menu("Filter", (panel) => fillFilters(panel, model), { icon: "filter", text: "Filter", class: "tool" });
    this.filters.classList.add("filters");
    model.addEventListener("filter", () => this.filters.opener.classList.toggle("on", model.filtered));
    model.addEventListener("page", () => this.filters.refill());
    return el(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Pages and boxes" },
      el(
        "div",
        { class: "tool-group" },
        button("Previous page", () => this._step(-1), { icon: "back", class: "tool" }),
        page,
        el("span", { class: "muted of" }, `of ${model.last}`),
        button("Next page", () => this._step(1), { icon: "next", class: "tool" }),
      ),
      el(
        "div",
        { class: "tool-group zooms" },
        button("Smaller", () => this._zoom(1 / ZOOM_STEP), { icon: "minus", class: "tool" }),
        button("Fit the page", () => this.sheets.fitPage(), { icon: "fit", class: "tool" }),
        button("Larger", () => this._zoom(ZOOM_STEP), { icon: "plus", class: "tool" }),
      ),
      el("div", { class: "tool-group" }, toggle("Boxes", "boxes", "boxes"), toggle("Words", "words", "words"), this.filters),
      el("div", { class: "tool-group end" }, button("Panel", () => this._togglePanel(), { icon: "panel", class: "tool" })),
    );
  }

  /** Between the pages and the panel: dragged, or moved with the arrow keys. */
  _splitter() {
    const set = (width) => {
      const part = Math.min(Math.max(width / innerWidth, 0.2), 0.6);
      this.root.style.setProperty("--panel", `${Math.round(part * innerWidth)}px`);
      splitter.setAttribute("aria-valuenow", String(Math.round(100 * part)));
    };
    const move = (event) => set(innerWidth - event.clientX);
    const splitter = el("div", {
      class: "splitter",
      role: "separator",
      "aria-orientation": "vertical",
      "aria-label": "Width of the panel",
      "aria-valuenow": "34",
      "aria-valuemin": "20",
      "aria-valuemax": "60",
      tabIndex: 0,
      on: {
        pointerdown: (event) => {
          event.target.setPointerCapture(event.pointerId);
          event.target.addEventListener("pointermove", move);
        },
        pointerup: (event) => event.target.removeEventListener("pointermove", move),
        keydown: (event) => {
          const by = { ArrowLeft: 40, ArrowRight: -40 }[event.key];
          if (!by) return;
          set(this.panel.element.offsetWidth + by);
          event.preventDefault();
          event.stopPropagation();
        },
      },
    });
    return splitter;
  }

  _togglePanel() {
    this.root.classList.toggle("without-panel");
  }

  _zoom(/** @type {number} */ by) {
    this.sheets.setZoom(this.sheets.zoom * by);
  }

  _step(/** @type {number} */ by) {
    const { model } = this;
    const next = model.pages[model.at(model.current) + by];
    if (next) model.setCurrent(next.number, "step");
  }

  _nextFailed() {
    const { model } = this;
    const failed = model.pages.filter((page) => page.status === "failed");
    const next = failed.find((page) => page.number > model.current) ?? failed[0];
    if (next) model.setCurrent(next.number, "step");
    this.panel.choose("reading");
  }

  /** The address names the place, so that it can be shared and survives a reload. */
  _remember() {
    const { model } = this;
    const block = model.selected?.page === model.current ? `&block=${encodeURIComponent(model.selected.block)}` : "";
    history.replaceState(null, "", `#/documents/${encodeURIComponent(this.id)}?page=${model.current}${block}`);
  }

  async _stepBlock(/** @type {number} */ by) {
    const { model } = this;
    const view = await model.view(model.current).catch(() => null);
    const shown = (view?.blocks ?? []).filter((block) => model.shows(block));
    const at = shown.findIndex((block) => block.id === model.selected?.block);
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (next) model.select({ block: next.id, page: model.current }, "key");
    else this._step(by);
  }

  /** A key outside of fields; says whether it meant something. */
  key(event) {
    if (event.key === "u") location.hash = "#/";
    else if (this.model) return this._modelKey(event);
    else return false;
    return true;
  }

  _modelKey({ key, target }) {
    const { model } = this;
    if (/^(Arrow|Home|End)/.test(key) && target.closest?.("[role=tablist], .menu-panel")) return false;
    if (/^(Page|ArrowUp|ArrowDown)/.test(key) && target !== document.body) return false; // what has the focus scrolls
    const acts = {
      ArrowLeft: () => this._step(-1),
      ArrowRight: () => this._step(1),
      Home: () => model.setCurrent(model.pages[0].number, "key"),
      PageUp: () => this.sheets.scrollBy(-0.9),
      PageDown: () => this.sheets.scrollBy(0.9),
      ArrowUp: () => this.sheets.scrollBy(-0.1),
      ArrowDown: () => this.sheets.scrollBy(0.1),
      End: () => model.setCurrent(model.last, "key"),
      j: () => this._stepBlock(1),
      k: () => this._stepBlock(-1),
      "+": () => this._zoom(ZOOM_STEP),
      "=": () => this._zoom(ZOOM_STEP),
      "-": () => this._zoom(1 / ZOOM_STEP),
      0: () => this.sheets.setZoom(1),
      b: () => model.toggle("boxes"),
      w: () => model.toggle("words"),
      f: () => this.filters.open(),
      "/": () => this.search.focus(),
      n: () => this.search.step(1),
      N: () => this.search.step(-1),
      p: () => this._togglePanel(),
      Escape: () => model.select(null, "key"),
    };
    if (/^[1-6]$/.test(key)) this.panel.chooseAt(Number(key) - 1);
    else if (Object.hasOwn(acts, key)) acts[key]();
    else return false;
    return true;
  }
}

const backToDocuments = () =>
  el("a", { class: "back", href: "#/", title: "All documents (u)", "aria-label": "Documents" }, icon("back"), el("span", {}, "Documents"));

/** All pages of a document that is being read, for the filmstrip. */
function progressPages(/** @type {PageProgress} */ tally) {
  const known = [...tally.pages.keys()].sort((one, other) => one - other);
  const first = known.length === tally.total ? known : Array.from({ length: Math.max(tally.total, known.at(-1) ?? 0) }, (_, at) => at + 1);
  return first.map((number) => ({ number, status: tally.pages.get(number) ?? "waiting", reason: tally.reasons.get(number) ?? null, has_image: false }));
}

