import assert from "node:assert/strict";
import { test } from "node:test";

import { decisionFor, firstOf, isList, isPending, noEvidence, pendingAfter } from "../../src/quire/service/web/reviewitems.js";
import { choicesOf, shownValue, sureness } from "../../src/quire/service/web/reviewvalue.js";
import { placesOf } from "../../src/quire/service/web/reviewsession.js";

const BOX = { left: 0.1, top: 0.2, width: 0.3, height: 0.02 };
const item = (path, more = {}) => ({
  review: "r", path, value: "x", extracted: "x", doubt: "low", state: "open", evidence: noEvidence(), conflict: null, decision: null, ...more,
});
const offered = (value, page = 2) => ({ value, page, bboxes: [BOX], blocks: ["b1"], quote: value, confidence: 0.5 });

test("a claim with rows is a list, also when none of them was found", () => {
  assert.equal(isList({ columns: [], items: [item("total")] }), false);
  assert.equal(isList({ columns: [], items: [item("lines[0].amount")] }), true);
  assert.equal(isList({ columns: [{ field: "lines[].amount", title: "Amount" }], items: [item("lines")] }), true);
});

test("work begins at the first value in doubt, and at that of a decision that was withdrawn", () => {
  const items = [item("a", { doubt: "" }), item("b"), item("c")];
  assert.equal(firstOf(items, null).path, "b");
  assert.equal(firstOf(items, { review: "r", path: "c" }).path, "c");
  assert.equal(firstOf(items, { review: "another", path: "c" }).path, "b");
  assert.equal(firstOf([item("a", { doubt: "" })], null).path, "a");
});

test("behind the last cell in doubt the first one comes again, and decided ones do not", () => {
  const items = [item("[0].a"), item("[0].b", { state: "confirmed" }), item("[1].a", { doubt: "", added: true }), item("[1].b", { doubt: "" })];
  assert.equal(pendingAfter(items, items[0]).path, "[1].a");
  assert.equal(pendingAfter(items, items[2]).path, "[0].a");
  assert.deepEqual(items.map(isPending), [true, false, true, false]);
});

test("taking what was extracted approves it, unless another value stands there by now", () => {
  assert.deepEqual(decisionFor(item("total"), offered("x")), { action: "approve" });
  const corrected = decisionFor(item("total", { decision: { value: "y" } }), offered("x"));
  assert.deepEqual([corrected.action, corrected.value, corrected.page], ["correct", "x", 2]);
  assert.equal(decisionFor(item("total"), offered("y", 0)).page, null, "a value without a place has no page");
});

test("the choices of a conflict come before the alternatives, each place once, five at most", () => {
  const evidence = { ...noEvidence(), alternatives: [offered("a"), offered("b"), offered("c", 3), offered("d"), offered("e"), offered("f")] };
  const conflict = { path: "total", values: [offered("x"), offered("a")], reason: "two totals" };
  assert.deepEqual(choicesOf(item("total", { evidence, conflict })).map((one) => one.value), ["x", "a", "b", "c", "d"]);
  assert.deepEqual(choicesOf(item("total", { evidence })).map((one) => one.value), ["a", "b", "c", "d", "e"]);
});

test("places without a page or a box are not shown", () => {
  const evidence = { ...noEvidence(), page: 1, bboxes: [BOX], blocks: ["b0"], alternatives: [offered("a"), { ...offered("b"), page: 0 }] };
  assert.deepEqual(placesOf(item("total", { evidence })).map((place) => place.page), [1, 2]);
  const decision = { page: 5, bboxes: [BOX], blocks: [] };
  assert.equal(placesOf(item("total", { evidence, decision }))[0].page, 5);
});

test("a value never looks surer than it is", () => {
  assert.equal(sureness({ probability: 0.999 }), "99 % sure");
  assert.equal(sureness({ probability: null }), "");
  assert.deepEqual([null, "", false, 0].map(shownValue), ["—", "—", "no", "0"]);
});
