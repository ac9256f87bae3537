import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldsAsked, filesProblem, refusalOf, schemaAsked } from "../../src/quire/service/web/extractrequest.js";

test("fields stand between commas or on lines", () => {
  assert.deepEqual(fieldsAsked(" invoice number,date\n\n total ,"), { asked: { fields: ["invoice number", "date", "total"] } });
  assert.match(fieldsAsked(" ,\n").wrong, /at least one/);
});

test("a schema is an object of JSON, and what it is else is said", () => {
  assert.deepEqual(schemaAsked('{"type": "object"}'), { asked: { schema: { type: "object" } } });
  assert.match(schemaAsked("  ").wrong, /Paste a JSON Schema/);
  for (const other of ["[]", "null", "3"]) assert.match(schemaAsked(other).wrong, /no JSON Schema of an object/);
  assert.match(schemaAsked("{").wrong, /^This is no JSON: .*Correct it/);
});

test("files are refused before they are sent", () => {
  assert.match(filesProblem([], 10), /Choose at least one/);
  assert.match(filesProblem([{ name: "a", size: 1 }, { name: "b", size: 0 }], 10), /^b is empty/);
  assert.equal(filesProblem([{ name: "a", size: 10 }], 10), "");
  assert.match(filesProblem([{ name: "a", size: 2048 }], 1024), /^a is 2 KB, and this server takes 1 KB at once. Divide the file.$/);
  assert.match(filesProblem([{ name: "a", size: 800 }, { name: "b", size: 800 }], 1024), /^The files are together .* Send fewer/);
});

test("a refusal is shown where it can be changed", () => {
  assert.deepEqual(refusalOf({ message: "schema.total: the type is unknown", status: 422, category: "usage" }), { place: "schema", text: "The type is unknown." });
  assert.equal(refusalOf({ message: "learned no such model", status: 422 }).place, "learned");
  assert.equal(refusalOf({ message: "too large", status: 413 }).place, "files");
  assert.equal(refusalOf({ message: "it is gone", status: 404 }).place, "document");
  assert.equal(refusalOf({ message: "it is still being read", status: 409 }).place, "document");
  assert.deepEqual(refusalOf({ message: "The server cannot be reached.", status: 0, category: "network" }), { place: "form", text: "The server cannot be reached." });
  assert.match(refusalOf({ message: "busy", status: 503, category: "transient" }).text, /^Busy\. This passes by itself/);
});
