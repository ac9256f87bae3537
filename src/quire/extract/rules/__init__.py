"""The extractor that needs no language model: a field picks its candidate by rules."""

from quire.extract.rules.extractor import RulesExtractor

__all__ = ["RulesExtractor"]
