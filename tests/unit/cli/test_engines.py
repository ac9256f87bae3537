"""`quire engines` as people meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes


def quire(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "quire", *arguments]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("QUIRE_VISION")}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**plain, **environment})


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """A search path without Tesseract."""
    return {"PATH": str(tmp_path)}


def test_every_engine_is_listed_with_what_it_can_do():
    run = quire("engines")
    assert (run.returncode, run.stderr) == (0, "")
    heads = {line.split()[0]: line for line in run.stdout.splitlines() if not line.startswith(" ")}
    assert list(heads) == ["pix2tex", "rapidocr", "tesseract", "vision", "echo"]
    assert "a dummy for tests" in heads["echo"]
    assert "usable (cpu), version " in heads["rapidocr"]
    assert "not usable: the model 'formulas' is missing" in heads["pix2tex"]
    assert "`quire models fetch formulas` fetches it" in " ".join(run.stdout.split())
    assert "not usable: the vision engine needs QUIRE_VISION_URL" in heads["vision"]


def test_a_machine_without_tesseract_is_told_how_to_get_it(bare):
    engines = {one["name"]: one for one in json.loads(quire("engines", "--json", **bare).stdout)["engines"]}
    assert engines["rapidocr"]["usable"]
    assert not engines["tesseract"]["usable"]
    assert "apt install tesseract-ocr" in engines["tesseract"]["reason"]


def test_languages_are_listed_with_the_package_that_adds_them(bare):
    run = quire("engines", "--languages", **bare)
    lines = {line.split()[0]: line.split() for line in run.stdout.splitlines() if line}
    assert lines["de"] == ["de", "German", "rapidocr", "apt", "install", "tesseract-ocr-deu"]
    assert lines["ru"] == ["ru", "Russian", "-", "apt", "install", "tesseract-ocr-rus"]
    assert "For any language" not in run.stdout, "the dummy does no OCR"


@pytest.mark.usefixtures("tesseract")
def test_languages_that_are_installed_are_read_by_tesseract():
    listed = json.loads(quire("engines", "--languages", "--json").stdout)["languages"]
    russian = next(language for language in listed if language["code"] == "ru")
    assert russian == {
        "code": "ru",
        "name": "Russian",
        "script": "Cyrl",
        "engines": ["tesseract"],
        "traineddata": "rus",
        "package": "tesseract-ocr-rus",
    }
