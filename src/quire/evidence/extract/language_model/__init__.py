"""Values proposed by a language model: what it sees of a document, the form of its answer, and how it is asked."""

from quire.evidence.extract.language_model.language_model_extractor import LanguageModelExtractor, model_extractor

__all__ = ["LanguageModelExtractor", "model_extractor"]
