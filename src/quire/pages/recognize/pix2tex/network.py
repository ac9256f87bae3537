"""The network of pix2tex, computed with NumPy from its published weights: no PyTorch is needed.

The encoder is a ResNet whose cells are read by a vision transformer; it returns the keys and values that each layer of
the decoder looks at. The decoder is asked for one token at a time, and is given the keys and values of those before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Values = NDArray[np.float32]
Seen = Sequence[tuple[Values, Values]]
"""The keys and values that each layer of the decoder looks at."""

STAGES = (2, 3, 7)  # blocks in each stage of the ResNet
DEPTH, HEADS, LAYERS = 4, 8, 4
WIDTH, VIT_WIDTH = 64, 32  # of a head of the decoder, of the encoder
PATCH = 16  # pixels of a cell
MOST_HEIGHT, MOST_WIDTH = 192, 672  # pixels
GROUPS = 32
STANDARDISED, NORM, VIT_NORM = 1e-6, 1e-5, 1e-6  # added to variances
NOTHING: Seen = [(np.zeros((HEADS, 0, WIDTH), np.float32),) * 2] * LAYERS
"""Before the first token."""

_RESNET = "encoder.patch_embed.backbone"
_DECODER = "decoder.net"


class FormulaNetwork:
    """The network with its weights, by their names in the checkpoint."""

    def __init__(self, weights: dict[str, Values]) -> None:
        kernels = {name: weight for name, weight in weights.items() if name.startswith(_RESNET) and weight.ndim == 4}
        self._weights = weights | {name: _standardised(kernel) for name, kernel in kernels.items()}

    def encode(self, picture: Values, positions: NDArray[np.int64]) -> Seen:
        """What the decoder sees of a picture, from its pixels and the positions of its cells."""
        cells = self._cells(self._resnet(picture[None]), positions)
        layers = [f"{_DECODER}.attn_layers.layers.{3 * layer + 1}.1" for layer in range(LAYERS)]
        return [(self._heads(cells, f"{name}.to_k"), self._heads(cells, f"{name}.to_v")) for name in layers]

    def decode(self, token: int, place: int, picture: Seen, earlier: Seen) -> tuple[Values, Seen]:
        """The scores of the token after the one at a place, and what the next one sees of those before it."""
        state = self._weights[f"{_DECODER}.token_emb.weight"][[token]]
        state = state + self._weights[f"{_DECODER}.pos_emb.emb.weight"][[place]]
        later = []
        for layer in range(LAYERS):
            own, across, forward = (f"{_DECODER}.attn_layers.layers.{3 * layer + part}" for part in range(3))
            normal = self._norm(state, f"{own}.0", NORM)
            key, value = (self._heads(normal, f"{own}.1.to_{name}") for name in ("k", "v"))
            seen = np.concatenate([earlier[layer][0], key], 1), np.concatenate([earlier[layer][1], value], 1)
            later.append(seen)
            state = state + self._looked(normal, f"{own}.1", *seen)
            state = state + self._looked(self._norm(state, f"{across}.0", NORM), f"{across}.1", *picture[layer])
            inner = self._linear(self._norm(state, f"{forward}.0", NORM), f"{forward}.1.net.0.proj")
            value, gate = np.split(inner, 2, axis=1)
            state = state + self._linear(value * _gelu(gate), f"{forward}.1.net.2")
        return self._linear(self._norm(state, f"{_DECODER}.norm", NORM), f"{_DECODER}.to_logits")[0], later

    def _resnet(self, picture: Values) -> Values:
        value = self._normal_conv(picture, f"{_RESNET}.stem.conv", f"{_RESNET}.stem.norm", 2)
        value = _windows(np.maximum(value, 0), 3, 2, outside=-np.inf).max(axis=(3, 4))
        for stage, blocks in enumerate(STAGES):
            for block in range(blocks):
                stride = 2 if stage and not block else 1
                value = self._bottleneck(value, f"{_RESNET}.stages.{stage}.blocks.{block}", stride, first=not block)
        return value

    def _cells(self, features: Values, positions: NDArray[np.int64]) -> Values:
        """The features of the cells, each in the light of all others."""
        name = "encoder.patch_embed.proj"
        kernel, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        flat = (kernel.reshape(len(kernel), -1) @ features.reshape(len(features), -1)).T + bias
        value = np.concatenate([self._weights["encoder.cls_token"][0], flat])
        value = value + self._weights["encoder.pos_embed"][0, positions]
        for number in range(DEPTH):
            name = f"encoder.blocks.{number}"
            three = self._linear(self._norm(value, f"{name}.norm1", VIT_NORM), f"{name}.attn.qkv")
            query, key, found = (_split(part, VIT_WIDTH) for part in np.split(three, 3, axis=1))
            value = value + self._linear(_attended(query, key, found), f"{name}.attn.proj")
            inner = _gelu(self._linear(self._norm(value, f"{name}.norm2", VIT_NORM), f"{name}.mlp.fc1"))
            value = value + self._linear(inner, f"{name}.mlp.fc2")
        return self._norm(value, "encoder.norm", VIT_NORM)

    def _bottleneck(self, value: Values, name: str, stride: int, *, first: bool) -> Values:
        beside = value
        if first:
            beside = self._normal_conv(value, f"{name}.downsample.conv", f"{name}.downsample.norm", stride)
        for number in (1, 2, 3):
            conv, norm = f"{name}.conv{number}", f"{name}.norm{number}"
            value = self._normal_conv(value, conv, norm, stride if number == 2 else 1)
            value = np.maximum(value if number < 3 else value + beside, 0)
        return value

    def _normal_conv(self, value: Values, conv: str, norm: str, stride: int) -> Values:
        """A convolution of (channels, height, width), normalised by groups of channels."""
        kernel = self._weights[f"{conv}.weight"]
        windows = _windows(value, kernel.shape[-1], stride).transpose(0, 3, 4, 1, 2)
        made = kernel.reshape(len(kernel), -1) @ windows.reshape(kernel[0].size, -1)
        normal = _normalised(made.reshape(GROUPS, -1), NORM).reshape(len(kernel), *windows.shape[3:])
        scale, bias = (self._weights[f"{norm}.{part}"].reshape(-1, 1, 1) for part in ("weight", "bias"))
        return normal * scale + bias

    def _looked(self, state: Values, name: str, key: Values, value: Values) -> Values:
        mixed = _attended(self._heads(state, f"{name}.to_q"), key, value)
        out, gate = np.split(self._linear(mixed, f"{name}.to_out.0"), 2, axis=1)
        return np.asarray(out / (1 + np.exp(-gate)), np.float32)

    def _heads(self, value: Values, name: str) -> Values:
        return _split(self._linear(value, name), WIDTH)

    def _linear(self, value: Values, name: str) -> Values:
        product: Values = value @ self._weights[f"{name}.weight"].T
        return product + self._weights[f"{name}.bias"] if f"{name}.bias" in self._weights else product

    def _norm(self, value: Values, name: str, epsilon: float) -> Values:
        return _normalised(value, epsilon) * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _split(value: Values, width: int) -> Values:
    """(n, heads x width) as (heads, n, width)."""
    return value.reshape(len(value), HEADS, width).transpose(1, 0, 2)


def _attended(query: Values, key: Values, value: Values) -> Values:
    """(heads, n, width) three times to (n, heads x width)."""
    dots = query @ key.transpose(0, 2, 1) * np.float32(query.shape[-1] ** -0.5)
    weights = np.exp(dots - dots.max(axis=-1, keepdims=True))
    mixed: Values = weights / weights.sum(axis=-1, keepdims=True) @ value
    return mixed.transpose(1, 0, 2).reshape(query.shape[1], -1)


def _windows(value: Values, size: int, stride: int, *, outside: float = 0.0) -> Values:
    """(channels, height, width) as squares around every pixel or every other: (channels, rows, columns, size, size)."""
    missing = [max(0, (-(-length // stride) - 1) * stride + size - length) for length in value.shape[1:]]
    margins = [(0, 0), *((more // 2, more - more // 2) for more in missing)]
    padded = np.pad(value, margins, constant_values=outside)
    return sliding_window_view(padded, (size, size), axis=(1, 2))[:, ::stride, ::stride]


def _normalised(value: NDArray[np.floating], epsilon: float) -> Values:
    centred = value - value.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + epsilon), np.float32)


def _gelu(value: Values) -> Values:
    """With the error function of Abramowitz and Stegun, 7.1.26, which is right to seven digits."""
    distance = np.abs(value) * np.float32(math.sqrt(0.5))
    part = 1 / (1 + np.float32(0.3275911) * distance)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    tail = np.polyval(np.array((*terms, 0), np.float32), part) * np.exp(-np.square(distance))
    return np.asarray(np.float32(0.5) * value * (1 + np.sign(value) * (1 - tail)), np.float32)


def _standardised(kernel: Values) -> Values:
    """As in training."""
    flat = kernel.reshape(len(kernel), -1).astype(np.float64)
    return _normalised(flat, STANDARDISED).reshape(kernel.shape)
