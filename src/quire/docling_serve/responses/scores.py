"""The confidence report of an answer: docling's scores and grades, from what Quire knows about a page.

`ocr_score` is the mean of the engine's confidences, weighted by text. `parse_score` is the share of readable characters
in the text of the file. Quire has no score for layout and tables: they are null, as is everything without pages.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from math import floor
from typing import Any, NamedTuple

from quire.core.types import Block


class PageScores(NamedTuple):
    """The confidence scores of a page, each from 0 to 1; None for a score that the page does not have."""

    parse: float | None = None
    layout: float | None = None
    table: float | None = None
    ocr: float | None = None


def scores_of(blocks: Iterable[Block], pages: Iterable[int] = ()) -> dict[int, PageScores]:
    """The scores of each page with a block, and of the other `pages`."""
    native: dict[int, list[str]] = {page: [] for page in pages}
    recognised: dict[int, list[tuple[float, int]]] = {}
    for block in blocks:
        native.setdefault(block.page, [])
        if block.confidence is not None:
            recognised.setdefault(block.page, []).append((block.confidence, max(len(block.text), 1)))
        elif block.text:
            native[block.page].append(block.text)
    return {
        page: PageScores(parse=_readable("".join(texts)), ocr=_weighted(recognised.get(page, [])))
        for page, texts in sorted(native.items())
    }


def confidence(pages: Mapping[int, PageScores]) -> dict[str, Any]:
    """The report of a document."""
    reports = {str(page): _report(scores) for page, scores in sorted(pages.items())}
    whole = PageScores(
        parse=_quantile([one.parse for one in pages.values()], 0.1),  # docling relates it to the worst pages
        layout=_mean(one.layout for one in pages.values()),
        table=_mean(one.table for one in pages.values()),
        ocr=_mean(one.ocr for one in pages.values()),
    )
    mean = _mean(report["mean_score"] for report in reports.values())
    low = _mean(report["low_score"] for report in reports.values())
    return {**_scores(whole, mean, low), "pages": reports}


def _report(scores: PageScores) -> dict[str, Any]:
    return {**_scores(scores, _mean(scores), _quantile(scores, 0.05)), "pages": {}}


def _scores(scores: PageScores, mean: float | None, low: float | None) -> dict[str, Any]:
    return {
        "parse_score": scores.parse,
        "layout_score": scores.layout,
        "table_score": scores.table,
        "ocr_score": scores.ocr,
        "mean_score": mean,
        "low_score": low,
        "mean_grade": _grade(mean),
        "low_grade": _grade(low),
    }


def _grade(score: float | None) -> str:
    if score is None:
        return "unspecified"
    return "poor" if score < 0.5 else "fair" if score < 0.8 else "good" if score < 0.9 else "excellent"


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _quantile(values: Iterable[float | None], share: float) -> float | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    place = share * (len(known) - 1)
    below = floor(place)
    above = min(below + 1, len(known) - 1)
    return known[below] + (known[above] - known[below]) * (place - below)


def _weighted(parts: list[tuple[float, int]]) -> float | None:
    return sum(score * weight for score, weight in parts) / sum(weight for _, weight in parts) if parts else None


def _readable(text: str) -> float | None:
    """The share of characters that are not control characters, private, unassigned or replaced."""
    if not text:
        return None
    if "".join(text.split()).isprintable():
        wrong = text.count("\ufffd")
    else:
        wrong = sum(
            c == "\ufffd" or unicodedata.category(c) in ("Cc", "Co", "Cn", "Cs") for c in text if not c.isspace()
        )
    return 1.0 - wrong / len(text)
