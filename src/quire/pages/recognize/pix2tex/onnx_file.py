"""Writes ONNX files: the part of the format that a fixed network needs, without the package `onnx`."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Attribute = int | float | str | Sequence[int]
Shape = Sequence[int | str]
"""Sizes, or names where a size varies."""

_IR, _OPSET = 8, 17
_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}


class OnnxGraph:
    """A network under construction. `add` returns the name of the new value, which is the input of later nodes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._count = 0

    def input(self, name: str, kind: type[np.generic], shape: Shape) -> str:
        self._inputs.append(_value(name, np.dtype(kind), shape))
        return name

    def output(self, name: str, value: str, shape: Shape) -> None:
        self._node("Identity", [value], [name], {})
        self._outputs.append(_value(name, np.dtype(np.float32), shape))

    def constant(self, array: NDArray[np.generic]) -> str:
        name = self._new()
        code = _TYPES[array.dtype]
        dims = b"".join(_number(1, size) for size in array.shape)
        data = np.ascontiguousarray(array).tobytes()
        self._constants.append(dims + _number(2, code) + _text(8, name) + _bytes(9, data))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def scalar(self, value: float) -> str:
        return self.constant(np.array(value, np.float32))

    def add(self, operator: str, *inputs: str, **attributes: Attribute) -> str:
        name = self._new()
        self._node(operator, inputs, [name], attributes)
        return name

    def add_split(self, value: str, parts: int, axis: int) -> list[str]:
        """The value cut into equal parts."""
        names = [self._new() for _ in range(parts)]
        self._node("Split", [value], names, {"axis": axis})
        return names

    def to_bytes(self) -> bytes:
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _text(2, self._name)
        graph += b"".join(_bytes(5, constant) for constant in self._constants)
        graph += b"".join(_bytes(11, value) for value in self._inputs)
        graph += b"".join(_bytes(12, value) for value in self._outputs)
        opset = _text(1, "") + _number(2, _OPSET)
        return _number(1, _IR) + _text(2, "quire") + _bytes(7, graph) + _bytes(8, opset)

    def _new(self) -> str:
        self._count += 1
        return f"_{self._count}"

    def _node(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Attribute]
    ) -> None:
        node = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
        node += _text(4, operator) + b"".join(_bytes(5, _attribute(*one)) for one in attributes.items())
        self._nodes.append(node)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, 3)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, 7)


def _value(name: str, kind: np.dtype[np.generic], shape: Shape) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    dims = b"".join(_bytes(1, size) for size in sizes)
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, _TYPES[kind]) + _bytes(2, dims)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
