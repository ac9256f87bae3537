"""The pages promise that the same input gives the same bytes: nothing in an export tells when it was made."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

import quire
from quire.output.export import FORMATS


@pytest.mark.parametrize("format", FORMATS)
def test_export_tells_no_date_and_no_place(format: str, sample_path: Path, tmp_path: Path) -> None:
    now = datetime.now()
    for path in quire.read(sample_path).save(tmp_path / "out", [format]):
        for content in _contents(path.read_bytes()):
            assert now.strftime("%Y-%m-%d").encode() not in content
            assert str(now.year).encode() + b"/" not in content
            assert str(tmp_path).encode() not in content
            assert str(sample_path.parent).encode() not in content


@pytest.mark.parametrize("format", FORMATS)
def test_two_reads_give_the_same_bytes(format: str, sample_path: Path, tmp_path: Path) -> None:
    first, second = (quire.read(sample_path, threads=n).save(tmp_path / str(n), [format]) for n in (1, 2))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def _contents(data: bytes) -> list[bytes]:
    """The file, or the files in it when it is a workbook."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return [data]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        return [archive.read(name) for name in archive.namelist()]
