import assert from "node:assert/strict";
import { test } from "node:test";

import { DocumentModel } from "../../src/quire/service/web/model.js";

const opened = () => new DocumentModel({ id: "run/1.1", page_list: [3, 4, 7].map((number) => ({ number })) });
const heard = (model, ...names) => {
  const log = [];
  for (const name of names) model.addEventListener(name, ({ detail }) => log.push(`${name} ${detail.origin ?? ""}`.trim()));
  return log;
};

test("a document of some pages begins at the first of them, and knows no others", () => {
  const model = opened();
  const log = heard(model, "page");
  assert.deepEqual([model.current, model.last, model.at(4), model.at(5)], [3, 7, 1, -1]);
  model.setCurrent(5, "field");
  model.setCurrent(3, "field");
  assert.deepEqual(log, []);
  assert.equal(model.path("/tables"), "api/documents/run%2F1.1/tables");
});

test("selecting a block turns to its page; the same one twice is told once", () => {
  const model = opened();
  const log = heard(model, "select", "page");
  for (const origin of ["panel", "panel", "again"]) model.select({ block: "b", page: 4 }, origin);
  model.select(null, "key");
  assert.deepEqual(log, ["select panel", "page panel", "select again", "select key"]);
});

test("hits go round, in both directions", () => {
  const model = opened();
  model.goToHit(0);
  assert.equal(model.selected, null);
  model.setHits([{ page: 3, block: "a", bbox: null }, { page: 7, block: "b", bbox: null }], -1, "total");
  for (const [at, block] of [[0, "a"], [1, "b"], [2, "a"], [-1, "b"]]) {
    model.goToHit(at);
    assert.equal(model.selected.block, block);
  }
  assert.equal(model.current, 7);
});

test("text from the file itself has no confidence, and passes only while that is no question", () => {
  const model = opened();
  const [native, unsure] = [{ kind: "paragraph", engine: "native", confidence: null }, { kind: "paragraph", engine: "tesseract", confidence: 0.6 }];
  assert.equal(model.filtered, false);
  model.setFilter({ confidence: 0.8 });
  assert.deepEqual([model.shows(native), model.shows(unsure), model.filtered], [false, true, true]);
  model.setFilter({ confidence: 1, engines: new Set(["tesseract"]) });
  assert.deepEqual([model.shows(native), model.shows(unsure)], [true, false]);
  model.setFilter({ kinds: new Set(["paragraph"]) });
  assert.equal(model.shows(native), false);
});
