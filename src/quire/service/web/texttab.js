// The text of the current page as it reads, built from its blocks.

import { cropBox } from "./crops.js";
import { el, replace } from "./dom.js";
import { markHits } from "./marking.js";
import { boxesOn } from "./model.js";
import { gridOf } from "./tablegrid.js";

export class TextTab {
  constructor(/** @type {DocumentModel} */ model) {
    this.model = model;
    this.element = el("div", { class: "prose" });
    model.addEventListener("hits", () => this.mark());
  }

  show(/** @type {Api.PageView} */ view) {
    const content = textOf(view, this.model);
    replace(this.element, content.length ? content : el("p", { class: "muted" }, "There is no text on this page."));
    this.select();
    this.mark();
  }

  mark() {
    const { hits, current, query } = this.model;
    markHits(this.element, hits.filter((hit) => hit.page === current), query);
  }

  select() {
    markSelected(this.element, this.model);
  }
}

/** Mark the selected block, and bring it into view. */
export function markSelected(within, model, { scroll = true } = {}) {
  for (const each of within.querySelectorAll("[data-block]")) {
    const chosen = each.dataset.block === model.selected?.block;
    each.classList.toggle("selected", chosen);
    if (each.hasAttribute("aria-pressed")) each.setAttribute("aria-pressed", String(chosen));
    if (chosen && scroll) each.scrollIntoView({ block: "nearest" });
  }
}

/** The blocks of a view as elements, which select their block when they are clicked. */
export function textOf(/** @type {Api.PageView} */ view, /** @type {DocumentModel} */ model) {
  return view.blocks.map((block) => {
    const made = block.kind === "figure" ? figureOf(block, view, model) : elementOf(block);
    made.dataset.block = block.id;
    made.dataset.kind = block.kind;
    made.classList.add("piece");
    made.addEventListener("click", () => getSelection()?.isCollapsed && model.select({ block: block.id, page: view.page.number }, "panel"));
    return made;
  });
}

function elementOf(/** @type {Api.Block} */ block) {
  switch (block.kind) {
    case "title":
      return el("h2", { class: "doc-title" }, spansOf(block));
    case "heading":
      return el("h3", { data: { level: String(Math.min(block.level ?? 1, 4)) } }, spansOf(block));
    case "list_item":
      return el(
        "p",
        { class: "item", style: { "--level": String(Math.max((block.level ?? 1) - 1, 0)) } },
        el("span", { class: "marker" }, block.marker || "•"),
        el("span", {}, spansOf(block, markerLength(block))),
      );
    case "table":
      return el("div", { class: "grid", tabIndex: 0, role: "group", "aria-label": "Table" }, block.table ? gridOf(block.table) : block.text);
    case "code":
    case "formula":
      return el("pre", { tabIndex: 0 }, block.text);
    default:
      return el("p", { class: block.kind }, spansOf(block));
  }
}

/** A figure as it looks on the page; the text in it where the page has no picture. */
function figureOf(/** @type {Api.Block} */ block, /** @type {Api.PageView} */ view, /** @type {DocumentModel} */ model) {
  const { number, has_image: drawn } = view.page;
  const made = el("figure", { class: "figure" }, el("figcaption", {}, block.text || "Figure"));
  const boxes = drawn ? boxesOn(block, number) : [];
  if (!boxes.length) return made;
  const shown = (url) => replace(made, el("img", { src: url, alt: block.text ? `Figure: ${block.text}` : "Figure" }));
  model.crops.url(model.id, number, cropBox(boxes, 0)).then(shown, () => {}); // its text stays
  return made;
}

/** The text of a block with its bold, italic and other runs. Offsets count characters, not UTF-16 units. */
function spansOf(/** @type {Api.Block} */ block, skip = 0) {
  const spans = block.spans ?? [];
  const characters = [...block.text];
  const made = [];
  let at = skip;
  for (const span of spans) {
    if (span.start > at) made.push(flowing(characters.slice(at, span.start).join("")));
    const text = flowing(characters.slice(Math.max(span.start, at), span.end).join(""));
    if (text) made.push(styled(span, text));
    at = Math.max(at, span.end);
  }
  if (at < characters.length) made.push(flowing(characters.slice(at).join("")));
  return made;
}

/** The text of a list item begins with its marker, which is shown beside it. */
function markerLength(/** @type {Api.Block} */ { marker, text }) {
  if (!marker || !text.startsWith(marker)) return 0;
  const rest = text.slice(marker.length);
  return [...text].length - [...rest.trimStart()].length;
}

/** @type {Record<string, keyof HTMLElementTagNameMap>} */
const TAGS = { bold: "strong", italic: "em", superscript: "sup", subscript: "sub", code: "code" };

function styled(/** @type {Api.Span} */ span, /** @type {string} */ text) {
  /** @type {HTMLElement | string} */
  let made = span.link ? linked(span.link, text) : text;
  for (const [flag, tag] of Object.entries(TAGS)) if (span[flag]) made = el(tag, {}, made);
  return typeof made === "string" ? document.createTextNode(made) : made;
}

/** A link of a document leads somewhere only if it is a web address; it opens in a tab that knows nothing of this one. */
function linked(address, /** @type {string} */ text) {
  if (!/^https?:\/\//i.test(address)) return text;
  return el("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow", title: address }, text);
}

/** Line breaks of the page are not those of the text. */
const flowing = (/** @type {string} */ text) => text.replaceAll("\n", " ");
