import assert from "node:assert/strict";
import { test } from "node:test";

import { comparing, isWanted, stateOf } from "../../src/quire/service/web/documentorder.js";

const listed = [
  { name: "Letter 10.pdf", state: "finished", status: "complete", pages: 2, submitted: 1 },
  { name: "letter 9.pdf", state: "failed", status: null, pages: 0, submitted: 3 },
  { name: "scan.png", state: "finished", status: "partial", pages: 2, submitted: 2 },
  { name: "annual.pdf", state: "interrupted", status: null, pages: 80, submitted: 4 },
];
const namesBy = (by, way) => listed.toSorted(comparing(by, way)).map((one) => one.name);

test("names are sorted as people count: 9 before 10, large letters like small ones", () => {
  assert.deepEqual(namesBy("name", 1), ["annual.pdf", "letter 9.pdf", "Letter 10.pdf", "scan.png"]);
});

test("the latest comes first among equals, in both directions", () => {
  assert.deepEqual(namesBy("pages", -1), ["annual.pdf", "scan.png", "Letter 10.pdf", "letter 9.pdf"]);
  assert.deepEqual(namesBy("pages", 1), ["letter 9.pdf", "scan.png", "Letter 10.pdf", "annual.pdf"]);
});

test("what needs attention comes first by state", () => {
  assert.deepEqual(namesBy("state", 1), ["letter 9.pdf", "scan.png", "annual.pdf", "Letter 10.pdf"]);
});

test("a document that lacks pages is partly read, and not read", () => {
  assert.equal(stateOf(listed[2]), "partial");
  assert.equal(isWanted(listed[2], "", "finished"), false);
  assert.equal(isWanted(listed[2], "", "partial"), true);
});

test("filters take parts of names, and work in progress of any kind", () => {
  const found = (name, state) => listed.filter((one) => isWanted(one, name, state)).map((one) => one.name);
  assert.deepEqual(found(" LETTER ", ""), ["Letter 10.pdf", "letter 9.pdf"]);
  assert.deepEqual(found("", "active"), ["annual.pdf"]);
  assert.deepEqual(found("letter", "failed"), ["letter 9.pdf"]);
});
