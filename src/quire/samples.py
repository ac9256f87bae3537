"""Learning from samples in Python: the cross-validation, and the spellings that samples confirm."""

from quire.evidence.learn.spelling import dictionary_of, vocabulary_of
from quire.evidence.learn.training import checked_learning

__all__ = ["checked_learning", "dictionary_of", "vocabulary_of"]
