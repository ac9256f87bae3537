// The first screen: drop files or give a URL, and the documents of all runs, live.

import { getJson, onceKey, postJson, request } from "./api.js";
import { DocumentList } from "./documentlist.js";
import { describe } from "./documentrow.js";
import { button, confirmed, el, icon, notify, replace } from "./dom.js";
import { Finding } from "./finding.js";
import { RunProgress } from "./progress.js";
import { Uploads } from "./uploads.js";
import { isActive } from "./words.js";

const FOLLOWED = 2; // streams at a time: a browser has six connections to a server, and pictures need some
const POLL_MS = 2500;
const IDLE_POLL_MS = 10_000;
const PORTION = 30;
const LARGE_PORTION = 200;
const MOST = 2000; // documents that are filtered and sorted in the browser
const GONE =
  "Its text, tables, pictures, extracted values, reviews and samples are deleted from this server, " +
  "in every run that read the same file. Models that were learnt from it are named. This cannot be undone.";

export class Home {
  constructor(/** @type {HTMLElement} */ main, /** @type {URLSearchParams} */ asked) {
    /** @type {Map<string, Api.Run>} */
    this.runs = new Map();
    /** @type {Map<string, RunProgress>} */
    this.following = new Map();
    this.next = /** @type {string | null} */ (null);
    this.uploads = new Uploads((run) => this._add(run));
    this.finding = new Finding(asked.get("q") ?? "");
    const actions = { cancel: (run) => this._cancel(run), again: (shown) => this._again(shown), remove: (shown) => this._remove(shown) };
    this.list = new DocumentList(actions, () => this._loadAll());
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
        el(
          "section",
          { "aria-labelledby": "documents" },
          el("h2", { id: "documents" }, "Documents"),
          this.trouble,
          this.list.element,
          this.more,
        ),
      ),
    );
    this._stopped = false;
    this._poll();
  }

  close() {
    this._stopped = true;
    clearTimeout(this._timer);
    this.uploads.close();
    this.finding.close();
    this.list.close();
    for (const each of this.following.values()) each.stop();
  }

  /** A key outside of fields; says whether it meant something. */
  key(event) {
    if (event.key !== "/") return false;
    this.finding.focus();
    return true;
  }

  async _poll() {
    if (!document.hidden || !this._loaded) await this._load(null);
    if (this._stopped) return;
    const waiting = [...this.runs.values()].some((run) => isActive(run.state) && !this.following.has(run.id));
    this._timer = setTimeout(() => this._poll(), waiting ? POLL_MS : IDLE_POLL_MS);
  }

  async _load(before, portion = PORTION) {
    try {
      /** @type {Api.RunList} */
      const answer = await getJson(`api/runs?limit=${portion}${before ? `&before=${encodeURIComponent(before)}` : ""}`);
      if (this._stopped) return;
      if (before || !this._loaded) this.next = answer.next;
      this._loaded = true;
      for (const run of answer.runs) this.runs.set(run.id, run);
      this.trouble.hidden = true;
      this._show();
      return;
    } catch (error) {
      if (this._stopped) return;
      this.trouble.hidden = false;
      const retry = button("Try again", () => this._load(before), { class: "secondary" });
      replace(this.trouble, icon("alert"), el("p", {}, error.message), retry);
      if (!this._loaded) this.list.instead.hidden = true;
    }
  }

  /** A filter or an order is about all documents: the older ones are fetched too. */
  async _loadAll() {
    if (this._loadingAll) return;
    this._loadingAll = true;
    while (this.next && this.list.wantsAll && !this._stopped && this.runs.size < MOST) {
      const { next } = this;
      await this._load(next, LARGE_PORTION);
      if (this.next === next) break; // the server is away
    }
    this._loadingAll = false;
  }

  _add(/** @type {Api.Run} */ run) {
    this.runs.set(run.id, run);
    this._show();
  }

  _show() {
    const runs = [...this.runs.values()].sort((one, other) => other.submitted - one.submitted);
    this.more.hidden = this.next === null;
    for (const run of runs.filter((each) => isActive(each.state)).slice(0, FOLLOWED)) this._follow(run.id);
    const documents = runs.flatMap((run) =>
      run.documents.map((document) => ({ run, shown: describe(document, run, this.following.get(run.id)) })),
    );
    this.list.show(documents, this.next === null);
    this.uploads.element.classList.toggle("compact", documents.length > 0);
  }

  _follow(/** @type {string} */ id) {
    if (this.following.has(id)) return;
    const progress = new RunProgress(id, {
      onChange: () => this._show(),
      onDocument: () => this._refresh(id),
      onEnd: (run) => {
        this.following.delete(id);
        if (run) this.runs.set(id, run);
        if (!this._stopped) this._show();
      },
    });
    this.following.set(id, progress);
  }

  async _refresh(/** @type {string} */ id) {
    /** @type {Api.Run | null} */
    const run = await getJson(`api/runs/${encodeURIComponent(id)}`).catch(() => null);
    if (run && !this._stopped) this._add(run);
  }

  /** Do something, and say that it is done, or why it cannot be; `work` may have more to say. */
  async _act(work, done) {
    try {
      const more = await work();
      if (!this._stopped) this._show();
      notify([done, more].filter(Boolean).join(" "));
    } catch (error) {
      notify(error.message, "error");
    }
  }

  _cancel(/** @type {string} */ id) {
    const cancelled = async () => {
      const answer = await request(`api/runs/${encodeURIComponent(id)}`, { method: "DELETE" });
      this.runs.set(id, await answer.json());
    };
    return this._act(cancelled, "The run is cancelled. What was read is kept.");
  }

  /** The same source once more: what was read of it is not read twice. */
  _again({ id, name }) {
    const submitted = async () => {
      this._add(await postJson("api/runs", { document: id }, { "Idempotency-Key": onceKey() }));
    };
    return this._act(submitted, `${name} is read again.`);
  }

  async _remove({ id, name }) {
    if (!(await confirmed(`Delete ${name}?`, GONE, "Delete"))) return;
    const removed = async () => {
      const answer = await request(`api/documents/${encodeURIComponent(id)}`, { method: "DELETE" });
      const { learned } = await answer.json();
      this.runs.clear();
      this._loaded = false;
      await this._load(null);
      return learned.length ? `${learned.join(", ")} was learnt from it: learn it again without this document.` : "";
    };
    return this._act(removed, `${name} is deleted.`);
  }
}
