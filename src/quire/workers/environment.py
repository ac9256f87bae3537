"""The environment of a worker: an allow-list of its parent's variables, because it parses untrusted bytes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

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


def worker_environment(parent: Mapping[str, str], *, path: Sequence[str], folder: str) -> dict[str, str]:
    """The environment of a worker that imports from `path` and keeps temporary files in `folder`."""
    allowed = {name: value for name, value in parent.items() if _allowed(name)}
    # Enough to import the worker program itself; the worker then uses the exact path of its parent.
    places = os.pathsep.join(place for place in path if place and os.pathsep not in place)
    return allowed | _ONE_THREAD | _KEPT_MEMORY | {"PYTHONPATH": places, "TMPDIR": folder}


def _allowed(name: str) -> bool:
    return name in _NAMES or (name.startswith(_PREFIXES) and not any(word in name for word in _SECRETS))
