"""The files that the engine runs, made from the published weights."""

from __future__ import annotations

from pathlib import Path

from quire.pages.recognize.pix2tex.checkpoint import read_checkpoint
from quire.pages.recognize.pix2tex.network import decoder, encoder

ENCODER, DECODER, TOKENIZER = "encoder.onnx", "decoder.onnx", "tokenizer.json"


def convert(folder: Path) -> None:
    """Write the two networks beside `weights.pth`, and remove that."""
    published = folder / "weights.pth"
    weights = read_checkpoint(published)
    (folder / ENCODER).write_bytes(encoder(weights))
    (folder / DECODER).write_bytes(decoder(weights))
    published.unlink()
