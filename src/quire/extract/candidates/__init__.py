"""Candidates: the spans of a page that may be a value, typed, with what stands around them; and labels with values."""

from quire.extract.candidates.finding import find_candidates
from quire.extract.candidates.pairs import LabelledValue, find_pairs
from quire.extract.candidates.values import Candidate, CandidateOrigin

__all__ = ["Candidate", "CandidateOrigin", "LabelledValue", "find_candidates", "find_pairs"]
