// The screen of a solve: phases and attempts as they happen, then the values beside their pages, with what speaks against them.

import { download, getJson, request } from "./api.js";
import { Crops } from "./crops.js";
import { describe, documentStatus } from "./documentrow.js";
import { button, el, menu, notify, replace } from "./dom.js";
import { failedPart, failedView } from "./failures.js";
import { DocumentModel } from "./model.js";
import { RunProgress } from "./progress.js";
import { ZOOM_STEP, pageTools } from "./reviewtools.js";
import { Sheets } from "./sheets.js";
import { answerOf, summaryOf } from "./solveitems.js";
import { attemptsView, findingsView, phasesView } from "./solveparts.js";
import { SolveState, usageText } from "./solvestate.js";
import { ValueList, itemsOf } from "./valuelist.js";
import { ADVICE, duration, isActive } from "./words.js";

const FILES = {
  "answer.xlsx": "Workbook", "answer.json": "Answer (JSON)", "evidence.jsonl": "Evidence (JSON lines)",
  "findings.jsonl": "Findings (JSON lines)", "notes.md": "Notes",
};

export class Solved {
  /** @type {Api.Run} */
  run;
  /** @type {Api.SolveView} */
  view;
  /** @type {DocumentModel | null} */
  model = null;
  /** @type {Sheets | null} */
  sheets = null;
  /** @type {ValueList | null} */
  values = null;
  /** @type {RunProgress | null} */
  progress = null;

  constructor(/** @type {HTMLElement} */ main, /** @type {HTMLElement} */ barPlace, /** @type {string} */ id, /** @type {URLSearchParams} */ asked) {
    this.main = main;
    this.barPlace = barPlace;
    this.id = id;
    this.path = asked.get("value");
    this.state = new SolveState();
    this.crops = new Crops();
    this.closed = false;
    this.shown = 0; // the number of the document whose pages are shown
    this.opened = new Set(); // attempts whose timelines are open
    this.head = el("div", { class: "solve-head" }, el("div", { class: "skeleton" }));
    this.findings = el("section", { "aria-labelledby": "findings-title", hidden: true });
    this.answer = el("section", { "aria-label": "Values", hidden: true });
    this.how = el("section", { class: "solve-how", "aria-labelledby": "how-title" });
    this.actions = el("div", { class: "desk-actions", role: "toolbar", "aria-label": "What to do with the answer", hidden: true });
    this.body = el("div", { class: "desk-card", tabIndex: 0, role: "region", "aria-label": "Answer" }, this.head, this.findings, this.answer, this.how);
    this.panel = el("section", { class: "desk-panel", "aria-label": "Solve" }, this.actions, this.body);
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

  /** The address has changed, to another value of this run. */
  arrive(/** @type {URLSearchParams} */ asked) {
    this.path = asked.get("value");
    if (this.path) this.values?.choose(this.path);
  }

  async _load() {
    try {
      const path = `api/runs/${encodeURIComponent(this.id)}`;
      /** @type {[Api.Run, Api.SolveView]} */
      const [run, view] = await Promise.all([getJson(path), getJson(`${path}/solve`)]);
      if (this.closed) return;
      Object.assign(this, { run, view });
      this._heading();
      this._draw();
      if (isActive(run.state)) this._follow();
      else if (view.status) this._show();
    } catch (error) {
      if (this.closed) return;
      replace(this.barPlace);
      const advice = error.status === 404 ? "It may have been deleted with one of its documents. Solve the task again." : ADVICE[error.category];
      replace(this.main, failedView("This solve cannot be shown", error.message, advice, { href: "#/solve", label: "Solve a task" }));
    }
  }

  /** Follow the events: as they come, or all at once of a run that has ended, for what its runners did. */
  _follow() {
    if (this.progress) return;
    const active = isActive(this.run.state);
    this.progress = new RunProgress(this.id, {
      onEvent: (event) => this.state.add(event),
      onChange: () => this._draw(),
      onEnd: () => {
        if (this.closed) return;
        if (active) {
          this.progress = null;
          this._load();
        } else this._draw();
      },
    });
  }

  _heading() {
    const name = this.run.documents.map((one) => one.name).join(", ");
    document.title = `Solve · ${name} · Quire`;
    replace(this.barPlace, el("div", { class: "document-heading" }, el("h1", { class: "document-name", title: name }, name)));
  }

  /** What is known so far: the state of the run, its documents, phases and attempts. */
  _draw() {
    if (!this.run) return;
    const { run, view } = this;
    const active = isActive(run.state);
    const reviews = view.reviews.length ? view.reviews : this.state.reviews;
    const title = view.status === "complete" ? "Complete" : view.status === "open" ? "Some values are open" : active ? "At work" : run.state === "cancelled" ? "Cancelled" : "Failed";
    const reading = active && !this.state.phases.size && !view.phases.length;
    replace(
      this.head,
      el(
        "div",
        { class: "solve-title", role: "status" },
        el("span", { class: "mark", data: { doubt: view.status === "complete" ? "" : view.status || active ? "low" : "conflict" } }, title),
        el("span", { class: "muted" }, view.status ? summaryOf(view) : ""),
      ),
      el("p", { class: "solve-task", tabIndex: 0 }, view.task),
      view.error && el("p", { class: "value-reason" }, view.error),
      reading && el("div", { class: "run" }, run.documents.map((one) => documentStatus(describe(one, run, this.progress), run, null))),
      active && reviews.length > 0 && el("p", {}, el("a", { class: "primary", href: this._review(reviews) }, "Decide about the open values")),
      active && button("Cancel", () => this._cancel(), { class: "secondary small" }),
      !active && !view.status && el("a", { class: "secondary", href: "#/solve" }, "Solve again"),
    );
    this._drawHow();
  }

  _drawHow() {
    const { view, state } = this;
    const phases = state.phases.size ? state.list() : view.phases;
    const known = state.attempts.size ? [...state.attempts] : view.attempts.map((one, at) => [String(at), { ...one, entries: [], left: 0, started: 0 }]);
    const focused = this.how.contains(document.activeElement) ? document.activeElement?.closest("summary, button")?.textContent : null;
    const spent = [view.usage.seconds && duration(1000 * view.usage.seconds), usageText(view.usage)].filter(Boolean).join(" · ");
    replace(
      this.how,
      el("h2", { id: "how-title" }, "How it was solved"),
      phases.length > 0 && phasesView(/** @type {import("./solvestate.js").Phase[]} */ (phases)),
      known.length > 0 && attemptsView(/** @type {[string, import("./solvestate.js").Attempt][]} */ (known), this.opened),
      view.status && !this.progress && known.length > 0 && button("Show what the runners did", () => this._follow(), { class: "secondary small" }),
      el("p", { class: "muted" }, [spent && `${spent} in all`, view.workspace && `workspace ${view.workspace.slice(0, 12)}`].filter(Boolean).join(" · ")),
    );
    if (focused) /** @type {HTMLElement | undefined} */ ([...this.how.querySelectorAll("summary, button")].find((one) => one.textContent === focused))?.focus();
  }

  /** The answer of a run that has finished. */
  _show() {
    const { view, run } = this;
    const names = run.documents.map((one) => one.name);
    this.values = new ValueList(itemsOf(answerOf(view, names)), {
      picture: (page, box, place) => this.crops.url(place.document ?? `${this.id}.1`, page, box),
      onChoose: (item) => this._chosen(item),
      look: (place) => this._look(place, [place]),
    });
    replace(this.answer, this.values.element);
    this.answer.hidden = false;
    this.findings.hidden = !view.findings.length;
    replace(this.findings, el("h2", { id: "findings-title" }, "Findings"), findingsView(view.findings, (one) => this._found(one)));
    replace(this.actions, view.reviews.length > 0 && el("a", { class: "primary", href: this._review(view.reviews) }, "Review"), this._downloads());
    this.actions.hidden = false;
    this.values.choose(this.path);
  }

  _review(/** @type {string[]} */ reviews) {
    return reviews.length > 1 ? `#/review/work?run=${encodeURIComponent(this.id)}` : `#/review/work?review=${encodeURIComponent(reviews[0])}`;
  }

  _chosen(/** @type {Item} */ item) {
    this.path = item.path;
    const evidence = /** @type {any} */ (item.evidence);
    const own = this.values?.items.map((one) => one.evidence).filter((one) => one.number === evidence.number && one.page && one.bboxes.length) ?? [];
    if (evidence.number) this._look(evidence, own);
    history.replaceState(null, "", `#/solve/${encodeURIComponent(this.id)}?value=${encodeURIComponent(item.path)}`);
  }

  /** Show the value of a finding, and the place that speaks against it. */
  _found(/** @type {Api.SolveFinding} */ finding) {
    if (this.values?.items.some((one) => one.path === finding.path)) this.values.choose(finding.path, { focus: true });
    if (finding.number) this._look(finding, [finding]);
  }

  /** Mark places of a document on its pages, and go to one of them. */
  async _look(place, places) {
    this.wanted = place;
    if (!(await this._open(place.number ?? 1)) || this.wanted !== place || !this.model) return;
    const hits = places.flatMap((one) => one.bboxes.map((bbox) => ({ page: one.page, bbox, block: one.blocks[0] ?? "", place: one })));
    const current = hits.findIndex((hit) => hit.place === place);
    this.model.setHits(hits, current);
    if (current >= 0) this.model.goToHit(current);
    else if (place.page && place.blocks.length) this.model.select({ block: place.blocks[0], page: place.page }, "value"); // a page without a picture
  }

  /** Show the pages of a document; says whether they are shown. */
  async _open(/** @type {number} */ number) {
    const one = this.run.documents.find((each) => each.id === `${this.id}.${number}`);
    if (!one) return false;
    if (this.shown === number) return this.model !== null;
    this.shown = number;
    try {
      const model = new DocumentModel(await getJson(`api/documents/${encodeURIComponent(one.id)}`));
      if (this.closed || this.shown !== number) return false;
      this.sheets?.close();
      this.model = model;
      model.boxes = false;
      this.sheets = new Sheets(model);
      this.desk.classList.remove("alone");
      this.stage.hidden = false;
      const tools = { step: (by) => this._step(by), zoom: (by) => this._zoom(by), fit: () => this.sheets?.fitPage(), about: this.run.documents.length > 1 ? one.name : "" };
      replace(this.stage, pageTools(model, tools), this.sheets.element);
      this.sheets.resize();
      return true;
    } catch (error) {
      this.shown = 0;
      if (!this.closed) replace(this.stage, failedPart(error.message, () => this.values?.choose(this.path)));
      return false;
    }
  }

  _downloads() {
    const stem = this.run.documents[0]?.name.replace(/\.[^.]*$/, "") || "solve";
    const save = (path, name, close) => () => {
      close();
      download(path.slice(1), name).catch((error) => notify(error.message, "error"));
    };
    const files = this.view.files.filter((one) => Object.hasOwn(FILES, one.name)).map((one) => [one.path, FILES[one.name], `${stem}.${one.name}`]);
    files.sort((one, other) => Object.values(FILES).indexOf(one[1]) - Object.values(FILES).indexOf(other[1]));
    if (this.view.trace) files.push([this.view.trace, "Trace", `${this.id}.trace.json`]);
    return menu(
      "Download",
      (panel, close) =>
        replace(
          panel,
          files.map(([path, label, name]) => el("button", { type: "button", class: "menu-item", on: { click: save(path, name, close) } }, label)),
        ),
      { icon: "download", text: "Download", class: "secondary" },
    );
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
    const next = this.model?.pages[this.model.at(this.model.current) + by];
    if (next) this.model?.setCurrent(next.number, "step");
  }

  _zoom(/** @type {number} */ by) {
    if (!this.sheets) return;
    this.sheets.setZoom(this.sheets.zoom * by);
    this.sheets.reveal();
  }

  /** A key outside of fields; says whether it meant something. */
  key({ key }) {
    if (key === "u") {
      location.hash = "#/";
      return true;
    }
    const { values, model } = this;
    if (!values) return false;
    const acts = {
      j: () => values.step(1),
      k: () => values.step(-1),
      ArrowLeft: () => this._step(-1),
      ArrowRight: () => this._step(1),
      "+": () => this._zoom(ZOOM_STEP),
      "=": () => this._zoom(ZOOM_STEP),
      "-": () => this._zoom(1 / ZOOM_STEP),
      0: () => this.sheets?.setZoom(1),
      b: () => model?.toggle("boxes"),
      w: () => model?.toggle("words"),
      r: () => this.view.reviews.length && (location.hash = this._review(this.view.reviews)),
    };
    if (!Object.hasOwn(acts, key)) return false;
    acts[key]();
    return true;
  }
}
