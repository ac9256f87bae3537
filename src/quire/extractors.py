"""Extractors of values, and those made of several."""

from quire.evidence.extract.combinators import consensus, fallback, uncertainty_first
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.rules import RulesExtractor

__all__ = ["OfflineExtractor", "RulesExtractor", "consensus", "fallback", "uncertainty_first"]
