// The values of a claim: which are in doubt, which come next, and the decision that a choice means.

/**
 * The evidence of a value that was not extracted.
 * @returns {Api.Evidence}
 */
export const noEvidence = () => ({
  status: "not_found", confidence: {}, quote: "", page: null, bboxes: [], blocks: [], alternatives: [], reason: "", extractor: "",
});

/** Whether a claim is a list: rows of values, which are shown as a grid. */
export const isList = (/** @type {Claim} */ claim) =>
  claim.columns.length > 0 || claim.items.some((item) => item.path.includes("["));

export const isDoubtful = (/** @type {Item} */ item) => Boolean(item.doubt) && item.state === "open";

/** Whether a value still waits for a decision: it is in doubt, or a cell of a row that the reviewer added. */
export const isPending = (/** @type {Item} */ item) => (Boolean(item.doubt) || Boolean(item.added)) && item.state === "open";

export const isMissing = (/** @type {Item} */ item) => item.value === null || item.value === undefined;

/** Where work on a claim begins: at the value that a withdrawn decision was about, else at the first one in doubt. */
export function firstOf(/** @type {Item[]} */ items, /** @type {{ review: string, path: string } | null} */ returning) {
  const again = returning && items.find((item) => item.path === returning.path && item.review === returning.review);
  return again ?? items.find(isDoubtful) ?? items[0];
}

/** The next value of a list that waits for a decision: behind another one, else from the beginning. */
export function pendingAfter(/** @type {Item[]} */ items, /** @type {Item} */ item) {
  const open = items.filter(isPending);
  return open.find((each) => items.indexOf(each) > items.indexOf(item)) ?? open[0];
}

/** Taking a value that is offered: the extracted one is approved, another one corrects it. */
export function decisionFor(/** @type {Item} */ item, /** @type {Api.Alternative} */ { value, page, bboxes, blocks, quote }) {
  if (value === item.extracted && !item.decision) return { action: "approve" };
  return { action: "correct", value, page: page || null, bboxes, blocks, quote };
}
