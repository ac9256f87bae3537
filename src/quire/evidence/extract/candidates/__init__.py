"""Candidates: the spans of a page that may be a value, typed, with what stands around them."""

from quire.evidence.extract.candidates.candidate import Candidate, CandidateOrigin
from quire.evidence.extract.candidates.document_candidates import find_candidates

__all__ = ["Candidate", "CandidateOrigin", "find_candidates"]
