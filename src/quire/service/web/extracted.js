// The screen of an extraction: its progress, then the values of each document beside their pages.

import { download, getJson, postJson, request } from "./api.js";
import { Crops } from "./crops.js";
import { describe, documentStatus } from "./documentrow.js";
import { button, el, first, menu, notify, replace } from "./dom.js";
import { failedPart, failedView } from "./failures.js";
import { DocumentModel } from "./model.js";
import { RunProgress } from "./progress.js";
import { ZOOM_STEP, pageTools } from "./reviewtools.js";
import { Sheets } from "./sheets.js";
import { ValueList, itemsOf } from "./valuelist.js";
import { ADVICE, STATES, count, isActive } from "./words.js";

const REPORTS = { json: "JSON", csv: "CSV", xlsx: "Excel", html: "HTML report" };

export class Extracted {
  /** @type {Api.Run} */
  run;
  /** @type {DocumentModel} */
  model;
  /** @type {Sheets} */
  sheets;
  /** @type {ValueList} */
  values;
  /** @type {RunProgress | null} */
  progress = null;

  constructor(/** @type {HTMLElement} */ main, /** @type {HTMLElement} */ barPlace, /** @type {string} */ id, /** @type {URLSearchParams} */ asked) {
    this.main = main;
    this.barPlace = barPlace;
    this.id = id;
    this.number = Number(asked.get("document")) || 1;
    this.path = asked.get("value");
    this.crops = new Crops();
    this.shown = /** @type {string | null} */ (null); // the id of the document whose values are shown
    this.closed = false;
    this.documents = el("select", {
      id: "documents",
      "aria-label": "Document",
      hidden: true,
      on: { change: () => this._choose(Number(this.documents.value)) },
    });
    this.body = el("div", { class: "desk-card", tabIndex: 0, role: "region", "aria-label": "Values" }, el("div", { class: "skeleton" }));
    this.actions = el("div", { class: "desk-actions", role: "toolbar", "aria-label": "What to do with the values", hidden: true });
    this.panel = el("section", { class: "desk-panel", "aria-label": "Extraction" }, this.documents, this.actions, this.body);
    this.stage = el("div", { class: "stage", hidden: true });
    this.desk = el("div", { class: "desk alone" }, this.panel, this.stage);
    replace(main, this.desk);
    this._load();
  }

  close() {
    this.closed = true;
    this.progress?.stop();
    this.sheets?.close();
    this.crops.close();
  }

  /** The address has changed, to another document or value of this run. */
  arrive(/** @type {URLSearchParams} */ asked) {
    this.path = asked.get("value");
    const number = Number(asked.get("document")) || 1;
    if (number !== this.number) this._choose(number);
    else if (this.path) this.values?.choose(this.path);
  }

  async _load() {
    try {
      /** @type {Api.Run} */
      const run = await getJson(`api/runs/${encodeURIComponent(this.id)}`);
      if (this.closed) return;
      if (run.type !== "extract") return this._fail("No values were asked for", "This run only reads documents.", "Extract from one of them.");
      this._show(run);
      if (isActive(run.state)) this._follow();
    } catch (error) {
      if (!this.closed)
        this._fail(
          "This extraction cannot be shown",
          error.message,
          error.status === 404 ? "It may have been deleted. Extract the values again." : ADVICE[error.category],
        );
    }
  }

  _follow() {
    if (this.progress) return;
    this.progress = new RunProgress(this.id, { onChange: () => this._progressed(), onDocument: () => this._load(), onEnd: () => this._ended() });
  }

  _progressed() {
    for (const one of this.run.documents) if (one.state === "waiting" && this.progress?.of(one.sha256)) one.state = "running";
    this._show(this.run);
  }

  _ended() {
    this.progress = null;
    if (!this.closed) this._load();
  }

  _fail(/** @type {string} */ title, reason, advice) {
    replace(this.barPlace);
    replace(this.main, failedView(title, reason, advice, { href: "#/extract", label: "Extract values" }));
  }

  _show(/** @type {Api.Run} */ run) {
    this.run = run;
    this.number = Math.min(this.number, run.documents.length);
    const chosen = run.documents[this.number - 1];
    this._showDocuments(run);
    if (chosen.extraction) {
      if (this.shown !== chosen.id) this._open(chosen);
      return;
    }
    this.shown = null;
    this._heading(chosen);
    this.desk.classList.add("alone");
    this.stage.hidden = this.actions.hidden = true;
    const row = documentStatus(describe(chosen, run, this.progress), run, () => this._cancel());
    const state = row.textContent;
    if (this.body.dataset.shown === state) return;
    const focused = this.body.contains(document.activeElement);
    this.body.dataset.shown = state;
    replace(
      this.body,
      el("div", { class: "run", role: "status" }, row),
      !isActive(chosen.state) && el("a", { class: "secondary", href: "#/extract" }, "Extract again"),
    );
    if (focused) first(this.body, "button, a")?.focus();
  }

  _showDocuments(/** @type {Api.Run} */ run) {
    this.documents.hidden = run.documents.length < 2;
    if (this.documents.hidden) return;
    const labels = run.documents.map((one, at) => `${at + 1}. ${one.name} · ${one.extraction ? "values extracted" : STATES[one.state]}`);
    if (this.documents.options.length !== labels.length) replace(this.documents, labels.map((label, at) => el("option", { value: String(at + 1) }, label)));
    labels.forEach((label, at) => (this.documents.options[at].textContent = label));
    this.documents.value = String(this.number);
  }

  _heading(/** @type {Api.DocumentSummary} */ one) {
    document.title = `Values · ${one.name} · Quire`;
    replace(
      this.barPlace,
      el(
        "div",
        { class: "document-heading" },
        el("h1", { class: "document-name", title: one.name }, one.name),
        one.extraction && el("a", { class: "muted", href: `#/documents/${encodeURIComponent(one.id)}` }, "document"),
      ),
    );
  }

  _choose(/** @type {number} */ number) {
    this.number = number;
    this._show(this.run);
    this._remember();
  }

  async _open(/** @type {Api.DocumentSummary} */ one) {
    this.shown = one.id;
    delete this.body.dataset.shown;
    this._heading(one);
    try {
      /** @type {[Api.Extraction, Api.DocumentDetail]} */
      const [extraction, detail] = await Promise.all([getJson(extractionOf(one)), getJson(`api/documents/${encodeURIComponent(one.id)}`)]);
      if (this.closed || this.shown !== one.id) return;
      this._showPages(new DocumentModel(detail));
      this._showValues(one, extraction);
    } catch (error) {
      if (this.closed || this.shown !== one.id) return;
      this.shown = null;
      replace(this.body, failedPart(error.message, () => this._load()));
    }
  }

  _showPages(/** @type {DocumentModel} */ model) {
    this.sheets?.close();
    this.model = model;
    model.boxes = false;
    this.sheets = new Sheets(model);
    this.desk.classList.remove("alone");
    this.stage.hidden = false;
    replace(
      this.stage,
      pageTools(model, { step: (by) => this._step(by), zoom: (by) => this._zoom(by), fit: () => this.sheets.fitPage() }),
      this.sheets.element,
    );
    this.sheets.resize();
  }

  _showValues(/** @type {Api.DocumentSummary} */ one, /** @type {Api.Extraction} */ extraction) {
    const items = itemsOf(extraction);
    const { leaves, found, sure, not_found } = extraction.coverage;
    const summary = [
      `${found} of ${count(leaves, "value")} at their place`,
      `${sure} sure`,
      not_found && `${not_found} not found`,
      extraction.conflicts.length && count(extraction.conflicts.length, "conflict"),
    ];
    this.values = new ValueList(items, {
      picture: (page, box) => this.crops.url(one.id, page, box),
      onChoose: (item) => this._chosen(item),
      look: (place) => this._look([place], 0),
    });
    const failures = extraction.failures.map((failure) => el("p", { class: "value-reason" }, `${failure.extractor}: ${failure.reason}`));
    replace(this.body, el("p", { class: "muted", role: "status" }, summary.filter(Boolean).join(" · ")), failures, this.values.element);
    const several = this.run.documents.filter((each) => each.extraction);
    replace(
      this.actions,
      button("Review", () => this._review([one], ""), { class: "primary" }),
      several.length > 1 && button("Review all", () => this._review(several, this.id), { class: "secondary" }),
      this._reports(one),
    );
    this.actions.hidden = false;
    this.values.choose(this.path);
  }

  _chosen(/** @type {Item} */ item) {
    const { page, blocks, bboxes } = item.evidence;
    this.path = item.path;
    const places = this.values.items.filter((one) => one.evidence.page && one.evidence.bboxes.length);
    this._look(places.map((one) => one.evidence), places.indexOf(item));
    if (page && !bboxes.length) this.model.select({ block: blocks[0], page }, "value"); // a page without a picture
    this._remember();
  }

  /** Mark places on the pages, and go to one of them. */
  _look(places, /** @type {number} */ at) {
    const hits = places.flatMap((place) => place.bboxes.map((bbox) => ({ page: place.page, bbox, block: place.blocks[0], place })));
    const current = hits.findIndex((hit) => hit.place === places[at]);
    this.model.setHits(hits, current);
    if (current >= 0) this.model.goToHit(current);
  }

  _reports(/** @type {Api.DocumentSummary} */ one) {
    const stem = one.name.replace(/\.[^.]*$/, "") || "document";
    const save = (format, close) => () => {
      close();
      download(`${extractionOf(one)}?to=${format}`, `${stem}.extracted.${format}`).catch((error) => notify(error.message, "error"));
    };
    return menu(
      "Download",
      (panel, close) =>
        replace(
          panel,
          Object.entries(REPORTS).map(([format, label]) =>
            el("button", { type: "button", class: "menu-item", on: { click: save(format, close) } }, label),
          ),
        ),
      { icon: "download", text: "Download", class: "secondary" },
    );
  }

  /** Put extractions into the queue of reviews, and go there. */
  async _review(documents, /** @type {string} */ run) {
    try {
      /** @type {Api.ReviewSummary[]} */
      const opened = [];
      for (const one of documents) opened.push(await postJson("api/review", { document: one.id }));
      location.hash = run ? `#/review/work?run=${encodeURIComponent(run)}` : `#/review/work?review=${encodeURIComponent(opened[0].id)}`;
    } catch (error) {
      notify(error.message, "error");
    }
  }

  async _cancel() {
    try {
      await request(`api/runs/${encodeURIComponent(this.id)}`, { method: "DELETE" });
      notify("The run is cancelled. What was read is kept.");
      this._load();
    } catch (error) {
      notify(error.message, "error");
    }
  }

  _step(/** @type {number} */ by) {
    const next = this.model.pages[this.model.at(this.model.current) + by];
    if (next) this.model.setCurrent(next.number, "step");
  }

  _zoom(/** @type {number} */ by) {
    this.sheets.setZoom(this.sheets.zoom * by);
    this.sheets.reveal();
  }

  /** The address names the value, so that it can be shared and survives a reload. */
  _remember() {
    const query = new URLSearchParams();
    if (this.number > 1) query.set("document", String(this.number));
    if (this.path) query.set("value", this.path);
    history.replaceState(null, "", `#/extract/${encodeURIComponent(this.id)}${query.size ? `?${query}` : ""}`);
  }

  /** A key outside of fields; says whether it meant something. */
  key({ key }) {
    if (key === "u") {
      location.hash = "#/";
      return true;
    }
    if (!this.values || !this.shown) return false;
    const acts = {
      j: () => this.values.step(1),
      k: () => this.values.step(-1),
      ArrowLeft: () => this._step(-1),
      ArrowRight: () => this._step(1),
      "+": () => this._zoom(ZOOM_STEP),
      "=": () => this._zoom(ZOOM_STEP),
      "-": () => this._zoom(1 / ZOOM_STEP),
      0: () => this.sheets.setZoom(1),
      b: () => this.model.toggle("boxes"),
      w: () => this.model.toggle("words"),
      r: () => this._review([this.run.documents[this.number - 1]], ""),
    };
    if (!Object.hasOwn(acts, key)) return false;
    acts[key]();
    return true;
  }
}

/** The path of what was extracted from a document, for requests of this page. */
const extractionOf = (/** @type {Api.DocumentSummary} */ one) => (one.extraction ?? "").slice(1);
