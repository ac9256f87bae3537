"""The deterministic reviewer: checks of an answer, as it was stored, against the catalogs of its documents.

`answer_review` runs all of them. Each module is one kind of check: `citations` of values, `schema_checks`, `list_rows`,
`ambiguous_numbers`, `contradictions`, `footnotes`, `sums`. `reviewer_findings` has the findings of a runner that
reviews, which are claims too.
"""
