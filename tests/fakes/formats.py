"""A format of another package, whose version tests can change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quire.output.export import Format

OUTLINE = Format("outline", ".outline.txt", "text/plain", lambda result, _: [result.blocks[0].text])


class OtherPackage:
    """An installed package that offers the format `outline`."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        information = folder / "outlines-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: outlines\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text("[quire.formats]\noutline = tests.fakes.formats:OUTLINE\n")
        patch.syspath_prepend(folder)
        self._patch = patch

    def update(self, version: str) -> None:
        self._patch.setattr(f"{__name__}.OUTLINE", replace(OUTLINE, version=version))
