"""Engines made of engines: they implement the same protocol, so that they can be composed again."""

from quire.pages.recognize.compose.consensus import Consensus
from quire.pages.recognize.compose.fallback import Fallback
from quire.pages.recognize.compose.uncertainty import ReadUnit, Uncertainty, UncertaintyFirst

__all__ = ["Consensus", "Fallback", "ReadUnit", "Uncertainty", "UncertaintyFirst"]
