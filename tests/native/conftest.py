"""The compiled reader, opened and closed. Missing, it fails these tests where it is expected and skips them else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from quire.core.document import Document

if TYPE_CHECKING:
    from quire.pages.render._native import NativeReader

Open = Callable[..., "NativeReader"]


@pytest.fixture(autouse=True)
def _compiled() -> None:
    if find_spec("quire_native") is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_NATIVE") == "1" else pytest.skip
        missing("quire_native is not installed: maturin develop --release -m native/Cargo.toml")


@pytest.fixture
def native() -> Iterator[Open]:
    """Opens bytes or a path with the compiled reader: `native(documents.simple(), password=...)`."""
    from quire.pages.render._native import NativeReader

    readers = []

    def open_native(source: bytes | os.PathLike[str], *, password: str | None = None) -> NativeReader:
        readers.append(NativeReader(Document(source, name="report.pdf", password=password)))
        return readers[-1]

    yield open_native
    for reader in readers:
        reader.close()
