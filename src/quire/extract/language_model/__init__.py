"""Values proposed by a language model: what it sees of a document, the form of its answer, and how it is asked."""

from quire.extract.language_model.extractor import LanguageModelExtractor, model_extractor

__all__ = ["LanguageModelExtractor", "model_extractor"]
