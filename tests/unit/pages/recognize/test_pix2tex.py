"""The engine for formulas: its weights read without running code, its networks built, its LaTeX written."""

from __future__ import annotations

import io
import json
import pickle
import sys
import types
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from quire.core.engine import Question
from quire.core.errors import ConfigurationError, EngineError, InputError
from quire.core.picture import Picture
from quire.core.types import BBox, Region
from quire.net.models import find_model
from quire.pages.recognize import engine_registry as registry
from quire.pages.recognize.latex import is_balanced
from quire.pages.recognize.pix2tex import Pix2TexEngine, network
from quire.pages.recognize.pix2tex.checkpoint import read_checkpoint
from quire.pages.recognize.pix2tex.latex import latex_of


@pytest.fixture(scope="module")
def torch() -> Iterator[types.SimpleNamespace]:
    """The names of PyTorch that a checkpoint mentions, so that one can be written here."""
    module, inner = types.ModuleType("torch"), types.ModuleType("torch._utils")

    class FloatStorage:
        __module__, __qualname__ = "torch", "FloatStorage"

    def _rebuild_tensor_v2(*arguments):
        raise AssertionError("only named in the file")

    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    module.FloatStorage, inner._rebuild_tensor_v2 = FloatStorage, _rebuild_tensor_v2
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", module)
        patch.setitem(sys.modules, "torch._utils", inner)
        yield types.SimpleNamespace(storage=FloatStorage, rebuild=_rebuild_tensor_v2)


class Tensor:
    """A tensor as PyTorch pickles it: a call that rebuilds it from its storage."""

    def __init__(self, torch, key, numbers, shape, strides, offset=0):
        self.torch, self.key, self.numbers = torch, key, numbers
        self.shape, self.strides, self.offset = shape, strides, offset

    def __reduce__(self):
        return self.torch.rebuild, (Storage(self), self.offset, self.shape, self.strides, False, OrderedDict())


class Storage:
    def __init__(self, tensor):
        self.tensor = tensor


class CheckpointPickler(pickle.Pickler):
    def persistent_id(self, obj):
        if isinstance(obj, Storage):
            return "storage", obj.tensor.torch.storage, obj.tensor.key, "cpu", len(obj.tensor.numbers)
        return None


def checkpoint(path: Path, content: object, storages: dict[str, np.ndarray]) -> Path:
    pickled = io.BytesIO()
    CheckpointPickler(pickled, 2).dump(content)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled.getvalue())
        for key, numbers in storages.items():
            archive.writestr(f"archive/data/{key}", numbers.astype("<f4").tobytes())
    return path


def test_tensors_are_read_without_pytorch(tmp_path, torch):
    numbers = np.arange(12, dtype=np.float32)
    content = OrderedDict(
        straight=Tensor(torch, "0", numbers, (3, 4), (4, 1)),
        turned=Tensor(torch, "0", numbers, (4, 3), (1, 4)),
        part=Tensor(torch, "0", numbers, (2,), (1,), offset=10),
    )
    path = checkpoint(tmp_path / "weights.pth", content, {"0": numbers})
    found = read_checkpoint(path)
    assert (found["straight"] == numbers.reshape(3, 4)).all()
    assert (found["turned"] == numbers.reshape(3, 4).T).all()
    assert found["part"].tolist() == [10.0, 11.0]


class Attack:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_code_in_a_checkpoint_is_refused_and_not_run(tmp_path):
    path = checkpoint(tmp_path / "weights.pth", {"weight": Attack(tmp_path / "owned")}, {})
    with pytest.raises(InputError, match="which no checkpoint of weights needs; it was not run"):
        read_checkpoint(path)
    assert not (tmp_path / "owned").exists()


def test_a_tensor_outside_its_storage_is_refused(tmp_path, torch):
    numbers = np.arange(4, dtype=np.float32)
    path = checkpoint(tmp_path / "w.pth", {"x": Tensor(torch, "0", numbers, (9,), (1,))}, {"0": numbers})
    with pytest.raises(InputError, match="a tensor lies outside its storage"):
        read_checkpoint(path)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04"])
def test_another_file_is_no_checkpoint(tmp_path, content):
    path = tmp_path / "weights.pth"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        read_checkpoint(path)


TOKENS = 12


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    """Weights of a network of the same build with fewer channels, which nothing taught anything."""
    chance = np.random.default_rng(7)
    made: dict[str, np.ndarray] = {}

    def add(name: str, *shape: int) -> None:
        made[name] = (0.1 * chance.standard_normal(shape)).astype(np.float32)

    def linear(name: str, out: int, into: int, *, bias: bool = True) -> None:
        add(f"{name}.weight", out, into)
        if bias:
            add(f"{name}.bias", out)

    def norm(name: str, width: int) -> None:
        add(f"{name}.weight", width)
        add(f"{name}.bias", width)

    resnet = "encoder.patch_embed.backbone"
    add(f"{resnet}.stem.conv.weight", 32, 1, 7, 7)
    norm(f"{resnet}.stem.norm", 32)
    for stage, blocks in enumerate(network.STAGES):
        for block in range(blocks):
            name = f"{resnet}.stages.{stage}.blocks.{block}"
            for number, size in ((1, 1), (2, 3), (3, 1)):
                add(f"{name}.conv{number}.weight", 32, 32, size, size)
                norm(f"{name}.norm{number}", 32)
            if not block:
                add(f"{name}.downsample.conv.weight", 32, 32, 1, 1)
                norm(f"{name}.downsample.norm", 32)
    add("encoder.patch_embed.proj.weight", 256, 32, 1, 1)
    add("encoder.patch_embed.proj.bias", 256)
    add("encoder.cls_token", 1, 1, 256)
    add("encoder.pos_embed", 1, 505, 256)
    for number in range(network.DEPTH):
        name = f"encoder.blocks.{number}"
        norm(f"{name}.norm1", 256)
        norm(f"{name}.norm2", 256)
        linear(f"{name}.attn.qkv", 768, 256)
        linear(f"{name}.attn.proj", 256, 256)
        linear(f"{name}.mlp.fc1", 64, 256)
        linear(f"{name}.mlp.fc2", 256, 64)
    norm("encoder.norm", 256)
    add("decoder.net.token_emb.weight", TOKENS, 256)
    add("decoder.net.pos_emb.emb.weight", 512, 256)
    for layer in range(network.LAYERS):
        names = [f"decoder.net.attn_layers.layers.{3 * layer + part}" for part in range(3)]
        for name in names:
            norm(f"{name}.0", 256)
        for name in names[:2]:
            for part in ("q", "k", "v"):
                linear(f"{name}.1.to_{part}", 512, 256, bias=False)
            linear(f"{name}.1.to_out.0", 512, 512)
        linear(f"{names[2]}.1.net.0.proj", 128, 256)
        linear(f"{names[2]}.1.net.2", 256, 64)
    norm("decoder.net.norm", 256)
    linear("decoder.net.to_logits", TOKENS, 256)
    made["decoder.net.to_logits.bias"][2] += 3.0  # so that it ends soon
    return made


@pytest.fixture(scope="module")
def engine(tmp_path_factory, weights, torch) -> Pix2TexEngine:
    folder = tmp_path_factory.mktemp("models") / "formulas"
    folder.mkdir()
    tensors = OrderedDict(
        (name, Tensor(torch, name, value.ravel(), value.shape, [step // 4 for step in value.strides]))
        for name, value in weights.items()
    )
    checkpoint(folder / "weights.pth", tensors, {name: value.ravel() for name, value in weights.items()})
    vocabulary = {text: number for number, text in enumerate(["[PAD]", "[BOS]", "[EOS]", *"abcdefghi"])}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}))
    return Pix2TexEngine(find_model("formulas", "weights.pth", "tokenizer.json", folder=folder.parent))


def test_the_network_computes_what_onnx_runtime_did(weights):
    """The scores of the same network as a file of ONNX, run by ONNX Runtime."""
    made, (rows, columns) = network.FormulaNetwork(weights), np.mgrid[:64, :96]
    picture = (np.sin(rows / 5) * np.cos(columns / 7)).astype(np.float32)
    cells = (np.arange(4)[:, None] * 42 + np.arange(6)).ravel() + 1
    seen, earlier = made.encode(picture, np.concatenate([[0], cells])), network.NOTHING
    for place, token in enumerate((1, 5, 7)):
        scores, earlier = made.decode(token, place, seen, earlier)
    expected = [0.39703, 0.56591, 3.12779, 0.19603, 0.10166, -0.25482, 0.07714, 0.14874, 0.07009]
    assert scores[:9] == pytest.approx(expected, abs=1e-4)


def test_regions_of_a_picture_get_one_answer_each_and_the_same_one_again(engine):
    pixels = np.full((300, 400), 250, np.uint8)
    pixels[100:140, 80:300:9] = 20
    picture = Picture(400, 300, "L", pixels.tobytes(), 144.0)
    inked, blank = BBox(0.1, 0.3, 0.8, 0.2), BBox(0.1, 0.7, 0.8, 0.2)
    regions = (Region("formula-1", inked, attrs={"line": 24.0}), Region("formula-2", blank, attrs={"line": 24.0}))
    question = Question(picture.size, 144.0, regions=regions)
    answer = engine.ask(picture, question)
    assert answer == engine.ask(picture, question)
    first, second = engine.interpret(answer, question)
    assert [first.region, second.region] == ["formula-1", "formula-2"]
    assert second.blocks == ()
    for block in first.blocks:
        assert (block.kind, block.bbox) == ("formula", inked)
        assert 0 < block.confidence <= 1


def test_a_whole_page_is_not_asked_about(engine):
    picture = Picture(4, 4, "L", bytes(16), 144.0)
    with pytest.raises(EngineError, match="it reads regions with formulas, not pages"):
        engine.ask(picture, Question(picture.size, 144.0))


def test_without_the_model_the_engine_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIRE_MODELS", str(tmp_path))
    with pytest.raises(ConfigurationError, match="`quire models fetch formulas` fetches it"):
        registry.make("pix2tex")


@pytest.mark.parametrize(
    ("tokens", "latex"),
    [
        (r"\alpha \beta x ^ { \prime \prime }", r"\alpha\beta x''"),
        (r"\operatorname* { m a x } ( x ) , \operatorname { B e t a } \, ~", r"\max(x),\operatorname{Beta}"),
        (r"\hat { \bf h } ( n )", r"\hat{\mathbf{h}}(n)"),
        (r"{ \displaystyle \frac { a } { b } }", r"{\frac{a}{b}}"),
        (r"\begin{array} { c } { { a = 1 } } \\ { { b = 2 } } \end{array}", r"\begin{gathered}a=1\\b=2\end{gathered}"),
        (r"\begin{array} { c c } { a } & { b } \end{array}", r"\begin{array}{cc}{a}&{b}\end{array}"),
        (
            r"\left\{ \begin{array} { l l } { { x } } & { { t = 0 } } \\ { y } & { t } \end{array} \right.",
            r"\begin{cases}x&t=0\\y&t\end{cases}",
        ),
    ],
)
def test_the_tokens_of_the_network_become_latex_as_one_writes_it(tokens, latex):
    assert latex_of(tokens) == latex


@pytest.mark.parametrize("latex", [r"\frac{a}{b", "a}{b", r"\left( a", r"\begin{array}{c} a"])
def test_latex_that_cannot_be_typeset_is_known(latex):
    assert not is_balanced(latex)
    assert is_balanced(r"\left\{\frac{a}{b}\right.")
