// A document of a run in a list: its state, its progress, and what to do about it.

import { button, el, icon } from "./dom.js";
import { STATES, adviceFor, ago, count, duration, isActive } from "./words.js";

/** What a row says; `progress` is the `RunProgress` of a run that is followed. */
export function describe(document, run, progress) {
  const tally = progress?.of(document.sha256);
  const pages = document.ledger?.pages ?? document.pages ?? tally?.total ?? 0;
  const active = isActive(document.state);
  return {
    id: document.id,
    name: document.name || "Document without a name",
    state: document.state,
    status: document.status,
    error: document.error,
    category: document.category,
    submitted: document.submitted,
    type: run.type,
    values: document.extraction && document.id.split(".").at(-1),
    review: document.review?.split("/").at(-1),
    ledger: document.ledger,
    pages: tally?.total || pages,
    done: active && tally ? tally.count("done") : 0,
    failed: active && tally ? tally.count("failed") : document.ledger?.failed ?? 0,
    doing: active && progress ? (progress.connected ? doing(run, tally, progress) : "Connecting again…") : "",
  };
}

function doing(run, tally, progress) {
  const read = tally?.total && tally.count("done") + tally.count("failed") >= tally.total;
  return run.type === "extract" && read ? "Extracting the values" : progress.doing;
}

/** The row of a document: its name, what becomes of it, and where to go from it. */
export function documentRow(shown, run, cancel) {
  const active = isActive(shown.state);
  const opens = shown.state === "finished" || active;
  const name = opens
    ? el("a", { class: "name", href: `#/documents/${encodeURIComponent(shown.id)}`, data: { focus: `open-${shown.id}` } }, shown.name)
    : el("span", { class: "name" }, shown.name);
  return el(
    "div",
    { class: "document", data: { state: stateOf(shown), document: shown.id } },
    el("span", { class: "badge" }, icon(stateOf(shown) === "failed" ? "alert" : stateOf(shown) === "partial" ? "alert" : "file")),
    el(
      "div",
      { class: "about" },
      name,
      el("p", { class: "facts" }, facts(shown, run)),
      active && bar(shown),
      shown.error && shown.state === "failed" && el("p", { class: "reason" }, shown.error),
      ["failed", "cancelled"].includes(shown.state) && el("p", { class: "advice" }, adviceFor(shown)),
    ),
    shown.values && el("a", { class: "secondary small", href: `#/extract/${encodeURIComponent(run.id)}?document=${shown.values}`, "aria-label": `Values of ${shown.name}`, data: { focus: `values-${shown.id}` } }, "Values"),
    shown.review && el("a", { class: "secondary small", href: `#/review/work?review=${encodeURIComponent(shown.review)}`, "aria-label": `Review ${shown.name}`, data: { focus: `review-${shown.id}` } }, "Review"),
    el("span", { class: "state", data: { state: stateOf(shown) } }, label(shown)),
    active && button("Cancel", cancel, { class: "secondary small", "aria-label": `Cancel ${shown.name}`, data: { focus: `cancel-${shown.id}` } }),
  );
}

const stateOf = (shown) => (shown.state === "finished" && shown.status === "partial" ? "partial" : shown.state);

const label = (shown) => (stateOf(shown) === "partial" ? "Partly read" : STATES[shown.state]);

function facts(shown, run) {
  const listed = [];
  if (isActive(shown.state)) {
    if (shown.pages) listed.push(`${shown.done} of ${count(shown.pages, "page")}`);
    if (shown.doing) listed.push(shown.doing);
  } else if (shown.pages) listed.push(count(shown.pages, "page"));
  if (shown.failed) listed.push(`${count(shown.failed, "page")} failed`);
  if (shown.ledger?.empty) listed.push(`${shown.ledger.empty} empty`);
  if (run.documents.length === 1 && shown.state === "finished" && run.finished) listed.push(`in ${duration(1000 * (run.finished - run.submitted))}`);
  if (run.documents.length === 1) listed.push(ago(shown.submitted));
  if (shown.values) listed.push("values extracted");
  else if (!["read", "extract"].includes(shown.type)) listed.push(`by ${shown.type === "chunk" ? "a chunk" : "a conversion"} task`);
  return listed.join(" · ");
}

function bar(shown) {
  const total = shown.pages || 0;
  const made = el("progress", { max: total || 1, "aria-label": `Pages of ${shown.name} that are read` });
  if (total) made.value = shown.done + shown.failed;
  return made;
}
