"""Stores: where artifacts and facts live."""

from quire.store.files import FileStore
from quire.store.temporary import TemporaryStore

__all__ = ["FileStore", "TemporaryStore"]
