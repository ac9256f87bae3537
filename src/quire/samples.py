"""Learning from samples in Python: the cross-validation, and the spellings that samples confirm."""

from quire.evidence.learn.spelling import dictionary_of as dictionary_of
from quire.evidence.learn.spelling import vocabulary_of as vocabulary_of
from quire.evidence.learn.training import checked_learning as checked_learning
