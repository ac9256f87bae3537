import assert from "node:assert/strict";
import { test } from "node:test";

import { cropBox } from "../../src/quire/service/web/crops.js";
import { boxesOn } from "../../src/quire/service/web/model.js";
import { boxOf, holds, linesOf, wordBeside, wordsBetween } from "../../src/quire/service/web/wordplaces.js";

/** Three lines of four words each, 0.1 wide and 0.02 high, 0.04 apart. */
const words = [0, 1, 2].flatMap((line) =>
  [0, 1, 2, 3].map((at) => ({
    text: `${line}${at}`, block: "b", bbox: { left: 0.1 + 0.12 * at, top: 0.1 + 0.04 * line, width: 0.1, height: 0.02 },
  })),
);
const texts = (found) => found.map((word) => word.text).join(" ");

test("a drag over words takes them in reading order, also backwards and beyond the end of a line", () => {
  assert.equal(texts(wordsBetween(words, { x: 0.25, y: 0.11 }, { x: 0.4, y: 0.11 })), "01 02");
  assert.equal(texts(wordsBetween(words, { x: 0.4, y: 0.15 }, { x: 0.25, y: 0.11 })), "01 02 03 10 11 12");
  assert.equal(texts(wordsBetween(words, { x: 0.25, y: 0.11 }, { x: 0.95, y: 0.12 })), "01 02 03");
});

test("the cursor goes to the word below or above, on the next line, and stays at the edge", () => {
  assert.equal(words[wordBeside(words, 1, 1)].text, "11");
  assert.equal(words[wordBeside(words, 10, -1)].text, "12");
  assert.equal(wordBeside(words, 0, -1), -1);
  assert.equal(wordBeside(words, 11, 1), -1);
});

test("words of a line share a box, and a line that begins again has its own", () => {
  const lines = linesOf(words.slice(2, 6));
  assert.equal(lines.length, 2);
  assert.ok(Math.abs(lines[0].left - 0.34) < 1e-9 && Math.abs(lines[0].width - 0.22) < 1e-9);
  assert.deepEqual(linesOf([]), []);
  assert.equal(words[2].bbox.width, 0.1, "the words keep their boxes");
});

test("a box is drawn from any corner, and has an area", () => {
  const box = boxOf({ x: 0.5, y: 0.4 }, { x: 0.25, y: 0.2 });
  assert.deepEqual(box, { left: 0.25, top: 0.2, width: 0.25, height: 0.2 });
  assert.ok(holds(box, { x: 0.3, y: 0.3 }) && !holds(box, { x: 0.6, y: 0.3 }));
  assert.equal(boxOf({ x: 0.5, y: 0.5 }, { x: 0.5, y: 0.5 }).width, 0.001);
});

test("a block that goes on on the next page has its boxes on each of them", () => {
  const [first, second] = [{ left: 0, top: 0.9, width: 1, height: 0.1 }, { left: 0, top: 0, width: 1, height: 0.1 }];
  const block = { page: 1, bbox: first, parts: [{ page: 1, bbox: first }, { page: 2, bbox: second }, { page: 2, bbox: null }] };
  assert.deepEqual(boxesOn(block, 2), [second]);
  assert.deepEqual(boxesOn({ page: 3, bbox: null }, 3), []);
});

test("a crop shows what stands around a value, and nothing beyond the page", () => {
  const { left, top, width, height } = cropBox([{ left: 0.05, top: 0.995, width: 0.1, height: 0.005 }]);
  assert.ok(left === 0 && top < 0.99 && left + width <= 1 && top + height === 1);
});
