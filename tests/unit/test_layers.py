"""Imports point downwards: surfaces, orchestration, composition, adapters beside execution, core.

Every module has a layer, by the longest name below that it begins with.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import quire

ROOT = Path(quire.__file__).parent

LAYERS = {
    "core": """
        types keys regular_files hashing events errors context engine roles document opened fonts pagetext lazy_words
        encoding page_ranges table_areas atomic_files budget config database awaited median picture affine png plugins
        plugin_checks figures fetching names passwords packaged_files media_types bundle user_data
        embedder model_server offline child_environment enrichments supervisor
    """,
    "adapters": """
        render layout prepare detect classify recognize correct assemble export answers store prompts flow ocr_models
        chunk formats models search cite catalog verify extract review learn
        database.postgres database.postgres_connections
    """,
    "execution": "workers runtime batch asking",
    "composition": "result client",
    "orchestration": "reading durable pipeline embed domains",
    "surfaces": "devcluster cli service __init__ __main__",
}
BELOW = {
    "core": {"core"},
    "adapters": {"core", "adapters"},
    "execution": {"core", "execution"},
    "composition": {"core", "adapters", "composition"},
    "orchestration": {"core", "adapters", "execution", "composition", "orchestration"},
    "surfaces": {"core", "adapters", "execution", "composition", "orchestration", "surfaces"},
}
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names.split()}


def name_of(path: Path) -> str:
    """`reading.call`; `reading` for its `__init__`, `__init__` for that of the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def layer_of(module: str) -> str | None:
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((LAYER_OF[name] for name in names if name in LAYER_OF), None)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Dotted names that a module imports anywhere in it, `from quire.a import b` as `quire.a.b`."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in _statements(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _statements(block: ast.AST) -> Iterator[ast.AST]:
    """All statements in a block: imports are never inside of expressions, which are most of a tree."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(block, field, ()):
            yield node
            yield from _statements(node)


def modules_imported(path: Path) -> set[str]:
    """The modules of Quire that a module imports."""
    found = set()
    for name in imported(path):
        first, *parts = name.split(".")
        if first == "quire":
            names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
            found.add(next((name for name in names if name in MODULES), "__init__"))
    return found


def test_imports_point_downwards():
    without = [module for module in MODULES if layer_of(module) is None]
    assert not without, "no layer: add them to this test and to docs/architecture.md"
    wrong = [
        f"{module} ({layer_of(module)}) must not import {found}"
        for module, path in MODULES.items()
        for found in sorted(modules_imported(path))
        if layer_of(found) not in BELOW[layer_of(module)]
    ]
    assert not wrong


FOR_TYPE_CHECKERS = {"types": {"pandas", "polars"}}
"""What a module of core imports under `if TYPE_CHECKING`, never when it runs."""


def test_core_imports_the_standard_library_only():
    known = {*sys.stdlib_module_names, "quire"}
    core = [module for module in MODULES if layer_of(module) == "core"]
    found = {module: {name.split(".")[0] for name in imported(MODULES[module])} - known for module in core}
    assert {module: outside for module, outside in found.items() if outside} == FOR_TYPE_CHECKERS


def test_no_two_packages_need_each_other():
    graph = defaultdict(set)
    for module, path in MODULES.items():
        part = module.split(".")[0]
        graph[part] |= {found.split(".")[0] for found in modules_imported(path)} - {part, "__init__"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports go in a circle: {' -> '.join(error.args[1])}")


def test_every_name_in_the_layers_is_a_module():
    assert not {name for name in LAYER_OF if name not in MODULES}
    assert set(MODULES) >= {"reading.call", "durable.folders", "cli.app"}


def test_no_two_public_classes_share_a_name():
    homes = defaultdict(list)
    for module, path in MODULES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module)
    twice = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert not twice
