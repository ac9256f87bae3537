// The first screen: drop files or give a URL, and the runs with their documents, live.

import { getJson, request } from "./api.js";
import { describe, documentRow } from "./documentrow.js";
import { button, el, icon, notify, replace } from "./dom.js";
import { Finding } from "./finding.js";
import { RunProgress } from "./progress.js";
import { Uploads } from "./uploads.js";
import { ago, count, isActive } from "./words.js";

const FOLLOWED = 2; // streams at a time: a browser has six connections to a server, and pictures need some
const POLL_MS = 2500;
const IDLE_POLL_MS = 10_000;
const PORTION = 30;

export class Home {
  constructor(main, asked) {
    this.runs = new Map(); // id -> run, the latest first
    this.following = new Map(); // id -> RunProgress
    this.next = null;
    this.uploads = new Uploads((run) => this._add(run));
    this.finding = new Finding(asked.get("q") ?? "");
    this.list = el("div", { class: "runs" });
    this.trouble = el("div", { class: "trouble", role: "alert", hidden: true });
    this.more = button("Show older", () => this._load(this.next), { class: "secondary", hidden: true });
    replace(
      main,
      el(
        "div",
        { class: "home" },
        el("h1", { class: "offscreen" }, "Quire: read documents"),
        this.finding.element,
        this.uploads.element,
        el("section", { "aria-labelledby": "documents" }, el("h2", { id: "documents" }, "Documents"), this.trouble, this.list, this.more),
      ),
    );
    this._rows = new Map();
    this._stopped = false;
    this._showLoading();
    this._poll();
  }

  close() {
    this._stopped = true;
    clearTimeout(this._timer);
    this.uploads.close();
    this.finding.close();
    for (const each of this.following.values()) each.stop();
  }

  /** A key outside of fields; says whether it meant something. */
  key(event) {
    if (event.key !== "/") return false;
    this.finding.focus();
    return true;
  }

  async _poll() {
    if (!document.hidden || !this._rows.size) await this._load(null);
    if (this._stopped) return;
    const waiting = [...this.runs.values()].some((run) => isActive(run.state) && !this.following.has(run.id));
    this._timer = setTimeout(() => this._poll(), waiting ? POLL_MS : IDLE_POLL_MS);
  }

  async _load(before) {
    try {
      const answer = await getJson(`api/runs?limit=${PORTION}${before ? `&before=${encodeURIComponent(before)}` : ""}`);
      if (this._stopped) return;
      if (before || !this._loaded) this.next = answer.next;
      this._loaded = true;
      for (const run of answer.runs) this.runs.set(run.id, run);
      this.trouble.hidden = true;
      this._show();
    } catch (error) {
      if (this._stopped) return;
      this.trouble.hidden = false;
      replace(this.trouble, icon("alert"), el("p", {}, error.message), button("Try again", () => this._load(before), { class: "secondary" }));
      if (!this._loaded) replace(this.list);
    }
  }

  _add(run) {
    this.runs.set(run.id, run);
    this._show();
  }

  _showLoading() {
    replace(this.list, el("div", { class: "skeleton row" }), el("div", { class: "skeleton row" }), el("div", { class: "skeleton row" }));
  }

  _show() {
    const runs = [...this.runs.values()].sort((one, other) => other.submitted - one.submitted);
    this.more.hidden = this.next === null;
    if (!runs.length) {
      replace(this.list, empty());
      return;
    }
    for (const run of runs.filter((each) => isActive(each.state)).slice(0, FOLLOWED)) this._follow(run.id);
    const rows = runs.map((run) => {
      const row = this._rows.get(run.id) ?? el("article", { class: "run" });
      this._rows.set(run.id, row);
      this._fill(row, run);
      return row;
    });
    rows.forEach((row, at) => this.list.children[at] === row || this.list.insertBefore(row, this.list.children[at] ?? null)); // the others keep the focus
    while (this.list.children.length > rows.length) this.list.lastChild.remove();
  }

  _follow(id) {
    if (this.following.has(id)) return;
    const progress = new RunProgress(id, {
      onChange: () => this._fill(this._rows.get(id), this.runs.get(id)),
      onDocument: () => this._refresh(id),
      onEnd: (run) => {
        this.following.delete(id);
        if (run) this.runs.set(id, run);
        if (!this._stopped) this._show();
      },
    });
    this.following.set(id, progress);
  }

  async _refresh(id) {
    const run = await getJson(`api/runs/${encodeURIComponent(id)}`).catch(() => null);
    if (run && !this._stopped) {
      this.runs.set(id, run);
      this._show();
    }
  }

  /** Rows are only built anew when something about them has changed: a button under the pointer stays. */
  _fill(row, run) {
    if (!row) return;
    const progress = this.following.get(run.id);
    const shown = run.documents.map((document) => describe(document, run, progress));
    const state = JSON.stringify([run.state, run.error, shown, ago(run.submitted)]);
    if (row.dataset.shown === state) return;
    row.dataset.shown = state;
    const several = run.documents.length > 1;
    const hadFocus = row.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    replace(
      row,
      several && el("h3", { class: "run-head" }, count(run.documents.length, "document"), el("span", { class: "muted" }, ago(run.submitted))),
      ...shown.map((each) => documentRow(each, run, () => this._cancel(run.id))),
      several && run.state === "failed" && el("p", { class: "reason" }, run.error),
    );
    if (hadFocus) row.querySelector(`[data-focus="${CSS.escape(hadFocus)}"]`)?.focus();
  }

  async _cancel(id) {
    try {
      const answer = await request(`api/runs/${encodeURIComponent(id)}`, { method: "DELETE" });
      this.runs.set(id, await answer.json());
      this._show();
      notify("The run is cancelled. What was read is kept.");
    } catch (error) {
      notify(error.message, "error");
    }
  }
}

function empty() {
  return el(
    "div",
    { class: "empty" },
    icon("file"),
    el("p", { class: "lead" }, "Nothing was read yet"),
    el("p", {}, "Drop a PDF, a scan, a photo or an office file above. You see every page with the text that was found, and where."),
  );
}
