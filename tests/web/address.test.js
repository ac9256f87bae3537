import assert from "node:assert/strict";
import { test } from "node:test";

import { parsedAddress } from "../../src/quire/service/web/address.js";

test("the first screen has no id", () => {
  const { path, id, asked } = parsedAddress("#/?q=total%20amount");
  assert.deepEqual([path, id, asked.get("q")], ["/", "", "total amount"]);
  assert.equal(parsedAddress("").path, "");
});

test("a document and a page are named by the address", () => {
  const { path, id, asked } = parsedAddress("#/documents/run-1.2?page=3&block=b%2F7");
  assert.deepEqual([path, id], ["/documents/", "run-1.2"]);
  assert.deepEqual([asked.get("page"), asked.get("block")], ["3", "b/7"]);
  assert.deepEqual(parsedAddress("#/extract/a%2Fb").id, "a/b");
});

test("an id that is written wrongly is the name of no document, and breaks nothing", () => {
  assert.deepEqual(parsedAddress("#/documents/%").id, "%");
});

test("deeper paths are no documents", () => {
  assert.deepEqual(parsedAddress("#/documents/a/b"), { ...parsedAddress("#/documents/a/b"), path: "/documents/a/b", id: "" });
  assert.equal(parsedAddress("#/review/work?review=1").path, "/review/work");
});
