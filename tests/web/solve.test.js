import assert from "node:assert/strict";
import { test } from "node:test";

import { refusalOf } from "../../src/quire/service/web/extractrequest.js";
import { answerOf, orderedFindings, summaryOf } from "../../src/quire/service/web/solveitems.js";
import { SolveState, entryText, outcomeName, phaseName, usageText } from "../../src/quire/service/web/solvestate.js";

const about = { role: "solver", round: 0, runner: "tools", attempt: 1 };
const event = (kind, payload, at = 0, stage = "solve") => ({ stage, kind, payload, at, document: null, page: null });

test("events become phases and attempts, and those sent again count once", () => {
  const state = new SolveState();
  const events = [
    event("started", { phase: "round 0", round: 0 }, 10),
    event("started", { phase: "solver 0 tools 1", ...about }, 11),
    event("progress", { ...about, entry: 0, entry_kind: "tool", name: "search", arguments: { query: "total" } }, 12),
    event("attempt", { engine: "tools", outcome: "ok" }, 12), // of the asker: no phase
    event("attempt", { phase: "solver 0 tools 1", ...about, outcome: "terminal", reason: "gone", usage: { turns: 2 } }, 14),
    event("finished", { phase: "round 0", open: 3 }, 15),
    event("started", { phase: "review", reviews: ["review-1"] }, 16),
  ];
  for (const one of [...events, ...events]) state.add(one);
  assert.deepEqual(state.list().map((one) => [one.phase, one.state, one.open]), [["round 0", "finished", 3], ["review", "started", undefined]]);
  const [attempt] = [...state.attempts.values()];
  assert.deepEqual([attempt.outcome, attempt.reason, attempt.usage.seconds, attempt.entries.length], ["terminal", "gone", 3, 1]);
  assert.equal(entryText(attempt.entries[0]), 'search {"query":"total"}');
  assert.deepEqual(state.reviews, ["review-1"]);
  assert.equal(state.add(event("finished", {}, 1, "page-blocks")), false);
});

test("a runner that floods is cut, and counted", () => {
  const state = new SolveState();
  for (let entry = 0; entry < 700; entry++) state.add(event("progress", { ...about, entry, entry_kind: "stdout", text: "<b>" }));
  const [attempt] = [...state.attempts.values()];
  assert.deepEqual([attempt.entries.length, attempt.left, attempt.outcome], [500, 200, null]);
});

test("what was used and what happened is said in words", () => {
  assert.equal(usageText({ turns: 1, tool_calls: 2, input_tokens: 1200, output_tokens: 300, cost: 0.01234 }), "1 turn · 2 tool calls · 1,500 tokens · 0.0123 US dollars");
  assert.equal(usageText({}), "");
  assert.equal(phaseName("round 0"), "First answer");
  assert.equal(phaseName("round 2"), "Round 2: findings are answered");
  assert.equal(outcomeName(null), "at work");
  assert.equal(outcomeName("over_budget"), "over its budget");
  assert.equal(entryText({ kind: "model", at: 0, payload: { tokens: 3 } }), '{"tokens":3}');
  assert.equal(entryText({ kind: "note", at: 0, payload: { text: "<script>" } }), "<script>");
});

test("places know their document where there are several", () => {
  const place = { number: 2, document: "r.2", page: 1, bboxes: [], blocks: [], quote: "" };
  const view = {
    values: { total: 1 }, evidence: { total: { ...place, alternatives: [{ ...place, number: 1 }] } }, coverage: { leaves: 1, found: 1, sure: 0, not_found: 0 },
    conflicts: [{ path: "total", reason: "", values: [place] }], not_found: [], findings: [{ open: false, path: "a" }, { open: true, path: "b" }],
  };
  const several = answerOf(view, ["first.pdf", "second.pdf"]);
  assert.equal(several.evidence.total.name, "second.pdf");
  assert.equal(several.evidence.total.alternatives[0].name, "first.pdf");
  assert.equal(several.conflicts[0].values[0].name, "second.pdf");
  assert.equal(answerOf(view, ["second.pdf"]).evidence.total.name, "");
  assert.deepEqual(orderedFindings(view.findings).map((one) => one.path), ["b", "a"]);
  assert.equal(summaryOf(view), "1 of 1 value at their place · 0 sure · 1 conflict · 1 open finding");
});

test("a refusal about a runner is shown at the runner", () => {
  assert.equal(refusalOf({ message: "runners: this server has no runner 'x'", status: 422 }).place, "runners");
  assert.equal(refusalOf({ message: "reviewer: this server has no runner 'x'", status: 422 }).place, "reviewer");
});
