// The progress of a run by page, from its events.

import { follow } from "./events.js";

/** The pages of one document so far: how many there will be, and the state of each that was begun. */
export class PageProgress {
  constructor() {
    this.total = 0;
    /** @type {Map<number, "running" | "done" | "failed">} */
    this.pages = new Map();
    this.reasons = new Map();
  }

  add(/** @type {Api.RunEvent} */ { stage, kind, page, payload }) {
    if (stage === "read" && kind === "started") this.total = payload.pages ?? 0;
    if (page === null) return;
    if (stage === "page-blocks" && (kind === "finished" || kind === "hit")) this.pages.set(page, "done");
    else if (kind === "failed" && this.pages.get(page) !== "done") {
      this.pages.set(page, "failed");
      this.reasons.set(page, payload.reason ?? "");
    } else if (!this.pages.has(page)) this.pages.set(page, "running");
  }

  count(/** @type {string} */ state) {
    let found = 0;
    for (const each of this.pages.values()) found += Number(each === state);
    return found;
  }
}

/** Follows a run, and calls `onChange` at most ten times a second; `onEnd` gets the run that has ended. */
export class RunProgress {
  /**
   * @param {string} run
   * @param {{ onChange: (progress: RunProgress) => void, onEnd: (run: Api.Run | null) => void, onDocument?: (event: Api.RunEvent) => void, onEvent?: (event: Api.RunEvent) => void }} about
   */
  constructor(run, { onChange, onEnd, onDocument = () => {}, onEvent = () => {} }) {
    this.run = run;
    /** @type {Map<string, PageProgress>} */
    this.documents = new Map(); // by sha256
    this.connected = true;
    this.doing = "";
    this._stop = new AbortController();
    this._changed = false;
    this._onChange = onChange;
    follow(run, {
      signal: this._stop.signal,
      onConnection: (connected) => {
        this.connected = connected;
        this._change();
      },
      onEvent: (event) => {
        this._add(event);
        onEvent(event);
        if (event.stage === "task" && event.kind === "progress") onDocument(event);
        this._change();
      },
    }).then(onEnd, (error) => error.name === "AbortError" || onEnd(null));
  }

  stop() {
    this._stop.abort();
  }

  /** That of a document by its sha256, or the only one: of a URL, the sha256 is not known yet. */
  of(/** @type {string | null} */ sha256) {
    return this.documents.get(sha256 ?? "") ?? (this.documents.size === 1 && !sha256 ? [...this.documents.values()][0] : null);
  }

  _add(/** @type {Api.RunEvent} */ event) {
    if (event.document === null) return;
    const pages = this.documents.get(event.document) ?? new PageProgress();
    this.documents.set(event.document, pages);
    pages.add(event);
    if (event.stage === "recognize" && event.kind === "started") this.doing = `OCR of page ${event.page}`;
    else if (event.stage === "document" && event.kind === "started") this.doing = "Putting the pages together";
    else if (event.stage === "page-blocks" && event.kind === "finished") this.doing = `Page ${event.page} is read`;
  }

  _change() {
    if (this._changed) return;
    this._changed = true;
    setTimeout(() => {
      this._changed = false;
      if (!this._stop.signal.aborted) this._onChange(this);
    }, 100);
  }
}
