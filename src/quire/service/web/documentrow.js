// A document of a run in the list: its first page, its state and progress, and what can be done about it.

import { stateOf } from "./documentorder.js";
import { button, el, icon, replace } from "./dom.js";
import { STATES, adviceFor, ago, count, duration, isActive } from "./words.js";

/** What a row says; `progress` is the `RunProgress` of a run that is followed. */
export function describe(/** @type {Api.DocumentSummary} */ document, /** @type {Api.Run} */ run, progress) {
  const tally = progress?.of(document.sha256);
  const pages = document.ledger?.pages ?? document.pages ?? tally?.total ?? 0;
  const active = isActive(document.state);
  const alone = run.documents.length === 1;
  return {
    id: document.id,
    name: document.name || "Document without a name",
    state: document.state,
    status: document.status,
    error: document.error,
    category: document.category,
    submitted: document.submitted,
    added: ago(document.submitted),
    took: alone && document.state === "finished" && run.finished ? duration(1000 * (run.finished - run.submitted)) : "",
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

function doing(/** @type {Api.Run} */ run, /** @type {PageProgress | null | undefined} */ tally, progress) {
  const read = tally?.total && tally.count("done") + tally.count("failed") >= tally.total;
  if (read && run.type === "solve") return "Solving the task";
  return run.type === "extract" && read ? "Extracting the values" : progress.doing;
}

/** Fill the row of a document. `cancel(run)`, `again(shown)` and `remove(shown)` act on it. */
export function documentRow(row, shown, run, { cancel, again, remove, thumbnails }) {
  const active = isActive(shown.state);
  const state = stateOf(shown);
  Object.assign(row.dataset, { state, document: shown.id });
  const picture = el("td", { class: "column-picture" }, icon(["failed", "partial"].includes(state) ? "alert" : "file"));
  if (shown.state === "finished") thumbnails.watch(picture, shown.id);
  const act = (label, name, work, drawing) =>
    button(`${label} ${shown.name}`, work, { icon: drawing, class: "tool", title: label, data: { focus: `${name}-${shown.id}` } });
  const acts = [
    active && act("Cancel", "cancel", () => cancel(run.id), "close"),
    ["failed", "partial", "cancelled"].includes(state) && act("Read again", "again", () => again(shown), "again"),
    !active && act("Delete", "remove", () => remove(shown), "trash"),
  ];
  replace(
    row,
    picture,
    el("td", { class: "column-name" }, nameOf(shown, active), said(shown, run)),
    el("td", { class: "column-pages" }, shown.pages ? String(shown.pages) : ""),
    el("td", { class: "column-state" }, stateMark(shown)),
    el("td", { class: "column-submitted" }, shown.added),
    el("td", { class: "column-actions" }, el("div", {}, links(shown, run), acts)),
  );
}

/** A document that is shown alone, as long as it has no values; `cancel` is null where its run is not about it alone. */
export function documentStatus(/** @type {Shown} */ shown, /** @type {Api.Run} */ run, cancel) {
  return el(
    "div",
    { class: "document", data: { state: stateOf(shown), document: shown.id } },
    el("div", { class: "about" }, nameOf(shown, isActive(shown.state)), said(shown, run)),
    stateMark(shown),
    cancel && isActive(shown.state) && button("Cancel", cancel, { class: "secondary small", "aria-label": `Cancel ${shown.name}` }),
  );
}

/** What becomes of a document, and what to do if it failed. */
function said(/** @type {Shown} */ shown, /** @type {Api.Run} */ run) {
  return [
    el("p", { class: "facts" }, facts(shown, run)),
    isActive(shown.state) && bar(shown),
    shown.error && shown.state === "failed" && el("p", { class: "reason" }, shown.error),
    ["failed", "cancelled"].includes(shown.state) && el("p", { class: "advice" }, adviceFor(shown)),
  ];
}

const stateMark = (/** @type {Shown} */ shown) => el("span", { class: "state", data: { state: stateOf(shown) } }, label(shown));

const label = (/** @type {Shown} */ shown) => (stateOf(shown) === "partial" ? "Partly read" : STATES[shown.state]);

function nameOf(/** @type {Shown} */ shown, active) {
  if (shown.state !== "finished" && !active) return el("span", { class: "name", title: shown.name }, shown.name);
  const href = `#/documents/${encodeURIComponent(shown.id)}`;
  return el("a", { class: "name", href, title: shown.name, data: { focus: `open-${shown.id}` } }, shown.name);
}

function links(/** @type {Shown} */ shown, /** @type {Api.Run} */ run) {
  const link = (text, href, said, name) =>
    el("a", { class: "secondary small", href, "aria-label": `${said} ${shown.name}`, data: { focus: `${name}-${shown.id}` } }, text);
  const values = `#/extract/${encodeURIComponent(run.id)}?document=${shown.values}`;
  return [
    shown.type === "solve" && link("Answer", `#/solve/${encodeURIComponent(run.id)}`, "Answer about", "answer"),
    shown.values && link("Values", values, "Values of", "values"),
    shown.review && link("Review", `#/review/work?review=${encodeURIComponent(shown.review)}`, "Review", "review"),
  ];
}

function facts(/** @type {Shown} */ shown, /** @type {Api.Run} */ run) {
  const listed = [];
  if (isActive(shown.state)) {
    if (shown.pages) listed.push(`${shown.done} of ${count(shown.pages, "page")}`);
    if (shown.doing) listed.push(shown.doing);
  }
  if (shown.failed) listed.push(`${count(shown.failed, "page")} failed`);
  if (shown.ledger?.empty) listed.push(`${shown.ledger.empty} empty`);
  if (shown.took) listed.push(`in ${shown.took}`);
  if (run.documents.length > 1) listed.push(`one of ${run.documents.length} in its run`);
  if (shown.values) listed.push("values extracted");
  else if (!["read", "extract", "solve"].includes(shown.type)) listed.push(`by ${shown.type === "chunk" ? "a chunk" : "a conversion"} task`);
  return listed.join(" · ");
}

function bar(/** @type {Shown} */ shown) {
  const total = shown.pages || 0;
  const made = el("progress", { max: total || 1, "aria-label": `Pages of ${shown.name} that are read` });
  if (total) made.value = shown.done + shown.failed;
  return made;
}
