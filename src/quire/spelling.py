"""Spellings that samples confirm, for the correctors of pipelines."""

from quire.evidence.learn.spelling import dictionary_of, vocabulary_of

__all__ = ["dictionary_of", "vocabulary_of"]
