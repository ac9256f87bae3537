"""Checks numbers that may be read in two ways: 1,240 as 1.24, and figures in thousands beside others that are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal

from quire.lexicon.amounts import PrintedNumber, number_readings, numbers_in
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue
from quire.solving.findings import Finding


def reading_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Numbers that are less likely what their print says, and those whose scale is not that of their table."""
    scaled: dict[str, dict[str, tuple[ReviewedValue, Decimal]]] = {}
    for one in reviewed.values:
        printed = _printed(one, reviewed)
        if printed is None:
            continue
        number, value = printed
        if value in number.plain and value != max(number.plain):
            reason = f"{(one.evidence.quote if one.evidence else '')[:80]!r} is rather {max(number.plain)}"
            yield reviewed.finding(one, "doubt", reason, other=float(max(number.plain)))
        cell = reviewed.cell(one.evidence)
        if cell is not None and len(number.plain) == 1 and (plain := next(iter(number.plain))):
            scaled.setdefault(cell.table.block.id, {})[one.path] = one, value / plain
    for listed in scaled.values():
        yield from _of_other_scale(listed, reviewed)


def _of_other_scale(listed: Mapping[str, tuple[ReviewedValue, Decimal]], reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """The few values of a table that are multiplied by what its head says while most are not, or the other way."""
    counts = Counter(abs(factor) for _, factor in listed.values())
    (usual, most), *others = counts.most_common()
    for one, factor in listed.values():
        if others and abs(factor) != usual and counts[abs(factor)] < most:
            reason = f"it is its print times {abs(factor):f}, and the other values of its table are times {usual:f}"
            yield reviewed.finding(one, "doubt", reason)


def _printed(one: ReviewedValue, reviewed: ReviewedAnswer) -> tuple[PrintedNumber, Decimal] | None:
    """The number that a value was read from, if its quote has only that one, and the value."""
    values = number_readings(one.value) if isinstance(one.value, (int, float)) else frozenset()
    record = next(reviewed.cited(one.evidence), None) if one.evidence is not None else None
    if isinstance(one.value, bool) or record is None or one.evidence is None or len(values) != 1:
        return None
    printed = reviewed.whole.texts.of(record)
    found = numbers_in(one.evidence.quote, mark=printed.mark, scale=printed.scale)
    value = next(iter(values))
    return (found[0], value) if len(found) == 1 and value in found[0].readings else None
