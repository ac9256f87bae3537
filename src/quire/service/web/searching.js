// Search inside the document: the field in the bar, the hits in the panel and on the pages.

import { getJson } from "./api.js";
import { button, debounced, el, icon, replace } from "./dom.js";
import { count } from "./words.js";

const MOST = 200;

export class Search {
  /** `onResults` is called when there is something to show in the panel. */
  constructor(/** @type {DocumentModel} */ model, onResults) {
    this.model = model;
    this.onResults = onResults;
    this.total = 0;
    this.query = "";
    this.stop = null;
    this.input = el("input", {
      type: "search", id: "search", placeholder: "Search", "aria-label": "Search in the document", autocomplete: "off", spellcheck: "false", maxlength: "500",
      on: { input: debounced(() => this.run(this.input.value), 200), keydown: (event) => this._key(event) },
    });
    this.count = el("span", { class: "search-count", role: "status" });
    this.field = el(
      "div",
      { class: "search", role: "search" },
      icon("search"),
      this.input,
      this.count,
      button("Previous hit", () => this.step(-1), { icon: "up", class: "quiet" }),
      button("Next hit", () => this.step(1), { icon: "down", class: "quiet" }),
    );
    this.element = el("div", { class: "found" });
    model.addEventListener("hits", () => this._mark());
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  async run(/** @type {string} */ text) {
    const query = text.trim();
    if (query && query === this.query) return;
    this.stop?.abort();
    this.query = query;
    if (!query) {
      this.clear();
      return;
    }
    this.stop = new AbortController();
    try {
      /** @type {Api.SearchResult} */
      const found = await getJson(this.model.path(`/search?q=${encodeURIComponent(query)}&limit=${MOST}`), { signal: this.stop.signal });
      this.total = found.total;
      this._list(found.hits);
      this.model.setHits(found.hits, -1, query);
      this.onResults(true);
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(this.element, el("p", { class: "reason" }, error.message));
      this.onResults(true);
    }
  }

  clear() {
    this.query = "";
    this.input.value = "";
    this.total = 0;
    this.model.setHits([]);
    this.onResults(false);
  }

  step(/** @type {number} */ by) {
    const { hit, hits } = this.model;
    this.model.goToHit(hit < 0 && by < 0 ? hits.length - 1 : hit + by);
  }

  _key(event) {
    if (event.key === "Enter") this.run(this.input.value).then(() => this.step(event.shiftKey ? -1 : 1));
    else if (event.key === "Escape") {
      this.clear();
      this.input.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  _list(hits) {
    const rest = this.total - hits.length;
    replace(
      this.element,
      !hits.length && el("p", { class: "muted" }, `“${this.query}” is not in this document.`),
      el(
        "ol",
        {},
        hits.map((hit, at) =>
          el(
            "li",
            {},
            el(
              "button",
              { type: "button", class: "found-hit", on: { click: () => this.model.goToHit(at) } },
              el("span", { class: "order" }, `p. ${hit.page}`),
              el("span", {}, this._marked(hit.snippet)),
            ),
          ),
        ),
      ),
      rest > 0 && el("p", { class: "muted" }, `and ${count(rest, "more hit", "more hits")}`),
    );
  }

  /** The snippet with the query marked in it; accents and line breaks may hide it. */
  _marked(snippet) {
    const at = snippet.toLowerCase().indexOf(this.query.toLowerCase());
    const end = at + this.query.length;
    return at < 0 ? snippet : [snippet.slice(0, at), el("mark", {}, snippet.slice(at, end)), snippet.slice(end)];
  }

  _mark() {
    const { hit, hits } = this.model;
    this.count.textContent = !this.query ? "" : hit < 0 ? String(this.total) : `${hit + 1} of ${this.total}`;
    this.field.classList.toggle("active", hits.length > 0);
    [...this.element.querySelectorAll(".found-hit")].forEach((each, at) => {
      if (at === hit) {
        each.setAttribute("aria-current", "true");
        each.scrollIntoView({ block: "nearest" });
      } else each.removeAttribute("aria-current");
    });
  }
}
