// The field for a URL, the options, and files on their way to the server.

import { UNREADABLE, isReadable, limitsOf, onceKey, postJson, upload } from "./api.js";
import { button, el, notify, replace } from "./dom.js";
import { DropZone } from "./dropzone.js";
import { size } from "./words.js";

const LARGEST_LISTED = 50;

export class Uploads {
  /** `onRun` gets each run that the server has accepted. */
  constructor(onRun) {
    this.onRun = onRun;
    /** @type {{ file: File, options: Api.RunOptions, stop: AbortController, once: string, error: string }[]} */
    this.queue = []; // those with an error wait for the reader
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
  add(/** @type {File[]} */ files) {
    const options = this.options.read();
    if (options === null) return;
    for (const file of files) this.queue.push({ file, options, stop: new AbortController(), once: onceKey(), error: "" });
    this._go();
  }

  _go() {
    this._show();
    this.sending ??= this._send().finally(() => (this.sending = null));
  }

  async _send() {
    for (let next; (next = this.queue.find((each) => !each.error)); this._show()) {
      const { file, options, once, stop } = next;
      const onProgress = (part) => this._progress(part);
      try {
        next.error = await problemOf(file, await limitsOf());
        if (next.error) continue;
        this.onRun(await upload("api/runs", [file], { options }, { once, signal: stop.signal, onProgress }));
        this._remove(next);
      } catch (error) {
        if (error.name === "AbortError") this._remove(next);
        else next.error = error.message;
      }
    }
  }

  _progress(part) {
    const bar = this.going.querySelector("progress");
    if (bar) bar.value = part;
  }

  _show() {
    const sent = this.queue.find((each) => !each.error);
    replace(this.going, this.queue.slice(0, LARGEST_LISTED).map((each) => this._row(each, each === sent)));
  }

  _row(each, sent) {
    const { name } = each.file;
    const act = (label, work) => button(label, work, { class: "secondary small", "aria-label": `${label}: ${name}` });
    const bar = () => el("progress", { max: 1, value: 0, "aria-label": `Upload of ${name}` });
    if (!each.error) {
      const state = sent ? bar() : el("span", { class: "muted" }, "waits");
      return el("div", { class: "upload" }, el("span", { class: "name" }, name), state, act("Stop", () => this._remove(each)));
    }
    const about = el("div", {}, el("span", { class: "name" }, name), el("p", { class: "reason" }, each.error));
    return el("div", { class: "upload failed" }, about, act("Try again", () => this._again(each)), act("Remove", () => this._remove(each)));
  }

  _again(one) {
    one.error = "";
    this._go();
  }

  _remove(one) {
    one.stop.abort();
    this.queue = this.queue.filter((each) => each !== one);
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

/** What is wrong with a file before it is sent; "" if nothing is. */
async function problemOf(file, { max_file_bytes: file_bytes = Infinity, max_bytes = Infinity }) {
  const most = Math.min(file_bytes, max_bytes);
  if (!(await isReadable(file))) return UNREADABLE;
  if (!file.size) return "The file is empty. Get it again.";
  if (file.size > most) return `The file has ${size(file.size)}, and this server takes ${size(most)}. Divide it, or send a smaller one.`;
  return "";
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
  /** @returns {Api.RunOptions | null} */
  function read() {
    const given = pages.value.trim();
    if (given && !/^\s*(\d*-?\d*)(\s*,\s*\d*-?\d*)*\s*$/.test(given)) {
      notify("Write pages like 1-3,7", "error");
      pages.focus();
      return null;
    }
    const languages = lang.value.split(/[\s,;]+/).filter(Boolean);
    return {
      ocr: /** @type {any} */ (ocr.value),
      effort: /** @type {any} */ (effort.value),
      lang: languages,
      ...(given ? { pages: given.replaceAll(/\s/g, "") } : {}),
    };
  }
  return { element, read };
}

function select(/** @type {string} */ id, choices) {
  return el("select", { id, name: id }, Object.entries(choices).map(([value, text]) => el("option", { value }, text)));
}
