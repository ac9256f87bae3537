"""Imports point downwards: surfaces, orchestration, composition, adapters beside execution, core."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import quire

ROOT = Path(quire.__file__).parent

CORE = """
    types keys regular_files hashing events errors stage context engine roles document opened fonts pagetext words
    artifacts selection saving budget flow config records awaited median fetching passwords
"""
ADAPTERS = """
    render layout prepare detect classify recognize correct assemble chunk embed export samples store prompts flows
"""
EXECUTION = "pool runtime batch telemetry asking"
COMPOSITION = "stages native_pages result domains solve evaluate evidence"
ORCHESTRATION = "recognizing pipeline"
SURFACES = "reading paging worker_pages page_groups page_jobs drawing running cluster cli service web __init__ __main__"

LAYERS = {
    name: layer
    for layer, names in {
        "core": CORE,
        "adapters": ADAPTERS,
        "execution": EXECUTION,
        "composition": COMPOSITION,
        "orchestration": ORCHESTRATION,
        "surfaces": SURFACES,
    }.items()
    for name in names.split()
}
BELOW = {
    "core": {"core"},
    "adapters": {"core", "adapters"},
    "execution": {"core", "execution"},
    "composition": {"core", "adapters", "composition"},
    "orchestration": {"core", "adapters", "execution", "composition", "orchestration"},
    "surfaces": {"core", "adapters", "execution", "composition", "orchestration", "surfaces"},
}
MODULES = sorted(ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    """The part of the package that a module belongs to: `keys`, `render`, `__init__`."""
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Dotted names that a module imports anywhere in it, `from quire import a` as `quire.a`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            if node.module == "quire":
                yield from (f"quire.{alias.name}" for alias in node.names)
            elif node.module:
                yield node.module


def quire_parts(path: Path) -> set[str]:
    names = [name.split(".") for name in imported(path) if name.split(".")[0] == "quire"]
    parts = {name[1] if len(name) > 1 else "__init__" for name in names}
    return {part if (ROOT / part).exists() or (ROOT / f"{part}.py").exists() else "__init__" for part in parts}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path):
    part = part_of(path)
    assert part in LAYERS, f"{part} has no layer: add it to this test and to docs/architecture.md"
    wrong = {found for found in quire_parts(path) - {part} if LAYERS.get(found) not in BELOW[LAYERS[part]]}
    assert not wrong, f"{part} ({LAYERS[part]}) must not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("path", [p for p in MODULES if LAYERS.get(part_of(p)) == "core"], ids=lambda path: path.stem)
def test_core_imports_the_standard_library_only(path):
    outside = {name.split(".")[0] for name in imported(path)} - set(sys.stdlib_module_names) - {"quire"}
    assert not outside
