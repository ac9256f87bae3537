"""Exporters: the formats of a result as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.core.errors import ConfigurationError
from quire.output import export
from quire.pipelines.result import PipelineResult


@dataclass(frozen=True, slots=True)
class SavedFormat:
    """Writes a result in one format into a folder, named after the document or `stem`."""

    folder: Path
    format: str
    stem: str | None = None

    @property
    def name(self) -> str:
        return f"save_{self.format}"

    def export(self, result: PipelineResult) -> Sequence[Path]:
        return result.save(self.folder, (self.format,), stem=self.stem)


def save(folder: str | Path, format: str = "md", *, stem: str | None = None) -> SavedFormat:
    """An exporter that writes the result into `folder` in one of the formats of `quire.export.format_names()`."""
    if format not in (names := export.format_names()):
        raise ConfigurationError(f"there is no format {format!r}; choose from {', '.join(names)}")
    return SavedFormat(Path(folder), format, stem)
