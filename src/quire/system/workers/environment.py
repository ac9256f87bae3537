"""The environment of a worker: an allow-list of its parent's variables, because it parses untrusted bytes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from quire.system.child_environment import child_environment

_SYSTEM = {"PATH", "HOME", "USER", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
_PYTHON = {"VIRTUAL_ENV", "PYTHONHOME", "PYTHONUTF8", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE"}
_ENGINES = {"TESSDATA_PREFIX", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CUDA_VISIBLE_DEVICES"}
_NAMES = _SYSTEM | _PYTHON | _ENGINES
_PREFIXES = ("LC_", "QUIRE_")
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "QUIRE_THREADS"), "1"
)
"""Pages are read in parallel: threads inside native libraries would only compete."""

_KEPT_MEMORY = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(256 << 20))
"""The C library keeps the memory of large tensors for the next ones: the system would have to clear it every time."""


def worker_environment(parent: Mapping[str, str], *, folder: str) -> dict[str, str]:
    """The environment of a worker that imports from `import_path` and keeps temporary files in `folder`."""
    allowed = {name: value for name, value in child_environment(parent).items() if _allowed(name)}
    # Enough to import the worker program itself; the worker then uses the exact path of its parent.
    places = os.pathsep.join(place for place in import_path() if place and os.pathsep not in place)
    return allowed | _ONE_THREAD | _KEPT_MEMORY | {"PYTHONPATH": places, "TMPDIR": folder}


def import_path() -> list[str]:
    """The places from which this program imports, without the folders inside of OpenCV.

    They are there while another thread imports it. A worker would take its `typing` for the one of Python.
    """
    return [place for place in sys.path if not _is_opencv(place) and not _is_opencv(place.rpartition(os.sep)[0])]


def _is_opencv(folder: str) -> bool:  # without pathlib, for which a worker would have to wait
    return folder.endswith(f"{os.sep}cv2") and os.access(f"{folder}{os.sep}__init__.py", os.F_OK)


def _allowed(name: str) -> bool:
    return name in _NAMES or (name.startswith(_PREFIXES) and not any(word in name for word in _SECRETS))
