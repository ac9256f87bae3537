"""shim"""


def review_answer(answer, schema, documents):
    return []


def merged_findings(checks, f, d, r):
    return checks
