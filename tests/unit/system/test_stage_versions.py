"""Versions of derived stages are digests of their code: none is raised by hand, and none can be forgotten."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache

import pytest

from quire.system import stage_versions
from quire.system.source_files import SourceTree
from quire.system.stage_versions import STAGES, Installation, StageCode, stage_parts, stage_version
from tests.changed_code import PACKAGE, change_code, copy_of_package
from tests.unit.test_layers import MODULES, modules_imported

BEFORE = 1_000_000_000  # seconds: long ago


@cache
def parsed(path):
    return ast.parse(path.read_text())


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        os.utime(folder / path, (BEFORE, BEFORE))


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A package in which `pages.layout` needs a module, and a list of words of another package."""
    root = tmp_path / "quire"
    files = {
        "core/__init__.py": '"""Values."""\n',
        "core/types.py": "BLOCK = 1\n",
        "core/unused.py": "NOTHING = 1\n",
        "lexicon/__init__.py": "",
        "lexicon/months.py": "MONTHS = 12\n",
        "lexicon/languages/de.json": '["Januar"]',
        "pages/__init__.py": "",
        "pages/layout/__init__.py": "from quire.core.types import (\n    BLOCK,  # of a page, like this\n)\n",
        "pages/layout/lines.py": "def lines():\n    from quire.lexicon import months\n",
        "reading/__init__.py": "",
        "reading/stages.py": "from quire.core import unused\nfrom quire.pages import layout\n",
        "system/source_files.py": "",
        "system/stage_versions.py": "",
    }
    write(root, files)
    monkeypatch.setattr(stage_versions, "STAGES", {"blocks": StageCode(("pages.layout",), ("reading.stages",))})
    return root


def version(root, cached=None):
    return Installation(root, cached).version("blocks")


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("pages/layout/lines.py", True),
        ("pages/layout/columns.py", True),
        ("core/types.py", True),
        ("lexicon/months.py", True),
        ("lexicon/languages/de.json", True),
        ("lexicon/languages/fr.json", True),
        ("reading/stages.py", True),
        ("core/unused.py", False),
        ("pages/assemble.py", False),
        ("pages/layout/__pycache__/lines.pyc", False),
        ("pages/layout/.lines.py.swp", False),
    ],
)
def test_a_file_counts_if_the_stage_is_made_by_it(small, path, counts):
    before = version(small)
    write(small, {path: "CHANGED = 1\n"})
    assert (version(small) != before) is counts


def test_what_only_the_type_checker_imports_does_not_count(small):
    hidden = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from quire.core import unused\n\nLINES = 1\n"
    write(small, {"pages/layout/lines.py": hidden})
    before = version(small)
    write(small, {"core/unused.py": "NOTHING = 2\n"})
    assert version(small) == before


def test_the_place_of_an_installation_and_its_line_endings_do_not_count(small, tmp_path):
    other = shutil.copytree(small, tmp_path / "elsewhere" / "site-packages")
    path = other / "pages" / "layout" / "lines.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert version(other) == version(small)


def test_the_part_that_changed_has_another_digest(small):
    before = Installation(small).parts("blocks")
    write(small, {"lexicon/months.py": "MONTHS = 13\n"})
    after = Installation(small).parts("blocks")
    assert {part for part in before if before[part] != after[part]} == {"lexicon of Quire"}


class TestCached:
    @pytest.fixture
    def cached(self, tmp_path, monkeypatch):
        """The file, with all files settled: the tests have just written them."""
        monkeypatch.setattr(stage_versions, "SETTLED_NS", -1)
        return tmp_path / "cached.json"

    def test_a_second_process_reads_no_source(self, small, cached, monkeypatch):
        first = version(small, cached)
        monkeypatch.setattr(SourceTree, "read", None)
        assert version(small, cached) == first

    @pytest.mark.parametrize("path", ["pages/layout/lines.py", "pages/layout/new.py", "lexicon/languages/fr.json"])
    def test_a_changed_file_is_seen(self, small, cached, path):
        version(small, cached)
        write(small, {path: "CHANGED = 1\n"})
        assert version(small, cached) == version(small)

    def test_a_file_of_the_same_size_and_time_is_seen(self, small, cached):
        """As an installer leaves it, which sets the times of the files in a wheel."""
        before = version(small, cached)
        write(small, {"lexicon/months.py": "MONTHS = 13\n"})
        assert version(small, cached) != before

    def test_a_file_that_has_gone_is_seen(self, small, cached):
        before = version(small, cached)
        (small / "lexicon" / "languages" / "de.json").unlink()
        assert version(small, cached) == version(small) != before

    def test_another_declaration_is_seen(self, small, cached, monkeypatch):
        before = version(small, cached)
        monkeypatch.setattr(stage_versions, "STAGES", {"blocks": StageCode(("pages.layout",))})
        write(small, {"system/stage_versions.py": "# another declaration\n"})
        assert version(small, cached) != before

    @pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff"])
    def test_a_damaged_file_is_replaced(self, small, cached, content):
        expected = version(small, cached)
        cached.write_bytes(content)
        assert version(small, cached) == expected
        assert json.loads(cached.read_bytes())["stages"]

    def test_another_stage_is_added_to_the_file(self, small, cached, monkeypatch):
        monkeypatch.setitem(stage_versions.STAGES, "months", StageCode(("lexicon",)))
        first = version(small, cached), Installation(small, cached).version("months")
        monkeypatch.setattr(SourceTree, "read", None)
        after = Installation(small, cached)
        assert (after.version("blocks"), after.version("months")) == first

    def test_a_worker_that_starts_with_the_same_code_reads_no_source(self, small, tmp_path, monkeypatch):
        """Also where no file can be written."""
        monkeypatch.setattr(stage_versions, "SETTLED_NS", -1)
        server = Installation(small)
        before = server.version("blocks")
        monkeypatch.setattr(SourceTree, "read", None)
        server.look_again()
        assert server.version("blocks") == before

    def test_a_folder_that_cannot_be_written_costs_time_only(self, small, tmp_path, monkeypatch):
        monkeypatch.setattr(stage_versions, "SETTLED_NS", -1)
        (tmp_path / "file").write_text("no folder")
        assert version(small, tmp_path / "file" / "cached") == version(small)

    def test_files_that_were_just_changed_are_not_cached(self, small, tmp_path):
        version(small, tmp_path / "cached.json")
        assert not (tmp_path / "cached.json").exists()


@pytest.mark.slow
def test_all_that_a_stage_imports_counts():
    """The quick search for imports finds what the parser finds."""
    tree = SourceTree(PACKAGE)
    for code in STAGES.values():
        gone = [name for name in (*code.made_by, *code.called_by) if not tree.below(name)]
        assert not gone, "declared, and gone"
    needed = tree.needed_by(module for code in STAGES.values() for name in code.made_by for module in tree.below(name))
    left_out = {module: found - tree.needed_by([module]) for module in needed if (found := imported_by(module))}
    assert not {module: found for module, found in left_out.items() if found}


def tree_of(module):
    return ast.parse(MODULES[module].read_text())


def imported_by(module):
    """The modules that a module imports when it runs. `quire` itself is a list of names, and does not count."""
    return modules_imported(MODULES[module], annotations=False) - {"__init__"}


def test_a_new_layout_changes_the_blocks_and_neither_texts_nor_pictures(monkeypatch, tmp_path):
    before = {stage: stage_version(stage) for stage in STAGES}
    parts = stage_parts("native-text", "picture", "recognised-text", "page-blocks", "document")
    change_code(monkeypatch, tmp_path, "pages/layout/page.py")
    changed = {stage for stage in STAGES if stage_version(stage) != before[stage]}
    assert {"page-blocks", "document", "chunk", "extract"} <= changed
    assert not {"native-text", "picture", "recognised-text", "terms", "index", "page-image"} & changed
    after = stage_parts("native-text", "picture", "recognised-text", "page-blocks", "document")
    assert {part for part in parts if parts[part] != after[part]} == {"page layout of Quire"}


@pytest.mark.processes
def test_an_installation_elsewhere_has_the_same_versions(tmp_path):
    """As on another machine of a cluster, with another user, in another folder."""
    copy = copy_of_package(tmp_path / "site-packages")
    code = "from quire.system.stage_versions import STAGES, stage_version; print(*map(stage_version, STAGES))"
    surroundings = {**os.environ, "PYTHONPATH": str(copy.parent), "HOME": str(tmp_path), "XDG_CACHE_HOME": ""}
    run = subprocess.run(
        [sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == [stage_version(stage) for stage in STAGES]


BY_HAND = {
    "answers of engines, vectors and calls of models, which are expensive": """
        durable.tasks.enrichments evidence.extract.language_model.recorded_calls pages.recognize.compose.children
        pages.recognize.echo pages.recognize.plain pages.recognize.vision retrieval.embed.batches
        retrieval.embed.onnx_folder retrieval.embed.served""",
    "code of users and other packages, and the roles of pipelines, of which no output is stored": """
        batch.resume core.context lexicon.dictionary lexicon.vocabulary output.export pipelines.correct.chain
        pipelines.correct.confidence pipelines.correct.filters pipelines.correct.language pipelines.correct.spaces
        pipelines.correct.split_lines pipelines.functions""",
    "formats of files and contracts with others": """
        __init__ docling_serve.responses.task_states evidence.learn.model output.export._docling""",
    "names that users keep: ids of chunks and pictures": "output.place_crops retrieval.chunk",
    "records that others refer to, whose inputs are digests of what they hold or have the versions in them": """
        durable.extracts.extract_steps durable.flows.ends durable.flows.step_work durable.reads.read_records
        durable.reads.read_request durable.reads.read_steps durable.reads.sources durable.tasks.task_steps
        durable.indexing.index_queue durable.review.review_queue durable.solves.runner_call durable.solves.solve_steps
        reading.bundles reading.recognizer""",
}
"""Modules with a version that is written there, and why. Those of derived stages come from `stage_version`."""


def versions_by_hand(module):
    """Versions in a module that are texts: constants, members of classes, arguments, and parts of keys."""
    tree = tree_of(module)
    constants = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            both = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            pairs = zip(target.elts, node.value.elts, strict=False) if both else [(target, node.value)]
            constants |= {name.id: value for name, value in pairs if isinstance(name, ast.Name) and _is_text(value)}
    yield from (name for name in constants if re.search(r"(?i)^_*(?:contract_)?(?:version|scheme)_*$", name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ("version=" for one in node.keywords if one.arg == "version" and _is_text(one.value))
            if isinstance(node.func, ast.Name) and node.func.id == "artifact_key" and len(node.args) > 1:
                part = node.args[1]
                if _is_text(part) or (isinstance(part, ast.Name) and part.id in constants):
                    yield f"the key of {ast.unparse(node.args[0])}"


def _is_text(value):
    return isinstance(value, ast.Constant) and isinstance(value.value, str) and 0 < len(value.value) < 20


@pytest.mark.slow
def test_no_derived_stage_has_a_version_that_is_raised_by_hand():
    found = {module: made for module in MODULES if (made := [*versions_by_hand(module)])}
    allowed = {module for modules in BY_HAND.values() for module in modules.split()}
    new = {module: made for module, made in found.items() if module not in allowed}
    assert not new, "declare the stage in quire.system.stage_versions, and use its stage_version"
    assert not allowed - found.keys(), "these have none any more"


@pytest.mark.parametrize(
    "written",
    [
        'VERSION = "9"',
        'STAGE, VERSION = "blocks", "9"',
        'class PageBlocks:\n    version = "9"',
        'class PageBlocks:\n    version: str = "9"',
        'key = artifact_key("blocks", "9", inputs, profile)',
        'BLOCKS = "9"\nkey = artifact_key("blocks", BLOCKS, inputs, profile)',
        'CHUNK = Component(name="chunk", version="9")',
    ],
)
def test_a_version_that_is_raised_by_hand_is_found(written, tmp_path, monkeypatch):
    path = tmp_path / "layout.py"
    path.write_text(written)
    monkeypatch.setitem(MODULES, "pages.layout", path)
    assert [*versions_by_hand("pages.layout")]


def test_what_a_process_makes_with_old_and_new_code_has_a_version_of_its_own(small):
    """The package is upgraded under a running server: workers that start from then on have the new code."""
    server = Installation(small)
    old = server.version("blocks")
    server.look_again()
    assert server.version("blocks") == old
    write(small, {"lexicon/months.py": "MONTHS = 13\n"})
    assert server.version("blocks") == old, "nothing has started since"
    server.look_again()
    mixed = server.version("blocks")
    assert mixed not in {old, version(small)}
    server.look_again()
    assert server.version("blocks") == mixed
    again = server.parts("blocks")
    assert {part for part, one in Installation(small).parts("blocks").items() if again[part] != one} == {
        "lexicon of Quire"
    }
