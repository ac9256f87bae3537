// The answer of a solve as the list of values wants it: places know the name of their document where there are several.

/** The answer as an extraction; `names` are those of the documents of the run. */
export function answerOf(/** @type {Api.SolveView} */ view, /** @type {string[]} */ names) {
  const placed = (one) => ({ ...one, name: names.length > 1 && one.number ? names[one.number - 1] : "" });
  const all = (places) => places.map(placed);
  const evidence = Object.entries(view.evidence).map(([path, one]) => [path, { ...placed(one), alternatives: all(one.alternatives) }]);
  return {
    values: view.values ?? {},
    evidence: Object.fromEntries(evidence),
    coverage: /** @type {Api.Extraction["coverage"]} */ (view.coverage),
    conflicts: view.conflicts.map((one) => ({ ...one, values: all(one.values) })),
    not_found: view.not_found,
    failures: [],
  };
}

/** Findings, the open ones first, in the order in which they were found. */
export const orderedFindings = (/** @type {Api.SolveFinding[]} */ findings) =>
  [...findings.filter((one) => one.open), ...findings.filter((one) => !one.open)];

/** What came out, in one line. */
export function summaryOf(/** @type {Api.SolveView} */ view) {
  const { leaves, found, sure, not_found: missing } = /** @type {Api.Extraction["coverage"]} */ (view.coverage);
  const open = view.findings.filter((one) => one.open).length;
  return [
    `${found} of ${leaves} ${leaves === 1 ? "value" : "values"} at their place`,
    `${sure} sure`,
    missing && `${missing} not found`,
    view.conflicts.length && `${view.conflicts.length} ${view.conflicts.length === 1 ? "conflict" : "conflicts"}`,
    open && `${open} open ${open === 1 ? "finding" : "findings"}`,
  ].filter(Boolean).join(" · ");
}
