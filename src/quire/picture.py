"""Pixels of a page in memory."""

from quire.core.picture import Picture as Picture
