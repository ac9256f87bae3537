// The help: what the keys do.

import { button, dialog, el } from "./dom.js";

const SWITCH = "quire-keys";

const KEYS = [
  ["←  →", "previous, next page"],
  ["Home  End", "first, last page"],
  ["k  j", "previous, next block"],
  ["+  −  0", "larger, smaller, fit the width"],
  ["b", "boxes on and off"],
  ["w", "words on and off"],
  ["f", "filters"],
  ["/", "search in the document, or in all documents"],
  ["n  N", "next, previous hit"],
  ["1 … 6", "Text, Blocks, Tables, Markdown, JSON, Reading"],
  ["p", "panel on and off"],
  ["Esc", "clear the selection"],
  ["u", "back to the documents"],
  ["t", "theme: system, light, dark"],
  ["?", "this help"],
];

const REVIEW_KEYS = [
  ["a  Enter", "approve the value"],
  ["1 … 5", "take another one: of a conflict, or an alternative"],
  ["e", "type the correct value"],
  ["j  k", "next, previous block of the page; Enter takes it"],
  ["←  →  ↑  ↓", "its words, with Shift several; without a block, pages"],
  ["x", "it is not in the document"],
  ["r", "reject it: wrong, and the right one is not known"],
  ["n", "next, without a decision; at the end Enter begins again"],
  ["z", "undo the last decision"],
  ["A  X  +", "approve the list, drop the row, add a row"],
  ["s  h", "use as a sample; history"],
  ["u", "all reviews"],
];

const VALUE_KEYS = [
  ["j  k", "next, previous value, with its place"],
  ["←  →", "previous, next page"],
  ["r", "review the values"],
  ["u", "back to the documents"],
];

export const keysAllowed = () => localStorage.getItem(SWITCH) !== "off";

export function showHelp({ forget }) {
  const allowed = el("input", {
    type: "checkbox", id: "keys-allowed", checked: keysAllowed(),
    on: { change: (event) => localStorage.setItem(SWITCH, event.target.checked ? "on" : "off") },
  });
  dialog(
    "Help",
    el("p", {}, "Click a box on the page to see its text, and a text to see its place. Numbers are the reading order; colours are kinds of blocks."),
    inOrder({ document: ["Keys", KEYS], values: ["Keys of extracted values", VALUE_KEYS], solved: ["Keys of a solve", VALUE_KEYS], desk: ["Keys in a review", REVIEW_KEYS] }),
    el("label", { class: "check" }, allowed, el("span", {}, "Single keys act")),
    forget && el("div", { class: "dialog-end" }, button("Forget the API key", forget, { class: "secondary" })),
  );
}

/** The keys of the screen that is shown come first. */
function inOrder(tables) {
  const { screen } = document.body.dataset;
  const names = Object.keys(tables).sort((one, other) => Number(other === screen) - Number(one === screen));
  return names.flatMap((name) => [el("h3", {}, tables[name][0]), listOf(tables[name][1])]);
}

function listOf(keys) {
  return el(
    "dl",
    { class: "keys" },
    keys.map(([pressed, what]) =>
      el(
        "div",
        {},
        el(
          "dt",
          {},
          pressed.split(/\s{2,}/).map((key) => el("kbd", {}, key)),
        ),
        el("dd", {}, what),
      ),
    ),
  );
}
