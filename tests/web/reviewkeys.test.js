import assert from "node:assert/strict";
import { test } from "node:test";

import { deskAct } from "../../src/quire/service/web/reviewkeys.js";

const VALUE = { ended: false, inList: false, missing: false, hasCursor: false };

test("a value is approved, one that is missing is typed", () => {
  assert.deepEqual(deskAct("Enter", VALUE), ["approve", 0]);
  assert.deepEqual(deskAct("Enter", { ...VALUE, missing: true }), ["type", 0]);
  assert.deepEqual(deskAct("a", { ...VALUE, missing: true }), ["approve", 0]);
});

test("arrows turn pages until a block is picked, and then move over its words", () => {
  assert.deepEqual(deskAct("ArrowRight", VALUE), ["stepPage", 1]);
  assert.deepEqual(deskAct("ArrowLeft", { ...VALUE, hasCursor: true }), ["stepWord", -1]);
  assert.deepEqual(deskAct("ArrowUp", { ...VALUE, hasCursor: true }), ["stepLine", -1]);
  assert.equal(deskAct("ArrowUp", VALUE), null, "what has the focus scrolls");
});

test("numbers take choices, as many as are shown", () => {
  assert.deepEqual(deskAct("1", VALUE), ["take", 0]);
  assert.deepEqual(deskAct("5", VALUE), ["take", 4]);
  assert.equal(deskAct("6", VALUE), null);
  assert.deepEqual(deskAct("0", VALUE), ["fitWidth", 0]);
});

test("plus adds a row to a list, and enlarges the page without one", () => {
  assert.deepEqual(deskAct("+", { ...VALUE, inList: true }), ["addRow", 0]);
  assert.deepEqual(deskAct("+", VALUE), ["larger", 0]);
  assert.deepEqual(deskAct("=", { ...VALUE, inList: true }), ["larger", 0]);
});

test("behind the last value only undo, samples and another look are left", () => {
  const ended = { ...VALUE, ended: true };
  assert.deepEqual(["z", "s", "Enter"].map((key) => deskAct(key, ended)?.[0]), ["undo", "markAll", "lookAgain"]);
  assert.deepEqual(["a", "1", "ArrowRight", "+"].map((key) => deskAct(key, ended)), [null, null, null, null]);
});

test("names of properties that every object has are no keys", () => {
  for (const key of ["constructor", "toString", "__proto__"]) assert.equal(deskAct(key, VALUE), null);
});
