// The order of documents in the list, and which of them a filter lets through.

import { isActive } from "./words.js";

const STATES = ["failed", "partial", "running", "interrupted", "waiting", "cancelled", "finished"];
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** @typedef {{ name: string, state: string, status?: string | null, pages: number, submitted: number }} Listed */

/** The state as the list shows it: a document that was read may lack pages. */
export const stateOf = (/** @type {{ state: string, status?: string | null }} */ { state, status }) =>
  state === "finished" && status === "partial" ? "partial" : state;

/** Whether a document has the name, or a part of it, and the state; "active" is any state of work in progress. */
export function isWanted(/** @type {Listed} */ shown, /** @type {string} */ name, /** @type {string} */ wanted) {
  const state = stateOf(shown);
  const fits = !wanted || (wanted === "active" ? isActive(state) : state === wanted);
  return fits && shown.name.toLowerCase().includes(name.trim().toLowerCase());
}

/** @type {Record<string, (one: Listed, other: Listed) => number>} */
const COMPARED = {
  name: (one, other) => names.compare(one.name, other.name),
  pages: (one, other) => one.pages - other.pages,
  state: (one, other) => STATES.indexOf(stateOf(one)) - STATES.indexOf(stateOf(other)),
  submitted: (one, other) => one.submitted - other.submitted,
};

/**
 * Compares documents by a column, upwards (`way` 1) or downwards (-1); the latest comes first among equals.
 * @returns {(one: Listed, other: Listed) => number}
 */
export function comparing(/** @type {string} */ by, /** @type {number} */ way) {
  return (one, other) => way * COMPARED[by](one, other) || other.submitted - one.submitted;
}
