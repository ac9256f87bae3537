"""What `make` says to people who have no Rust."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_demo_without_cargo_says_first_what_the_compiled_reader_brings_and_how_to_get_it() -> None:
    command = ["make", "--no-print-directory", "-n", "-o", ".venv/.ready", "demo", "CARGO="]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    first = ran.stdout.splitlines()[0]
    assert "a third of the CPU" in first and "rustup.rs" in first and "wheel" in first


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.skipif(not (ROOT / ".venv" / "bin" / "quire").exists(), reason="the tests do not run in .venv")
def test_demo_shows_the_sample_the_scan_and_two_runs(tmp_path: Path) -> None:
    done = ["-o", ".venv/.ready", "-o", ".venv/.native"]
    command = ["make", "--no-print-directory", *done, "demo", f"DEMO={tmp_path / 'demo'}"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "# Delivery note 4711" in ran.stdout
    assert "1 done before" in ran.stdout or "2 done before" in ran.stdout
