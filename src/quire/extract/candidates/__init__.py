"""Candidates: the spans of a page that may be a value, typed, with what stands around them."""

from quire.extract.candidates.finding import find_candidates
from quire.extract.candidates.values import Candidate, CandidateOrigin

__all__ = ["Candidate", "CandidateOrigin", "find_candidates"]
