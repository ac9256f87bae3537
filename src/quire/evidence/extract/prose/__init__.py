"""Values in running text: parties, governing law, dates and terms of agreements, by the sentences they stand in."""

from quire.evidence.extract.prose.prose_extractor import ProseExtractor, is_stated

__all__ = ["ProseExtractor", "is_stated"]
