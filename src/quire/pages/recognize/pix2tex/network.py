"""The network of pix2tex as two ONNX files, built from its weights: no PyTorch is needed.

The encoder is a ResNet whose cells are read by a vision transformer; it returns the keys and values that each layer of
the decoder looks at. The decoder is asked for one token at a time, and is given the keys and values of those before.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from quire.pages.recognize.pix2tex.checkpoint import Tensors
from quire.pages.recognize.pix2tex.onnx_file import OnnxGraph

STAGES = (2, 3, 7)  # blocks in each stage of the ResNet
DEPTH, HEADS, LAYERS = 4, 8, 4
WIDTH, VIT_WIDTH = 64, 32  # of a head of the decoder, of the encoder
PATCH = 16  # pixels of a cell
MOST_HEIGHT, MOST_WIDTH = 192, 672  # pixels
GROUPS = 32
STANDARDISED, NORM, VIT_NORM = 1e-6, 1e-5, 1e-6  # added to variances

_RESNET = "encoder.patch_embed.backbone"
_DECODER = "decoder.net"


def encoder(weights: Tensors) -> bytes:
    """The network from `picture` and `positions` of its cells to keys `k0` and values `v0` of each decoder layer."""
    made = _Encoder(weights)
    graph = made.graph
    picture = graph.input("picture", np.float32, (1, 1, "height", "width"))
    positions = graph.input("positions", np.int64, ("cells",))
    cells = made.cells(made.resnet(picture), positions)
    for layer in range(LAYERS):
        attention = f"{_DECODER}.attn_layers.layers.{3 * layer + 1}.1"
        for name in ("k", "v"):
            found = made.heads(made.linear(cells, f"{attention}.to_{name}"), WIDTH)
            graph.output(f"{name}{layer}", found, (1, HEADS, "cells", WIDTH))
    return graph.to_bytes()


def decoder(weights: Tensors) -> bytes:
    """The network from a `token` at a `position` to the `scores` of the next one."""
    made = _Decoder(weights)
    graph = made.graph
    token, position = graph.input("token", np.int64, (1, 1)), graph.input("position", np.int64, (1, 1))
    embedded = graph.add("Gather", made.weight(f"{_DECODER}.token_emb.weight"), token)
    place = graph.add("Gather", made.weight(f"{_DECODER}.pos_emb.emb.weight"), position)
    state = graph.add("Add", embedded, place)
    for layer in range(LAYERS):
        state = made.layer(state, layer)
    last = made.norm(state, f"{_DECODER}.norm", NORM)
    graph.output("scores", made.linear(last, f"{_DECODER}.to_logits"), (1, 1, "tokens"))
    return graph.to_bytes()


class _Network:
    """Parts that both networks have."""

    def __init__(self, weights: Tensors, name: str) -> None:
        self._weights, self.graph = weights, OnnxGraph(name)

    def weight(self, name: str) -> str:
        return self.graph.constant(self._weights[name])

    def linear(self, value: str, name: str) -> str:
        graph = self.graph
        product = graph.add("MatMul", value, graph.constant(np.ascontiguousarray(self._weights[f"{name}.weight"].T)))
        return graph.add("Add", product, self.weight(f"{name}.bias")) if f"{name}.bias" in self._weights else product

    def norm(self, value: str, name: str, epsilon: float) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.graph.add("LayerNormalization", value, scale, bias, axis=-1, epsilon=epsilon)

    def gelu(self, value: str) -> str:
        graph = self.graph
        error = graph.add("Erf", graph.add("Div", value, graph.scalar(math.sqrt(2))))
        part = graph.add("Mul", value, graph.add("Add", error, graph.scalar(1.0)))
        return graph.add("Mul", part, graph.scalar(0.5))

    def heads(self, value: str, width: int) -> str:
        """(1, n, heads x width) as (1, heads, n, width)."""
        split = self.graph.add("Reshape", value, self.graph.integers(1, -1, HEADS, width))
        return self.graph.add("Transpose", split, perm=(0, 2, 1, 3))

    def attend(self, query: str, key: str, value: str, width: int) -> str:
        """(1, heads, n, d) three times to (1, n, heads x d)."""
        graph = self.graph
        dots = graph.add("MatMul", query, graph.add("Transpose", key, perm=(0, 1, 3, 2)))
        weights = graph.add("Softmax", graph.add("Mul", dots, graph.scalar(width**-0.5)), axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", weights, value), perm=(0, 2, 1, 3))
        return graph.add("Reshape", mixed, graph.integers(1, -1, HEADS * width))


class _Encoder(_Network):
    def __init__(self, weights: Tensors) -> None:
        super().__init__(weights, "encoder")

    def resnet(self, picture: str) -> str:
        graph = self.graph
        value = self._norm_groups(self._conv(picture, f"{_RESNET}.stem.conv", 2), f"{_RESNET}.stem.norm")
        value = graph.add("Relu", value)
        value = graph.add("MaxPool", value, kernel_shape=(3, 3), strides=(2, 2), auto_pad="SAME_UPPER")
        for stage, blocks in enumerate(STAGES):
            for block in range(blocks):
                stride = 2 if stage and not block else 1
                value = self._bottleneck(value, f"{_RESNET}.stages.{stage}.blocks.{block}", stride, first=not block)
        return value

    def cells(self, features: str, positions: str) -> str:
        """The features of the cells, each in the light of all others."""
        graph = self.graph
        name = "encoder.patch_embed.proj"
        value = graph.add("Conv", features, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        flat = graph.add("Reshape", value, graph.integers(1, HEADS * VIT_WIDTH, -1))
        value = graph.add(
            "Concat", self.weight("encoder.cls_token"), graph.add("Transpose", flat, perm=(0, 2, 1)), axis=1
        )
        value = graph.add("Add", value, graph.add("Gather", self.weight("encoder.pos_embed"), positions, axis=1))
        for number in range(DEPTH):
            value = self._block(value, f"encoder.blocks.{number}")
        return self.norm(value, "encoder.norm", VIT_NORM)

    def _block(self, value: str, name: str) -> str:
        graph = self.graph
        three = self.linear(self.norm(value, f"{name}.norm1", VIT_NORM), f"{name}.attn.qkv")
        query, key, found = (self.heads(part, VIT_WIDTH) for part in graph.add_split(three, 3, 2))
        mixed = self.linear(self.attend(query, key, found, VIT_WIDTH), f"{name}.attn.proj")
        value = graph.add("Add", value, mixed)
        inner = self.gelu(self.linear(self.norm(value, f"{name}.norm2", VIT_NORM), f"{name}.mlp.fc1"))
        return graph.add("Add", value, self.linear(inner, f"{name}.mlp.fc2"))

    def _bottleneck(self, value: str, name: str, stride: int, *, first: bool) -> str:
        graph = self.graph
        beside = value
        if first:
            beside = self._norm_groups(self._conv(value, f"{name}.downsample.conv", stride), f"{name}.downsample.norm")
        for number in (1, 2, 3):
            value = self._conv(value, f"{name}.conv{number}", stride if number == 2 else 1)
            value = self._norm_groups(value, f"{name}.norm{number}")
            value = graph.add("Relu", value if number < 3 else graph.add("Add", value, beside))
        return value

    def _conv(self, value: str, name: str, stride: int) -> str:
        """A convolution whose weights are standardised, as in training."""
        weight = self.graph.constant(_standardised(self._weights[f"{name}.weight"]))
        return self.graph.add("Conv", value, weight, strides=(stride, stride), auto_pad="SAME_UPPER")

    def _norm_groups(self, value: str, name: str) -> str:
        graph = self.graph
        grouped = graph.add("Reshape", value, graph.integers(0, GROUPS, -1))
        one, zero = graph.constant(np.ones(GROUPS, np.float32)), graph.constant(np.zeros(GROUPS, np.float32))
        normal = graph.add("InstanceNormalization", grouped, one, zero, epsilon=NORM)
        shaped = graph.add("Reshape", normal, graph.add("Shape", value))
        scale, bias = (self._weights[f"{name}.{part}"].reshape(-1, 1, 1) for part in ("weight", "bias"))
        return graph.add("Add", graph.add("Mul", shaped, graph.constant(scale)), graph.constant(bias))


class _Decoder(_Network):
    def __init__(self, weights: Tensors) -> None:
        super().__init__(weights, "decoder")

    def layer(self, state: str, layer: int) -> str:
        """Attention to the tokens before, then to the picture, then a step of its own."""
        graph = self.graph
        own, picture, forward = (f"{_DECODER}.attn_layers.layers.{3 * layer + part}" for part in range(3))
        normal = self.norm(state, f"{own}.0", NORM)
        seen = [self._with_earlier(normal, f"{own}.1", name, layer) for name in ("k", "v")]
        state = graph.add("Add", state, self._looked(normal, f"{own}.1", *seen))
        normal = self.norm(state, f"{picture}.0", NORM)
        seen = [graph.input(f"{name}{layer}", np.float32, (1, HEADS, "cells", WIDTH)) for name in ("k", "v")]
        state = graph.add("Add", state, self._looked(normal, f"{picture}.1", *seen))
        inner = self.linear(self.norm(state, f"{forward}.0", NORM), f"{forward}.1.net.0.proj")
        value, gate = graph.add_split(inner, 2, 2)
        return graph.add("Add", state, self.linear(graph.add("Mul", value, self.gelu(gate)), f"{forward}.1.net.2"))

    def _with_earlier(self, state: str, name: str, kind: str, layer: int) -> str:
        graph = self.graph
        earlier = graph.input(f"earlier_{kind}{layer}", np.float32, (1, HEADS, "tokens", WIDTH))
        joined = graph.add("Concat", earlier, self.heads(self.linear(state, f"{name}.to_{kind}"), WIDTH), axis=2)
        graph.output(f"later_{kind}{layer}", joined, (1, HEADS, "more", WIDTH))
        return joined

    def _looked(self, state: str, name: str, key: str, value: str) -> str:
        graph = self.graph
        mixed = self.attend(self.heads(self.linear(state, f"{name}.to_q"), WIDTH), key, value, WIDTH)
        out, gate = graph.add_split(self.linear(mixed, f"{name}.to_out.0"), 2, 2)
        return graph.add("Mul", out, graph.add("Sigmoid", gate))


def _standardised(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    flat = weight.reshape(weight.shape[0], -1).astype(np.float64)
    normal = (flat - flat.mean(axis=1, keepdims=True)) / np.sqrt(flat.var(axis=1, keepdims=True) + STANDARDISED)
    return np.asarray(normal.reshape(weight.shape), np.float32)
