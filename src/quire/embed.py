"""Texts to vectors."""

from quire.retrieval.embed import LexicalOptions, embed_texts, term_weights

__all__ = ["LexicalOptions", "embed_texts", "term_weights"]
