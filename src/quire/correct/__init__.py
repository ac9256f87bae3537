"""Corrections of OCR results: pure functions from a recognition to a recognition, each with a profile for keys."""

from __future__ import annotations

from quire.correct.chain import pipe
from quire.correct.confidence import confidence_score
from quire.correct.dictionary import dictionary
from quire.correct.filtering import blank_suppress, filter
from quire.correct.language import language_detector, language_of
from quire.correct.spaces import whitespace
from quire.correct.splitting import rule_splitter
from quire.correct.vocabulary import vocabulary
from quire.roles import Corrector

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
