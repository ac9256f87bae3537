"""Imports point downwards, from shelf to shelf."""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import quire

ROOT = Path(quire.__file__).parent

SHELVES = {
    "core": "",
    "system": "core",
    "net": "core system",
    "lexicon": "core system",
    "database": "core system",
    "store": "core system database",
    "asking": "core system",
    "runtime": "core system net database",
    "batch": "core system database",
    "flow": "core",
    "pages": "core system net lexicon",
    "output": "core system net lexicon pages",
    "retrieval": "core system net lexicon database store asking pages output",
    "evidence": "core system net lexicon pages output retrieval",
    "reading": "core system net lexicon store asking pages output retrieval evidence",
    "pipelines": "core system lexicon store asking pages output evidence reading",
    "docling_serve": "core system pages output reading",
    "solving": "core system net lexicon store asking pages output retrieval evidence reading",
    "durable": """core system net lexicon database store asking runtime batch flow pages output retrieval evidence
        reading pipelines docling_serve solving""",
    "client": "core system net pages output reading",
    "service": """core system net lexicon database store asking runtime batch flow pages output retrieval evidence
        reading pipelines docling_serve solving durable __init__""",
    "mcp": "core net lexicon output evidence docling_serve client service __init__",
    "cli": """core system net lexicon database store asking runtime batch flow pages output retrieval evidence
        reading pipelines docling_serve solving durable client service mcp __init__""",
    "__init__": """core system net lexicon database store asking runtime batch flow pages output retrieval evidence
        reading pipelines docling_serve solving durable client""",
    "__main__": "cli",
}
"""Each shelf, and those below it, from which its modules may import."""
DURABLE = {
    "steps": "",
    "reads": "steps",
    "extracts": "steps reads",
    "review": "steps extracts",
    "views": "steps reads extracts",
    "indexing": "steps reads views flows",
    "flows": "steps reads extracts review solves",
    "solves": "steps reads extracts review",
    "tasks": "steps reads extracts review indexing solves",
    "worker_workflows": "reads flows tasks solves",
    "inline": "flows worker_workflows",
    "folders": "reads flows inline indexing",
    "runtimes": "flows tasks worker_workflows folders indexing",
    "restate_worker": "worker_workflows",
    "solve_call": "reads solves runtimes",
    "evaluation_call": "solve_call",
    "document_index": "indexing folders runtimes",
    "deletion": "indexing",
}
"""The layers inside of `durable`, each with those below it."""
PUBLIC = {path.stem for path in ROOT.glob("*.py") if not path.stem.startswith("_")}
"""Modules that users import besides `quire`: lists of names, which nothing inside imports."""


def name_of(path: Path) -> str:
    """`reading.call`; `reading` for its `__init__`, `__init__` for that of the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def shelf_of(module: str) -> str:
    return "__init__" if module in PUBLIC else module.split(".")[0]


class Module(NamedTuple):
    """What a module says of itself: dotted names that it imports anywhere in it, `from quire.a import b` as
    `quire.a.b`, those of them for its annotations alone, its public classes, and its docstring."""

    imports: tuple[str, ...]
    for_type_checkers: frozenset[str]
    public_classes: tuple[str, ...]
    docstring: str


def parsed(path: Path) -> ast.Module:
    """Not kept: to look through the trees of all modules for garbage takes longer than to parse them."""
    return ast.parse(path.read_text())


@cache
def module_at(path: Path) -> Module:
    tree = parsed(path)
    classes = (node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    return Module(
        tuple(_imports(tree, path)), frozenset(_for_type_checkers(tree)), tuple(classes), ast.get_docstring(tree) or ""
    )


def _imports(tree: ast.Module, path: Path) -> Iterator[str]:
    for node in _statements(tree):
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


def _for_type_checkers(tree: ast.Module) -> Iterator[str]:
    for node in _statements(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for statement in node.body:
                if isinstance(statement, ast.ImportFrom):
                    yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def modules_imported(path: Path, *, annotations: bool = True) -> set[str]:
    """The modules of Quire that a module imports; without `annotations`, those that it needs when it runs."""
    found = set()
    module = module_at(path)
    names = module.imports if annotations else Counter(module.imports) - Counter(module.for_type_checkers)
    for name in names:
        first, *parts = name.split(".")
        if first == "quire":
            names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
            found.add(next((name for name in names if name in MODULES), "__init__"))
    return found


def test_imports_point_downwards():
    without = {module for module in MODULES if shelf_of(module) not in SHELVES}
    assert not without, "on no shelf: see docs/architecture.md"
    wrong = [
        f"{module} must not import {found}: {shelf_of(module)} is not above {shelf_of(found)}"
        for module, path in MODULES.items()
        for found in sorted(modules_imported(path))
        if shelf_of(found) not in {shelf_of(module), *SHELVES[shelf_of(module)].split()}
    ]
    assert not wrong


def test_inside_of_durable_imports_point_downwards_too():
    """Each part of `durable` has its layer, and imports those below it."""
    inside = {module: module.split(".")[1] for module in MODULES if module.startswith("durable.")}
    assert {*inside.values()} == {*DURABLE}
    wrong = [
        f"{module} must not import {found}: {part} is not above {inside[found]}"
        for module, part in inside.items()
        for found in sorted(modules_imported(MODULES[module]))
        if found in inside and inside[found] not in {part, *DURABLE[part].split()}
    ]
    assert not wrong


def test_no_lazy_import_hides_a_cycle():
    """An import inside of a function counts like one at the top; annotations may name each other."""
    _check_no_cycle({module: modules_imported(path, annotations=False) for module, path in MODULES.items()})


def _check_no_cycle(graph: Mapping[str, Iterable[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports go in a circle: {' -> '.join(error.args[1])}")


FOR_TYPE_CHECKERS = {"core.types": {"pandas", "polars"}}
"""What a module of core imports under `if TYPE_CHECKING`, never when it runs."""


def test_core_imports_the_standard_library_only():
    known = {*sys.stdlib_module_names, "quire"}
    core = [module for module in MODULES if shelf_of(module) == "core"]
    found = {module: {name.split(".")[0] for name in module_at(MODULES[module]).imports} - known for module in core}
    assert {module: outside for module, outside in found.items() if outside} == FOR_TYPE_CHECKERS


def test_no_two_shelves_need_each_other():
    for shelves in (SHELVES, DURABLE):
        _check_no_cycle({shelf: below.split() for shelf, below in shelves.items()})


def test_no_two_public_classes_share_a_name():
    homes = defaultdict(list)
    for module, path in MODULES.items():
        for name in module_at(path).public_classes:
            homes[name].append(module)
    twice = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert not twice


def test_at_most_two_modules_share_a_name():
    homes = defaultdict(list)
    for module in MODULES.keys() - PUBLIC:
        homes[module.split(".")[-1]].append(module)
    assert not {name: modules for name, modules in homes.items() if len(modules) > 2}


RETRIEVAL_FOR_EVIDENCE = ("chunk", "search.lexical_ranking")
"""What evidence uses of retrieval: the chunks of a document, and the ranking of passages for a language model."""


def test_evidence_uses_of_retrieval_what_is_named_here():
    used = {
        found.removeprefix("retrieval.")
        for module, path in MODULES.items()
        if shelf_of(module) == "evidence"
        for found in modules_imported(path)
        if shelf_of(found) == "retrieval"
    }
    assert all(any(f"{name}.".startswith(f"{door}.") for door in RETRIEVAL_FOR_EVIDENCE) for name in used), used


def test_every_shelf_says_what_it_is():
    for shelf in SHELVES.keys() - {"__init__", "__main__"}:
        assert len(module_at(MODULES[shelf]).docstring.splitlines()) >= 3, (
            f"{shelf}/__init__.py says what comes in and what goes out"
        )
