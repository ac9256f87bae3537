// Parts of the screen of a solve: phases, attempts with what runners do, and findings.

import { el, icon } from "./dom.js";
import { shownValue } from "./reviewvalue.js";
import { orderedFindings } from "./solveitems.js";
import { entryText, outcomeName, phaseName, usageText } from "./solvestate.js";
import { duration } from "./words.js";

const SHOWN = 100; // entries of an attempt, the latest
const KINDS = {
  unsupported: "Not supported", invalid: "Does not fit", contradiction: "Contradiction", sum: "Does not add up", footnote: "Footnote",
  version: "Other version", missing: "Missing", doubt: "Doubt",
};
const ENTRIES = { model: "model", tool: "tool", stdout: "out", stderr: "err", note: "note" };

export function phasesView(/** @type {import("./solvestate.js").Phase[]} */ phases) {
  return el(
    "ol",
    { class: "solve-phases", "aria-label": "Phases" },
    phases.map(({ phase, state, started, finished, open }) =>
      el(
        "li",
        { data: { state } },
        state === "finished" ? icon("check") : el("span", { class: "spinner", "aria-hidden": "true" }),
        el("span", {}, phaseName(phase)),
        el(
          "span",
          { class: "muted" },
          state === "started" ? "going on" : [started && finished && duration(1000 * (finished - started)), open && `${open} open`].filter(Boolean).join(" · "),
        ),
      ),
    ),
  );
}

/** The attempts; `opened` are the keys of those whose timelines are shown, and stays so when this is drawn again. */
export function attemptsView(/** @type {[string, import("./solvestate.js").Attempt][]} */ attempts, /** @type {Set<string>} */ opened) {
  return el("ol", { class: "solve-attempts", "aria-label": "Attempts" }, attempts.map(([key, one]) => attemptView(key, one, opened)));
}

function attemptView(key, one, opened) {
  const failed = one.outcome !== null && !["ok", "hit"].includes(one.outcome);
  const spent = [one.usage.seconds !== undefined && one.usage.seconds !== null && duration(1000 * one.usage.seconds), usageText(one.usage)];
  return el(
    "li",
    { class: "solve-attempt" },
    el(
      "div",
      { class: "attempt-head" },
      el("strong", {}, one.runner),
      el("span", { class: "muted" }, `${one.role}${one.round ? `, round ${one.round}` : ""}${one.number > 1 ? `, attempt ${one.number}` : ""}`),
      el("span", { class: "mark", data: { doubt: failed ? "conflict" : one.outcome === null ? "low" : "" } }, outcomeName(one.outcome)),
      el("span", { class: "muted attempt-used" }, spent.filter(Boolean).join(" · ")),
    ),
    one.reason && el("p", { class: "value-reason" }, one.reason),
    one.entries.length > 0 && timelineView(key, one, opened),
  );
}

function timelineView(key, { entries, left, started }, opened) {
  const shown = entries.slice(-SHOWN);
  const skipped = entries.length - shown.length + left;
  const details = el(
    "details",
    { class: "solve-timeline", open: opened.has(key), on: { toggle: () => (details.open ? opened.add(key) : opened.delete(key)) } },
    el("summary", {}, `What it did: ${entries.length + left} ${entries.length + left === 1 ? "entry" : "entries"}`),
    skipped > 0 && el("p", { class: "muted" }, `The latest ${shown.length} are shown; the trace has all.`),
    el(
      "ol",
      { class: "solve-entries", tabIndex: 0, "aria-label": "Timeline" },
      shown.map((entry) =>
        el(
          "li",
          { data: { kind: entry.kind } },
          el("span", { class: "muted entry-at" }, `+${duration(1000 * Math.max(0, entry.at - started))}`),
          el("span", { class: "entry-kind" }, ENTRIES[entry.kind] ?? entry.kind),
          el("code", {}, entryText(entry)),
        ),
      ),
    ),
  );
  return details;
}

/** Findings, the open ones first; `look(finding)` shows the value and the place that speaks against it. */
export function findingsView(/** @type {Api.SolveFinding[]} */ findings, look) {
  return el(
    "ul",
    { class: "findings", "aria-label": "Findings" },
    orderedFindings(findings).map((one) =>
      el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "finding", on: { click: () => look(one) } },
          el("span", { class: "mark", data: { doubt: one.open ? "conflict" : "" } }, one.open ? (KINDS[one.kind] ?? one.kind) : `Note: ${KINDS[one.kind] ?? one.kind}`),
          el("span", { class: "value-name" }, one.path),
          el("span", { class: "finding-reason" }, one.reason),
          one.other !== null && el("span", { class: "muted" }, `${shownValue(one.value)} here, ${shownOther(one.other)} there`),
        ),
      ),
    ),
  );
}

const shownOther = (other) => (typeof other === "object" && other !== null ? JSON.stringify(other) : shownValue(other));
