// The filters: kinds, engines, confidence. The kinds are the legend of the colours, too.

import { el, replace } from "./dom.js";
import { KINDS, engineName, kindName, percent } from "./words.js";

/** Fill the panel of the menu for the page that is shown. */
export async function fillFilters(panel, /** @type {DocumentModel} */ model) {
  const view = await model.view(model.current).catch(() => ({ blocks: [] }));
  const kinds = tally(view.blocks.map((block) => block.kind));
  const engines = tally(view.blocks.map((block) => block.engine));
  for (const page of model.pages) if (page.engine && !engines.has(page.engine)) engines.set(page.engine, 0);
  const value = el("output", { htmlFor: "confidence" }, shownConfidence(model));
  replace(
    panel,
    el("div", { class: "filter-head" }, el("h2", {}, "Kinds"), all(panel, model)),
    el("div", { class: "filter-kinds" }, KINDS.map((kind) => choice(model, "kinds", kind, kindName(kind), kinds.get(kind) ?? 0))),
    el("h2", {}, "Read from"),
    el("div", { class: "filter-engines" }, [...engines].map(([engine, number]) => choice(model, "engines", engine, engineName(engine), number))),
    el("label", { class: "filter-range", htmlFor: "confidence" }, el("span", {}, "Confidence at most"), value),
    el("input", {
      type: "range", id: "confidence", min: "0.5", max: "1", step: "0.01", value: String(model.filter.confidence),
      on: {
        input: (event) => {
          model.setFilter({ confidence: Number(event.target.value) });
          value.textContent = shownConfidence(model);
        },
      },
    }),
    el("p", { class: "muted" }, "Lower it to see only what OCR was unsure about."),
  );
}

const shownConfidence = (/** @type {DocumentModel} */ model) => (model.filter.confidence >= 1 ? "all" : percent(model.filter.confidence));

function choice(/** @type {DocumentModel} */ model, what, /** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ number) {
  const change = (event) => {
    const hidden = new Set(model.filter[what]);
    if (event.target.checked) hidden.delete(name);
    else hidden.add(name);
    model.setFilter({ [what]: hidden });
  };
  return el(
    "label",
    { class: "check", data: what === "kinds" ? { kind: name } : {} },
    el("input", { type: "checkbox", checked: !model.filter[what].has(name), on: { change } }),
    what === "kinds" && el("span", { class: "swatch" }),
    el("span", { class: "check-name" }, label),
    el("span", { class: "muted" }, number ? String(number) : ""),
  );
}

function all(panel, /** @type {DocumentModel} */ model) {
  const set = (kinds) => () => {
    model.setFilter(kinds.length ? { kinds: new Set(kinds) } : { kinds: new Set(), engines: new Set(), confidence: 1 });
    fillFilters(panel, model);
  };
  const small = (text, kinds) => el("button", { type: "button", class: "link", on: { click: set(kinds) } }, text);
  return el("span", { class: "filter-all" }, small("all", []), small("none", KINDS));
}

function tally(names) {
  const found = new Map();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}
