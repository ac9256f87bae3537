"""What `make` says to people who have no Rust."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.docs.pages import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_demo_without_cargo_says_first_what_the_compiled_reader_brings_and_how_to_get_it() -> None:
    command = ["make", "--no-print-directory", "-n", "-o", ".venv/.ready", "demo", "CARGO="]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    first = ran.stdout.splitlines()[0]
    assert "a third of the CPU" in first and "rustup.rs" in first and "wheel" in first
