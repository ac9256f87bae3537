"""Corrections of OCR results: pure functions from a recognition to a recognition, each with a profile for keys."""

from __future__ import annotations

from quire.lexicon.dictionary import dictionary
from quire.lexicon.vocabulary import vocabulary
from quire.pipelines.correct.chain import pipe
from quire.pipelines.correct.confidence import confidence_score
from quire.pipelines.correct.filters import blank_suppress, filter
from quire.pipelines.correct.language import language_detector, language_of
from quire.pipelines.correct.spaces import whitespace
from quire.pipelines.correct.split_lines import rule_splitter
from quire.pipelines.roles import Corrector

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
