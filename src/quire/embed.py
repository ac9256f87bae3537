"""Texts to vectors."""

from quire.retrieval.embed import *  # noqa: F403
