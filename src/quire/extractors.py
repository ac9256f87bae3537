"""Extractors of values, those made of several, and an extraction as JSON and as a report."""

from quire.evidence.extract.combinators import consensus as consensus
from quire.evidence.extract.combinators import fallback as fallback
from quire.evidence.extract.combinators import uncertainty_first as uncertainty_first
from quire.evidence.extract.extraction_json import decode_extraction as decode_extraction
from quire.evidence.extract.extraction_json import encode_extraction as encode_extraction
from quire.evidence.extract.language_model import LanguageModelExtractor as LanguageModelExtractor
from quire.evidence.extract.offline import OfflineExtractor as OfflineExtractor
from quire.evidence.extract.reports import report as report
from quire.evidence.extract.rules import RulesExtractor as RulesExtractor
from quire.evidence.extract.values import Proposal as Proposal
from quire.evidence.learn.learned_extractor import LearnedExtractor as LearnedExtractor
from quire.net.language_model import LanguageModel as LanguageModel
