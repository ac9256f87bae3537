"""The extractor that needs no language model: a field picks its candidate by rules."""

from quire.evidence.extract.rules.rules_extractor import RulesExtractor

__all__ = ["RulesExtractor"]
