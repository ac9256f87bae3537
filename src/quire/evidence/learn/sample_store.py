"""Samples in a folder, and as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from quire.core.errors import UsageError
from quire.evidence.learn.samples import Sample
from quire.retrieval.chunk.rows import jsonl
from quire.system.atomic_files import write_files

SUFFIX = ".sample.json"
SHORTEST = 4
"""Characters of an id that is shortened."""


class SampleStore:
    """A folder with a file for each sample. A document has one sample for a schema: a new one replaces it."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def __iter__(self) -> Iterator[Sample]:
        """The samples by their id. Raises UsageError for a file that is no sample."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            with suppress(FileNotFoundError):  # it was forgotten meanwhile
                data = path.read_bytes()
                yield _sample(data, str(path))

    def __len__(self) -> int:
        return sum(1 for _ in self.folder.glob(f"*{SUFFIX}"))

    def add(self, *samples: Sample) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_files({self._path(one): jsonl([one.to_json()]) for one in samples})

    def remove(self, name: str) -> Sample:
        """Forget a sample: by its id, the id of its document or the beginning of either, or the name of the document.

        What was learnt from it is forgotten by learning again. Raises UsageError unless exactly one sample is meant.
        """
        found = [one for one in self if _is_meant(one, name)]
        if len(found) != 1:
            many = f"{len(found)} samples" if found else "no sample"
            raise UsageError(f"{self.folder} has {many} of {name[:80]!r}; `quire samples list` shows their ids")
        self._path(found[0]).unlink(missing_ok=True)
        return found[0]

    def _path(self, sample: Sample) -> Path:
        return self.folder / f"{sample.id}{SUFFIX}"


def read_samples(path: Path | str) -> list[Sample]:
    """The samples of a folder, or of a file with a line of JSON for each. Raises UsageError."""
    place = Path(path)
    if place.is_dir():
        found = list(SampleStore(place))
        if not found:
            raise UsageError(f"{place} has no samples; `quire samples add` makes some")
        return found
    try:
        lines = place.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"the samples {place} cannot be read: {error.strerror}") from error
    return [_sample(line, f"{place}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def samples_jsonl(samples: Iterable[Sample]) -> bytes:
    """A line of JSON for each sample: what a review exports, and the content of the document."""
    return jsonl([one.to_json() for one in samples])


def _sample(data: bytes, place: str) -> Sample:
    try:
        row = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is no JSON: {error}") from error
    if not isinstance(row, dict):
        raise UsageError(f"{place} is a JSON {type(row).__name__}, not a sample")
    try:
        return Sample.from_json(row)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from error


def _is_meant(sample: Sample, name: str) -> bool:
    begins = len(name) >= SHORTEST and (sample.id.startswith(name) or sample.document.startswith(name))
    return begins or name in (sample.id, sample.name)
