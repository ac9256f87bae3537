"""The wheel carries exactly the model files that the engine looks for, and the vocabulary of the default tokenizer."""

from __future__ import annotations

import re

from quire.core.errors import DISTRIBUTION
from quire.retrieval.chunk import tokenizers
from quire.system import ocr_models as models
from tests.docs.pages import ROOT


def test_every_model_that_the_engine_opens_is_put_into_the_wheel() -> None:
    hook = (ROOT / "hatch_build.py").read_text()
    packed = set(re.findall(r'": "([\w/.]+\.(?:onnx|txt))"', hook))
    opened = {name for pair in models._FILES.values() for name in pair if name}
    assert packed == {*opened, "tokenizer/vocab.txt"}
    assert tokenizers._HOMES[DISTRIBUTION] == "quire_models/tokenizer"
