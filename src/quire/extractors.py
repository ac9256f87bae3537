"""Extractors of values, those made of several, and an extraction as JSON and as a report."""

from quire.evidence.extract.combinators import consensus, fallback, uncertainty_first
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.language_model import LanguageModelExtractor
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.reports import report
from quire.evidence.extract.rules import RulesExtractor
from quire.evidence.extract.values import Proposal
from quire.evidence.learn.learned_extractor import LearnedExtractor
from quire.net.language_model import LanguageModel

__all__ = [
    "LanguageModel",
    "LanguageModelExtractor",
    "LearnedExtractor",
    "OfflineExtractor",
    "Proposal",
    "RulesExtractor",
    "consensus",
    "decode_extraction",
    "encode_extraction",
    "fallback",
    "report",
    "uncertainty_first",
]
