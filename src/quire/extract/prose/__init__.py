"""Values in running text: parties, governing law, dates and terms of agreements, by the sentences they stand in."""

from quire.extract.prose.extractor import ProseExtractor, is_stated

__all__ = ["ProseExtractor", "is_stated"]
