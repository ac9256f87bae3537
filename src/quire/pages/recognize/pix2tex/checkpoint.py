"""Reads the tensors of a PyTorch checkpoint without PyTorch, and without running code that the file may carry.

A checkpoint is a zip archive: a pickle that says which tensors there are, and a file of numbers for each. A pickle may
name any function to be called; this reader knows the few that rebuild tensors, and refuses all others.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.core.errors import InputError

Tensors = dict[str, NDArray[np.float32]]

_FLOATS = "FloatStorage"
_STORAGES = {"FloatStorage", "LongStorage", "IntStorage", "HalfStorage", "DoubleStorage", "BoolStorage"}


def read_checkpoint(path: Path) -> Tensors:
    """The tensors of 32-bit floats by name; others are left out. Raises InputError for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = next((name for name in archive.namelist() if name.endswith("/data.pkl")), None)
            if listed is None:
                raise InputError(f"{path} is not a checkpoint of PyTorch: it has no data.pkl")
            reader = _TensorReader(archive.read(listed), archive, listed.removesuffix("data.pkl"))
            found = reader.load()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (OSError, zipfile.BadZipFile, pickle.UnpicklingError, KeyError, ValueError, TypeError, EOFError) as error:
        raise InputError(f"{path} cannot be read as a checkpoint of PyTorch: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no tensors by name")
    return {str(name): value for name, value in found.items() if isinstance(value, np.ndarray)}


class _TensorReader(pickle.Unpickler):
    """An unpickler that can rebuild tensors and ordered dictionaries, and nothing else."""

    def __init__(self, data: bytes, archive: zipfile.ZipFile, folder: str) -> None:
        super().__init__(io.BytesIO(data))
        self._archive, self._folder = archive, folder

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module == "torch" and name in _STORAGES:
            return name
        raise InputError(f"it wants to call {module}.{name}, which no checkpoint of weights needs; it was not run")

    def persistent_load(self, pid: Any) -> NDArray[np.float32] | None:
        """The numbers of a storage; None for a kind that the network does not use."""
        _, kind, key, *_ = pid
        if kind != _FLOATS:
            return None
        return np.frombuffer(self._archive.read(f"{self._folder}data/{key}"), "<f4")


def _tensor(
    storage: NDArray[np.float32] | None, offset: int, shape: Sequence[int], strides: Sequence[int], *_: object
) -> NDArray[np.float32] | None:
    if storage is None:
        return None
    if not shape:
        return storage[offset : offset + 1].reshape(())
    last = offset + sum((length - 1) * step for length, step in zip(shape, strides, strict=True))
    if min(shape) < 1 or min(strides) < 0 or offset < 0 or last >= storage.size:
        raise InputError("a tensor lies outside its storage")
    steps = [4 * step for step in strides]
    return np.ascontiguousarray(np.lib.stride_tricks.as_strided(storage[offset:], tuple(shape), steps))
