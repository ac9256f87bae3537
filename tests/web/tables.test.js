import assert from "node:assert/strict";
import { test } from "node:test";

import { rowsOf, tabbedOf } from "../../src/quire/service/web/tablegrid.js";
import { itemsOf } from "../../src/quire/service/web/valuelist.js";

const cell = (row, column, text, more = {}) => ({ row, column, row_span: 1, column_span: 1, header: false, text, page: 1, bbox: null, ...more });

test("a cell that spans others leaves their places empty, and one beyond the grid breaks nothing", () => {
  const table = { rows: 2, columns: 3, cells: [cell(0, 0, "Year", { column_span: 2 }), cell(0, 2, "Sum", { row_span: 5 }), cell(1, 0, "2025")] };
  const rows = rowsOf(table).map((row) => row.map((each) => (each === null ? "covered" : each?.text)));
  assert.deepEqual(rows, [["Year", "covered", "Sum"], ["2025", undefined, "covered"]]);
});

test("a copied table has tabs, and no cell that a spreadsheet takes for a formula", () => {
  const table = { rows: 2, columns: 3, cells: [cell(0, 0, "a\n b"), cell(0, 2, "=1+1"), cell(1, 0, "-12.50"), cell(1, 1, "-x"), cell(1, 2, "+49 30")] };
  assert.equal(tabbedOf(table), "a b\t\t'=1+1\n-12.50\t'-x\t+49 30");
});

const PLACE = { page: 1, bboxes: [], blocks: ["b"], quote: "", alternatives: [], confidence: {}, reason: "", extractor: "" };
const extraction = {
  values: { total: 12.5, lines: [{ name: "Paper", price: 2 }, { name: "Ink", price: null }], note: {} },
  evidence: { total: { ...PLACE, status: "found", probability: 0.4 }, "lines[0].name": { ...PLACE, status: "conflict" } },
  coverage: { leaves: 5, found: 2, sure: 1, not_found: 1, threshold: 0.5 },
  conflicts: [{ path: "lines[0].name", values: [], reason: "two names" }],
  not_found: [{ path: "iban", pages: [1], reason: "no label" }],
  failures: [],
};

test("values stand in the order of the schema, with those that were not found at the end", () => {
  const items = itemsOf(extraction);
  assert.deepEqual(items.map((one) => one.path), ["total", "lines[0].name", "lines[0].price", "lines[1].name", "lines[1].price", "note", "iban"]);
  assert.deepEqual(items[1].field, "lines[].name");
  assert.deepEqual([items[1].doubt, items[1].conflict.reason], ["conflict", "two names"]);
  assert.deepEqual([items.at(-1).doubt, items.at(-1).missing.reason, items.at(-1).value], ["not_found", "no label", null]);
});

test("a value without a probability is not called unsure", () => {
  const [total, name] = itemsOf(extraction);
  assert.deepEqual([total.isLow, name.isLow], [true, false]);
  const without = { ...extraction, evidence: { total: { ...PLACE, status: "found", probability: null } } };
  assert.equal(itemsOf(without)[0].isLow, false);
});
