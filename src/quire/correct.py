"""Correctors for pipelines: they rewrite what engines have read."""

from quire.pipelines.correct import (
    Corrector,
    blank_suppress,
    confidence_score,
    dictionary,
    filter,
    language_detector,
    language_of,
    pipe,
    rule_splitter,
    vocabulary,
    whitespace,
)

__all__ = [
    "Corrector",
    "blank_suppress",
    "confidence_score",
    "dictionary",
    "filter",
    "language_detector",
    "language_of",
    "pipe",
    "rule_splitter",
    "vocabulary",
    "whitespace",
]
