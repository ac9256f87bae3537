import assert from "node:assert/strict";
import { test } from "node:test";

import { adviceFor, ago, count, duration, isActive, kindName, percent, size } from "../../src/quire/service/web/words.js";

test("numbers are written with their unit", () => {
  assert.equal(count(1, "page"), "1 page");
  assert.equal(count(12_345, "page"), "12,345 pages");
  assert.equal(count(2, "entry", "entries"), "2 entries");
  assert.equal(percent(0.98765), "98.8 %");
  assert.deepEqual([1023, 1024, 1025, 5 << 20].map(size), ["1023 bytes", "1 KB", "2 KB", "5.0 MB"]);
  assert.deepEqual([0.4, 999.6, 1500, 61_000].map(duration), ["< 1 ms", "1000 ms", "1.5 s", "1 min 1 s"]);
  assert.equal(kindName("page_number"), "Page number");
});

test("a clock that runs ahead of the server's is no time in the future", () => {
  assert.equal(ago(1000, 990), "just now");
  assert.equal(ago(1000, 1000 + 59), "just now");
  assert.equal(ago(1000, 1000 + 120), "2 minutes ago");
  assert.equal(ago(1000, 1000 + 3600), "1 hour ago");
});

test("an error says what to do, whatever is known about it", () => {
  assert.match(adviceFor({ state: "cancelled", category: "input", error: null }), /Read it again/);
  assert.match(adviceFor({ state: "failed", category: "input", error: "the PDF needs a Password" }), /without its password/);
  assert.match(adviceFor({ category: "transient" }), /passes by itself/);
  assert.equal(adviceFor({}), "");
});

test("work in progress is active, also when it was interrupted", () => {
  assert.deepEqual(["waiting", "running", "interrupted", "finished", "failed"].map(isActive), [true, true, true, false, false]);
});
