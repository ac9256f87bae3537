"""Recognition of the pages of a document, engine after engine, over the worker pool."""

from __future__ import annotations

from quire.recognizing.page import Recognised
from quire.recognizing.recognizer import Recognizer

__all__ = ["Recognised", "Recognizer"]
