// The progress of a run by page, from its events.

import { follow } from "./events.js";

/** The pages of one document so far: how many there will be, and the state of each that was begun. */
export class PageProgress {
  constructor() {
    this.total = 0;
    this.pages = new Map(); // number -> "running" | "done" | "failed"
    this.reasons = new Map();
  }

  add({ stage, kind, page, payload }) {
    if (stage === "read" && kind === "started") this.total = payload.pages ?? 0;
    if (page === null) return;
    if (stage === "page-blocks" && (kind === "finished" || kind === "hit")) this.pages.set(page, "done");
    else if (kind === "failed" && this.pages.get(page) !== "done") {
      this.pages.set(page, "failed");
      this.reasons.set(page, payload.reason ?? "");
    } else if (!this.pages.has(page)) this.pages.set(page, "running");
  }

  count(state) {
    let found = 0;
    for (const each of this.pages.values()) found += each === state;
    return found;
  }
}

/** Follows a run, and calls `onChange` at most ten times a second; `onEnd` gets the run that has ended. */
export class RunProgress {
  constructor(run, { onChange, onEnd, onDocument = () => {} }) {
    this.run = run;
    this.documents = new Map(); // sha256 -> PageProgress
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
        if (event.stage === "task" && event.kind === "progress") onDocument(event);
        this._change();
      },
    }).then(onEnd, (error) => error.name === "AbortError" || onEnd(null));
  }

  stop() {
    this._stop.abort();
  }

  /** That of a document by its sha256, or the only one: of a URL, the sha256 is not known yet. */
  of(sha256) {
    return this.documents.get(sha256) ?? (this.documents.size === 1 && !sha256 ? [...this.documents.values()][0] : null);
  }

  _add(event) {
    if (event.document === null) return;
    if (!this.documents.has(event.document)) this.documents.set(event.document, new PageProgress());
    this.documents.get(event.document).add(event);
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
