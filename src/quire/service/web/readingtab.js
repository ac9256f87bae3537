// How the current page was read: its outcome, the attempts of engines, the times of stages, answers that were reused.

import { el, replace } from "./dom.js";
import { count, duration, engineName } from "./words.js";

const STAGES = {
  "native-text": "Text in the file",
  render: "Picture of the page",
  recognize: "OCR",
  "recognised-text": "Words placed on the page",
  "page-blocks": "Layout: blocks, tables, order",
};
const OUTCOMES = {
  ok: "used",
  hit: "answer reused",
  similar: "answer for a similar picture reused",
  weak: "not good enough",
  failed: "failed",
  timeout: "took too long",
  crashed: "crashed",
  garbage: "garbage",
};
const STATUS = { ok: "Read", empty: "Empty", failed: "Failed", skipped: "Not read" };

export class ReadingTab {
  constructor() {
    this.element = el("div", { class: "reading" });
  }

  show(/** @type {Api.PageView} */ view) {
    replace(this.element, outcome(view), attempts(view), stages(view.events), sources(view.blocks));
  }

  select() {}
}

function outcome({ page, path, blocks }) {
  const reused = path.filter((one) => one.outcome === "hit" || one.outcome === "similar").length;
  const read =
    page.engine === null
      ? "Nothing was found on it."
      : page.engine === "native"
        ? "The text is from the file itself, no OCR was needed."
        : `The text was recognised by ${page.engine}.`;
  return el(
    "section",
    {},
    el(
      "p",
      { class: "lead" },
      el("span", { class: "state", data: { state: page.status } }, STATUS[page.status]),
      ` ${count(blocks.length, "block")}`,
    ),
    page.reason ? el("p", { class: "reason" }, page.reason) : el("p", {}, read),
    page.status === "failed" &&
      el(
        "p",
        { class: "advice" },
        "The other pages are not affected. If the page is damaged, get the file again; otherwise add it again with another effort.",
      ),
    reused > 0 && el("p", {}, `${count(reused, "answer")} from the store: the engine was not asked again.`),
    el(
      "p",
      { class: "muted" },
      `${Math.round(page.width)} × ${Math.round(page.height)} points${page.rotation ? `, turned by ${page.rotation}°` : ""}`,
    ),
  );
}

/** Times are in the events alone: what was read is the same in every run. */
function attempts({ path, events }) {
  if (!path.length) return null;
  const times = events.filter((event) => event.kind === "attempt").map((event) => event.ms);
  return el(
    "section",
    {},
    el("h2", {}, "Attempts"),
    el(
      "ol",
      { class: "attempts" },
      path.map((one, at) =>
        el(
          "li",
          { data: { outcome: one.outcome } },
          el("span", { class: "attempt-engine" }, one.engine),
          el("span", { class: "attempt-outcome" }, OUTCOMES[one.outcome] ?? one.outcome),
          el("span", { class: "muted" }, times[at] ? duration(times[at]) : ""),
          one.reason && el("p", { class: "muted" }, one.reason),
        ),
      ),
    ),
  );
}

function stages(events) {
  const done = events.filter((event) => ["finished", "hit", "failed"].includes(event.kind));
  const longest = Math.max(1, ...done.map((event) => event.ms ?? 0));
  if (!done.length)
    return el("section", {}, el("h2", {}, "Stages"), el("p", { class: "muted" }, "Another run has read this page before: nothing was done again."));
  return el(
    "section",
    {},
    el("h2", {}, "Stages"),
    el(
      "ol",
      { class: "stages" },
      done.map((event) =>
        el(
          "li",
          { data: { kind: event.kind } },
          el("span", {}, STAGES[event.stage] ?? event.stage),
          el("span", { class: "muted" }, event.hit ? "from the store" : event.kind === "failed" ? "failed" : duration(event.ms ?? 0)),
          el("span", { class: "stage-bar", style: { width: `${Math.max(1, (100 * (event.ms ?? 0)) / longest)}%` } }),
        ),
      ),
    ),
  );
}

/** Which versions of engines the blocks are from. */
function sources(blocks) {
  const found = new Map();
  for (const { source, engine } of blocks) {
    const name = source ? `${engineName(source.engine)} ${source.version}` : engineName(engine);
    const key = source?.tier === "semantic" ? `${name}, for a similar picture (${source.similarity})` : name;
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  if (!found.size) return null;
  return el(
    "section",
    {},
    el("h2", {}, "Where the text is from"),
    el(
      "ul",
      { class: "origins" },
      [...found].map(([name, number]) => el("li", {}, el("span", {}, name), el("span", { class: "muted" }, count(number, "block")))),
    ),
  );
}
