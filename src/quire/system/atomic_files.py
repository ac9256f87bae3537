"""Atomic writes: files appear whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from quire.core.errors import StoreError, UsageError

LONGEST_STEM = 228
"""Bytes of the name of a document in the names of its files: 255 less the suffix, like `.page-1234.alto.xml`."""


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write each content to a temporary name beside its path, then rename all of them.

    A failure before the renaming, including an interrupt, leaves nothing behind. Missing folders are created.
    """
    written: dict[Path, Path] = {}
    try:
        for path, data in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                path.lstat()  # a name that is too long fails here, before anything is renamed
            waiting = path.with_name(f".quire-{os.getpid()}-{token_hex(4)}.part")  # short, however long the final name
            written[waiting] = path
            waiting.write_bytes(data)
        for waiting, path in written.items():
            waiting.replace(path)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise UsageError(f"cannot write to {_meant(error, written)}: {error.strerror}") from error
    except OSError as error:
        where = _meant(error, written) or next(iter(contents)).parent
        raise StoreError(f"cannot write {where}: {error.strerror}; nothing was written") from error
    finally:
        for waiting in written:
            with suppress(OSError):  # the original error is the one that matters
                waiting.unlink(missing_ok=True)


def _meant(error: OSError, written: Mapping[Path, Path]) -> str | Path:
    """The file that an error is about, by its final name."""
    name = error.filename or ""
    return written.get(Path(name), name)


def output_stem(name: str) -> str:
    """The beginning of the names of a document's files: `report` for `report.pdf`, `scan.jpg` for `scan.jpg`.

    Only the suffix of the usual kind goes, so that `scan.jpg` and `scan.pdf` never share a file.
    """
    stem, suffix = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
    return fitting_stem(stem if suffix.lower() == ".pdf" else name)


def fitting_stem(stem: str) -> str:
    """A stem for file names, which file systems limit in bytes: a longer one is truncated and gets a hash."""
    data = os.fsencode(stem)
    if len(data) <= LONGEST_STEM:
        return stem
    mark = f"-{hashlib.sha256(data).hexdigest()[:8]}"
    kept = data[: LONGEST_STEM - len(mark)]
    return kept.decode(errors="ignore") + mark
