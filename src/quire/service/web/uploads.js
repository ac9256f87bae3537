// The field for a URL, the options, and files on their way to the server.

import { onceKey, postJson, upload } from "./api.js";
import { button, el, notify, replace } from "./dom.js";
import { DropZone } from "./dropzone.js";

const LARGEST_LISTED = 50;

export class Uploads {
  /** `onRun` gets each run that the server has accepted. */
  constructor(onRun) {
    this.onRun = onRun;
    this.queue = [];
    this.sending = null;
    this.zone = new DropZone((files) => this.add(files), { lead: "Drop documents here", label: "Files to read" });
    this.url = el("input", { type: "url", id: "url", name: "url", placeholder: "https://example.org/report.pdf", autocomplete: "off", spellcheck: "false" });
    this.options = optionFields();
    this.going = el("div", { class: "uploads", "aria-live": "polite" });
    this.element = el(
      "section",
      { class: "add", "aria-label": "Read documents" },
      this.zone.element,
      el(
        "form",
        { class: "by-url", on: { submit: (event) => this._submitted(event) } },
        el("label", { htmlFor: "url" }, "or by URL"),
        this.url,
        button("Read", () => {}, { type: "submit", class: "secondary" }),
      ),
      this.options.element,
      this.going,
    );
    this._pasted = (event) => this._paste(event);
    window.addEventListener("paste", this._pasted);
  }

  close() {
    this.zone.close();
    window.removeEventListener("paste", this._pasted);
  }

  /** Send files one after another, each as a run of its own. */
  add(files) {
    const options = this.options.read();
    if (options === null) return;
    for (const file of files) this.queue.push({ file, options, stop: new AbortController(), once: onceKey() });
    this._show();
    this.sending ??= this._send().finally(() => (this.sending = null));
  }

  async _send() {
    while (this.queue.length) {
      const next = this.queue[0];
      try {
        this.onRun(await upload("api/runs", [next.file], { options: next.options }, { once: next.once, signal: next.stop.signal, onProgress: (part) => this._progress(part) }));
      } catch (error) {
        if (error.name !== "AbortError") notify(`${next.file.name}: ${error.message}`, "error");
      }
      this.queue.shift();
      this._show();
    }
  }

  _progress(part) {
    const bar = this.going.querySelector("progress");
    if (bar) bar.value = part;
  }

  _show() {
    const rows = this.queue.slice(0, LARGEST_LISTED).map((each, at) =>
      el(
        "div",
        { class: "upload" },
        el("span", { class: "name" }, each.file.name),
        at === 0 ? el("progress", { max: 1, value: 0, "aria-label": `Upload of ${each.file.name}` }) : el("span", { class: "muted" }, "waits"),
        button("Stop", () => this._remove(each), { class: "secondary small", "aria-label": `Stop the upload of ${each.file.name}` }),
      ),
    );
    replace(this.going, rows);
  }

  _remove(one) {
    one.stop.abort();
    const at = this.queue.indexOf(one);
    if (at > 0) this.queue.splice(at, 1);
    this._show();
  }

  async _submitted(event) {
    event.preventDefault();
    const address = this.url.value.trim();
    const options = this.options.read();
    if (options === null) return;
    if (!/^https?:\/\/[^\s/]/i.test(address)) {
      notify("Give an address that begins with http:// or https://", "error");
      this.url.focus();
      return;
    }
    try {
      this.onRun(await postJson("api/runs", { sources: [{ url: address }], options }));
      this.url.value = "";
    } catch (error) {
      notify(error.message, "error");
    }
  }

  _paste(event) {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData?.getData("text").trim() ?? "";
    if (!/^https?:\/\/\S+$/i.test(text)) return;
    this.url.value = text;
    this.url.focus();
  }
}

/** How to read: a folded part of a form. `read()` returns the options of the API, or null with a word about what is wrong. */
export function optionFields() {
  const ocr = select("ocr", { auto: "where it is needed", always: "on every page", never: "never" });
  const effort = select("effort", { balanced: "balanced", fast: "fast", accurate: "accurate" });
  const lang = el("input", { type: "text", id: "lang", name: "lang", placeholder: "en, de", autocomplete: "off", spellcheck: "false" });
  const pages = el("input", { type: "text", id: "pages", name: "pages", placeholder: "all, or 1-3,7", autocomplete: "off", spellcheck: "false" });
  const field = (label, input) => el("div", { class: "field" }, el("label", { htmlFor: input.id }, label), input);
  const element = el(
    "details",
    { class: "options" },
    el("summary", {}, "Options"),
    el("div", { class: "fields" }, field("OCR", ocr), field("Effort", effort), field("Languages", lang), field("Pages", pages)),
  );
  function read() {
    const given = pages.value.trim();
    if (given && !/^\s*(\d*-?\d*)(\s*,\s*\d*-?\d*)*\s*$/.test(given)) {
      notify("Write pages like 1-3,7", "error");
      pages.focus();
      return null;
    }
    const languages = lang.value.split(/[\s,;]+/).filter(Boolean);
    return { ocr: ocr.value, effort: effort.value, lang: languages, ...(given ? { pages: given.replaceAll(/\s/g, "") } : {}) };
  }
  return { element, read };
}

function select(id, choices) {
  return el("select", { id, name: id }, Object.entries(choices).map(([value, text]) => el("option", { value }, text)));
}
