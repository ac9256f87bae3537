"""Writing files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex

from quire.errors import StoreError, UsageError


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write each content to a temporary name beside its path, then rename all of them.

    Whatever happens before the renaming, an interrupt included, leaves nothing behind. Folders are made.
    """
    written: dict[Path, Path] = {}
    try:
        for path, data in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            waiting = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.part")
            written[waiting] = path
            waiting.write_bytes(data)
        for waiting, path in written.items():
            waiting.replace(path)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise UsageError(f"cannot write to {error.filename}: {error.strerror}") from error
    except OSError as error:
        where = error.filename or next(iter(contents)).parent
        raise StoreError(f"cannot write {where}: {error.strerror}; nothing was written") from error
    finally:
        for waiting in written:
            waiting.unlink(missing_ok=True)
