// The keys of the desk: which act each of them means.

const ACTS = {
  a: "approve", A: "approveList", X: "dropRow", e: "type", x: "absent", r: "reject", n: "next", z: "undo",
  s: "toggleSample", h: "history", j: "nextBlock", k: "previousBlock", "=": "larger", "-": "smaller", 0: "fitWidth",
  b: "boxes", w: "words", Escape: "clear",
};
const END_ACTS = { z: "undo", s: "markAll", Enter: "lookAgain" };
const ARROWS = { ArrowRight: ["Word", "Page", 1], ArrowLeft: ["Word", "Page", -1], ArrowDown: ["Line", "", 1], ArrowUp: ["Line", "", -1] };

/**
 * The name of the act that a key means, and a number that says which or how far; null if it means nothing.
 * @param {string} key
 * @param {{ ended: boolean, inList: boolean, missing: boolean, hasCursor: boolean }} at `ended`: no value is in work;
 *   `missing`: it has no value to approve; `hasCursor`: a block of the page is picked, and the arrows move in it
 * @returns {[string, number] | null}
 */
export function deskAct(key, { ended, inList, missing, hasCursor }) {
  if (ended) return Object.hasOwn(END_ACTS, key) ? [END_ACTS[key], 0] : null;
  if (/^[1-5]$/.test(key)) return ["take", Number(key) - 1];
  if (key === "Enter") return [missing ? "type" : "approve", 0];
  if (key === "+") return [inList ? "addRow" : "larger", 0];
  if (!Object.hasOwn(ARROWS, key)) return Object.hasOwn(ACTS, key) ? [ACTS[key], 0] : null;
  const [within, outside, by] = ARROWS[key];
  const moved = hasCursor ? within : outside;
  return moved ? [`step${moved}`, by] : null; // what has the focus scrolls
}
