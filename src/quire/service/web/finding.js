// Search over all documents: the field on the first screen, hits with their words marked and their place as a picture.

import { getJson, pause, request } from "./api.js";
import { button, debounced, el, first, icon, replace } from "./dom.js";
import { count } from "./words.js";

const MOST = 10;
const WAIT_MS = 60; // after the last key: with the search itself, hits are there within 200 ms
const CROPS_MS = 300; // without a key: a query that is not finished needs no pictures
const CROPS_AT_ONCE = 3; // a browser has six connections to a server

export class Finding {
  constructor(/** @type {string} */ query) {
    this.query = "";
    this.stop = null;
    this.urls = [];
    this.input = el("input", {
      type: "search",
      id: "find",
      placeholder: "Search in all documents",
      "aria-label": "Search in all documents",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: "500",
      value: query,
      on: { input: debounced(() => this.run(), WAIT_MS), keydown: (event) => this._key(event) },
    });
    this.status = el("p", { class: "find-status muted", role: "status" });
    this.hits = el("ol", { class: "find-hits", on: { keydown: (event) => this._move(event) } });
    this.element = el(
      "section",
      { class: "find", role: "search", "aria-label": "All documents" },
      el("div", { class: "find-field" }, icon("search"), this.input, button("Clear the search", () => this.clear(), { icon: "close", class: "quiet" })),
      this.status,
      this.hits,
    );
    if (query) this.run();
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  clear() {
    this.input.value = "";
    this.run();
    this.input.focus();
  }

  close() {
    this.closed = true;
    this.stop?.abort();
    this._forget();
  }

  async run() {
    const query = this.input.value.trim();
    if (this.closed || query === this.query) return;
    this.stop?.abort();
    this.query = query;
    history.replaceState(null, "", query ? `#/?q=${encodeURIComponent(query)}` : "#/"); // so that the way back leads here
    if (!query) {
      this._show([], "");
      return;
    }
    const stop = (this.stop = new AbortController());
    try {
      /** @type {Api.FoundPlaces} */
      const found = await getJson(`api/search?q=${encodeURIComponent(query)}&k=${MOST}`, { signal: stop.signal });
      this._show(found.hits, found.hits.length ? `${count(found.hits.length, "passage")}, the best first` : `Nothing about “${query}” was found.`);
      await this._crops(found.hits, stop.signal);
    } catch (error) {
      if (error.name !== "AbortError" && !this.closed) this._show([], error.message);
    }
  }

  _show(hits, status) {
    this._forget();
    this.status.textContent = status;
    replace(this.hits, hits.map((hit) => el("li", {}, hitLink(hit))));
  }

  /** Pictures come after the texts, a few at a time, the best first. */
  async _crops(hits, /** @type {AbortSignal} */ signal) {
    await pause(CROPS_MS, signal);
    const waiting = [...hits.entries()].filter(([, hit]) => hit.crop);
    const fetchSome = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [at, hit] = next;
        const picture = await request(hit.crop.replace(/^\//, ""), { signal }).then((response) => response.blob()).catch(() => null);
        if (signal.aborted) return;
        if (picture) this._showCrop(at, picture);
      }
    };
    await Promise.all(Array.from({ length: CROPS_AT_ONCE }, fetchSome));
  }

  _showCrop(/** @type {number} */ at, picture) {
    const url = URL.createObjectURL(picture);
    this.urls.push(url);
    first(this.hits.children[at], ".find-crop")?.append(el("img", { src: url, alt: "" }));
  }

  _forget() {
    for (const url of this.urls.splice(0)) URL.revokeObjectURL(url);
  }

  _key(event) {
    const first = this.hits.querySelector("a");
    if (event.key === "Escape") this.clear();
    else if (event.key === "ArrowDown" && first) first.focus();
    else if (event.key === "Enter") this.run();
    else return;
    event.preventDefault();
  }

  /** Arrows go from hit to hit, and from the first back to the field. */
  _move(event) {
    const links = [...this.hits.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    if (at < 0 || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "ArrowUp" && at === 0) this.focus();
    else links[Math.min(at + (event.key === "ArrowDown" ? 1 : -1), links.length - 1)].focus();
  }
}

function hitLink(hit) {
  const block = hit.blocks.length ? `&block=${encodeURIComponent(hit.blocks[0])}` : "";
  const also = hit.also.length ? `, also in ${hit.also.join(", ")}` : "";
  return el(
    "a",
    { class: "find-hit", href: `#/documents/${encodeURIComponent(hit.document)}?page=${hit.page}${block}`, title: hit.reason },
    el("span", { class: "find-about" }, el("strong", {}, hit.name), ` page ${hit.page}${also}`),
    hit.section.length > 0 && el("span", { class: "find-section muted" }, hit.section.join(" › ")),
    el("div", { class: "find-text" }, excerpt(hit.excerpt)),
    el("span", { class: "find-crop" }),
  );
}

/** The excerpt: its lines of text, and its rows as tables. */
function excerpt(lines) {
  /** @type {Child[]} */
  const parts = [];
  let rows = /** @type {HTMLElement[] | null} */ (null);
  for (const line of lines) {
    const isRow = line.kind === "header" || line.kind === "row";
    if (!isRow) {
      if (line.kind === "gap" && rows) rows.push(el("tr", { class: "gap" }, el("td", { colspan: "99" }, "…")));
      else parts.push(el("span", { class: "find-line" }, line.kind === "gap" ? "…" : marked(line.cells[0])));
      continue;
    }
    if (!rows) {
      rows = [];
      parts.push(rows);
    }
    rows.push(el("tr", {}, line.cells.map((cell) => el(line.kind === "header" && cell.text ? "th" : "td", {}, marked(cell)))));
  }
  return parts.map((part) => (part === rows ? el("table", {}, el("tbody", {}, rows)) : part));
}

/** A text with its matching words marked. Marks count characters as Python does. */
function marked({ text, marks }) {
  const letters = [...text];
  const parts = [];
  let at = 0;
  for (const [start, stop] of marks) {
    parts.push(letters.slice(at, start).join(""), el("mark", {}, letters.slice(start, stop).join("")));
    at = stop;
  }
  return [...parts, letters.slice(at).join("")];
}
