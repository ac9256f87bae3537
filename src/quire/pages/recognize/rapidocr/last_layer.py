"""A recogniser without its last layer, so that only the letters that a page can have are computed.

The last layer (a product with a matrix, a bias, a softmax) knows 18,710 letters, most of them Chinese, and takes a
fifth of the time of the small model. ONNX Runtime cannot leave nodes out, so they are cut out of the file: its fields
(Protocol Buffers, the message `GraphProto` of onnx.proto) are copied, less those of the layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_GRAPH = 7  # of a model
_NODE, _INITIALIZER, _OUTPUT = 1, 5, 12  # of a graph
_INPUTS, _OUTPUTS, _OPERATION = 1, 2, 4  # of a node
_NAME_OF_TENSOR, _RAW = 8, 9  # of an initializer
_NAME = 1  # of an output


@dataclass(frozen=True, slots=True)
class CutModel:
    """The model up to its last layer, and the layer: one column of `matrix` and one `bias` for each letter."""

    model: bytes
    matrix: NDArray[np.float32]
    bias: NDArray[np.float32]


@dataclass(slots=True)
class _Graph:
    """The fields of a graph, and by name of their output the nodes: number of the field, operation, inputs."""

    fields: list[tuple[int, memoryview, memoryview]] = field(default_factory=list)
    nodes: dict[str, tuple[int, str, list[str]]] = field(default_factory=dict)
    tensors: dict[str, memoryview] = field(default_factory=dict)
    output: str = ""


def cut(path: Path, letters: int) -> CutModel | None:
    """The model at `path` in two parts; None when its end is not such a layer for so many letters."""
    parts: list[bytes | memoryview] = []
    found: tuple[str, NDArray[np.float32], NDArray[np.float32]] | None = None
    for number, value, whole in _fields(memoryview(path.read_bytes())):
        if number != _GRAPH:
            parts.append(whole)
            continue
        graph = _graph(value)
        found = _layer(graph, letters)
        if found is None:
            return None
        dropped = _behind(graph, found[0])
        kept = [whole for at, (kind, _, whole) in enumerate(graph.fields) if at not in dropped and kind != _OUTPUT]
        output = _message(_OUTPUT, _message(_NAME, found[0].encode()))
        parts.append(_message(_GRAPH, b"".join([*kept, output])))
    return CutModel(b"".join(parts), found[1], found[2]) if found else None


def _graph(value: memoryview) -> _Graph:
    graph = _Graph()
    for number, content, whole in _fields(value):
        if number == _NODE:
            node = list(_fields(content))
            operation = next(bytes(v).decode() for n, v, _ in node if n == _OPERATION)
            inputs = [bytes(v).decode() for n, v, _ in node if n == _INPUTS]
            for name in (bytes(v).decode() for n, v, _ in node if n == _OUTPUTS):
                graph.nodes[name] = (len(graph.fields), operation, inputs)
        elif number == _INITIALIZER:
            tensor = {n: v for n, v, _ in _fields(content) if n in (_NAME_OF_TENSOR, _RAW)}
            if len(tensor) == 2:
                graph.tensors[bytes(tensor[_NAME_OF_TENSOR]).decode()] = tensor[_RAW]
        elif number == _OUTPUT:
            graph.output = next(bytes(v).decode() for n, v, _ in _fields(content) if n == _NAME)
        graph.fields.append((number, content, whole))
    return graph


def _layer(graph: _Graph, letters: int) -> tuple[str, NDArray[np.float32], NDArray[np.float32]] | None:
    """The input of the layer, its matrix and its bias."""
    steps: list[tuple[str, list[str]]] = []
    name = graph.output
    while name in graph.nodes and len(steps) < 3:
        _, operation, inputs = graph.nodes[name]
        name = inputs[0]
        if operation != "Identity":
            steps.append((operation, inputs))
    if [operation for operation, _ in steps] != ["Softmax", "Add", "MatMul"]:
        return None
    bias, matrix = (graph.tensors.get(inputs[1]) for _, inputs in steps[1:])
    if bias is None or matrix is None or len(bias) != 4 * letters:
        return None
    return name, np.frombuffer(matrix, "<f4").reshape(-1, letters), np.frombuffer(bias, "<f4")


def _behind(graph: _Graph, name: str) -> set[int]:
    """The fields of the nodes from the output back to `name`."""
    dropped: set[int] = set()
    behind = graph.output
    while behind != name:
        number, _, inputs = graph.nodes[behind]
        dropped.add(number)
        behind = inputs[0]
    return dropped


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Number, content and whole of each field of a message."""
    at = 0
    while at < len(data):
        start = at
        key, at = _varint(data, at)
        begin = at
        match key & 7:
            case 0:
                _, at = _varint(data, at)
            case 1:
                at += 8
            case 5:
                at += 4
            case _:
                length, begin = _varint(data, at)
                at = begin + length
        yield key >> 3, data[begin:at], data[start:at]


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _message(number: int, content: bytes) -> bytes:
    return _number(number << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    groups = []
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])
