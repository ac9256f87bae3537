"""Versions of derived stages: the digest of the source and data files that make their output.

A stage is declared once, below, by the packages that make it; what these import counts too. So a version is never
raised by hand, and a store made by other code is not served. Answers of engines and vectors of models are no derived
stages: they have a version of their own, so that new code asks no engine again.

Digests are computed once per installation, and cached in the folder of the user with the states of the files.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from quire.core.errors import QuireError
from quire.core.hashing import SETTLED_NS
from quire.core.keys import Digest, digest_bytes, digest_of
from quire.system.user_data import cache_folder

if TYPE_CHECKING:
    from quire.system.source_files import SourceFile, SourceTree


class StageCode(NamedTuple):
    """The code of a stage: `made_by` are modules and packages, which count with all that they import; `called_by` are
    modules that call these, and count without what they import."""

    made_by: tuple[str, ...]
    called_by: tuple[str, ...] = ()


class _Cached(TypedDict):
    """Digests of stages by part, and the files and folders that decide them, a line each, with their state."""

    state: str
    watched: str
    stages: dict[str, dict[str, Digest]]


_READING = ("reading.native_pages", "reading.page_jobs", "reading.page_stages", "reading.pages")
_OCR = (*_READING, "reading.page_recognition", "reading.picture_questions", "reading.recognizer")
_EXTRACTS = ("durable.extracts.extract_jobs", "durable.extracts.extract_steps")
_DOMAINS = ("durable.flows.domain_jobs", "durable.flows.domains")

STAGES: Mapping[str, StageCode] = {
    "native-text": StageCode(("pages.render", "reading.searchable", "reading.unseen"), _READING),
    "page-image": StageCode(("pages.render",)),
    "bundle": StageCode(("pages.formats",), ("reading.bundles",)),
    "workflow": StageCode((), ("durable.flows", "durable.reads", "durable.solves", "durable.tasks")),
    "picture": StageCode(("pages.recognize.page_job", "pages.render")),
    "recognised-text": StageCode(("pages.recognize",), _OCR),
    "structured-blocks": StageCode(("pages.recognize", "pages.layout.account"), _OCR),
    "page-blocks": StageCode(("pages.layout",), _READING),
    "document": StageCode(("pages.assemble",), ("reading.page_stages", "reading.pages")),
    "read": StageCode(("pages.assemble",), _READING),
    "export": StageCode(("output.export",), ("durable.reads.read_jobs",)),
    "view": StageCode(("durable.views.view_jobs",)),
    "task-output": StageCode(("durable.tasks.task_jobs",)),
    "pages": StageCode(("core.types",), ("durable.flows.components",)),
    "chunk": StageCode(("retrieval.chunk",), ("durable.flows.components",)),
    "embed": StageCode(("retrieval.embed",), ("durable.flows.vectors",)),
    "terms": StageCode(("lexicon.terms",)),
    "index": StageCode(("lexicon.terms", "retrieval.search.passages", "retrieval.search.statements")),
    "catalog": StageCode(("evidence.catalog",), _EXTRACTS),
    "extract": StageCode(("evidence.extract",), _EXTRACTS),
    "learned": StageCode(("evidence.learn.learned_extractor",)),
    "tool-runner": StageCode(("solving.runners.tool_loop", "solving.tools")),
    "report": StageCode(("evidence.extract.reports",), _EXTRACTS),
    "solve": StageCode(("solving",), ("durable.solves.solve_jobs", "durable.solves.solve_steps")),
    "evaluate": StageCode(("solving.evaluation",), ("durable.flows.components",)),
    "review": StageCode(("evidence.review",), ("durable.review.review_steps",)),
    "render": StageCode(("pages.render",), ("durable.flows.page_images",)),
    "form": StageCode(("pipelines.domains.forms",), _DOMAINS),
    "form_workbook": StageCode(("pipelines.domains.forms",), _DOMAINS),
    "drawing": StageCode(("pipelines.domains.drawings",), _DOMAINS),
    "tag_list": StageCode(("pipelines.domains.drawings",), _DOMAINS),
    "discover": StageCode(("pipelines.domains.discover",), _DOMAINS),
}
"""The derived stages, the code of workflows, and the built-in components of flows by their names."""

_PARTS = {
    "pages.assemble": "assembly",
    "pages.detect": "OCR preparation",
    "pages.formats": "conversion",
    "pages.layout": "page layout",
    "pages.prepare": "OCR preparation",
    "pages.recognize": "OCR placement",
    "pages.render": "text extraction",
    "retrieval.chunk": "chunking",
    "retrieval.embed": "embedding",
    "retrieval.search": "search",
    "evidence": "extraction",
    "lexicon": "lexicon",
    "output": "export",
}
"""The names of packages in messages. Other code is called after its shelf."""
OURS = " of Quire"
"""The end of the names of all parts."""
_OWN = ("system/source_files.py", "system/stage_versions.py")
"""The files that decide which files count, and how."""


class Installation:
    """The code at `root`, as this process has it. Its digests are cached in a file, if there is one."""

    def __init__(self, root: Path, cached: Path | None = None) -> None:
        self._root, self._cached = root, cached
        self._code = _Code(root, cached)
        self._seen: dict[str, tuple[Mapping[str, Digest], ...]] = {}
        self._versions: dict[tuple[str, int], Digest] = {}

    def version(self, stage: str) -> Digest:
        """The digest of the code of a stage."""
        key = stage, len(self._seen.get(stage, ()))
        if key not in self._versions:
            self._versions[key] = digest_of(self.parts(stage))
        return self._versions[key]

    def parts(self, stage: str) -> Mapping[str, Digest]:
        """The digests of the code of a stage by part, for example `page layout of Quire`."""
        if stage not in self._seen:
            self._seen[stage] = (self._code.parts(stage),)
        first, *others = self._seen[stage]
        if not others:
            return first
        return {part: _joined([first[part], *(one.get(part, first[part]) for one in others)]) for part in first}

    def look_again(self) -> None:
        """Notice files that have changed since: what old and new code make together has versions of its own."""
        if self._code.is_current():
            return
        self._code = _Code(self._root, self._cached)
        for stage, seen in [*self._seen.items()]:
            if (parts := self._code.parts(stage)) not in seen:
                self._seen[stage] = (*seen, parts)


class _Code:
    """The files at `root` as they are now, with the digests of stages. They are read for stages that are not cached."""

    def __init__(self, root: Path, cached: Path | None) -> None:
        self._root, self._cached = root, cached
        self._looked_ns, self._changed_ns = time.time_ns(), 0
        self._states: dict[str, str] = {}
        self._stages: dict[str, dict[str, Digest]] = {}
        if known := self._load():
            self._watch(known["watched"].split("\n"))
            if known["state"] == self._state():
                self._stages = known["stages"]

    def parts(self, stage: str) -> Mapping[str, Digest]:
        if stage not in self._stages:
            self._stages[stage] = self._computed(stage)
            self._save()
        return self._stages[stage]

    def is_current(self) -> bool:
        """Whether the files that decide the digests are the same still."""
        return self._settled and all(self._states[name] == self._state_of(name) for name in self._states)

    def _computed(self, stage: str) -> dict[str, Digest]:
        tree, code = self._tree, STAGES[stage]
        needed = tree.needed_by(module for name in code.made_by for module in tree.below(name))
        files = tree.files(needed | {module for name in code.called_by for module in tree.below(name)})
        self._watch([*_OWN, *files, *{name.rpartition("/")[0] for name in files}])
        by_part: dict[str, list[SourceFile]] = {}
        for path, module in files.items():
            by_part.setdefault(_part(module), []).append(tree.read(path))
        return {part: digest_of(listed) for part, listed in sorted(by_part.items())}

    @cached_property
    def _tree(self) -> SourceTree:
        from quire.system.source_files import SourceTree  # lazy: most processes find what they need

        return SourceTree(self._root)

    def _watch(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._states:
                self._states[name] = self._state_of(name)

    def _state(self) -> str:
        """Changes when one of the files is changed, or when one is added to the folders."""
        return digest_bytes(" ".join(self._states.values()).encode())

    def _state_of(self, name: str) -> str:
        """Size and times of a file; the times of a folder, whose size says nothing."""
        try:
            status = os.stat(f"{self._root}/{name}")  # noqa: PTH116 - for some hundred files when a process starts
        except OSError:
            return "gone"
        self._changed_ns = max(self._changed_ns, status.st_mtime_ns, status.st_ctime_ns)
        size = status.st_size if S_ISREG(status.st_mode) else ""
        return f"{size},{status.st_mtime_ns},{status.st_ctime_ns}"

    @property
    def _settled(self) -> bool:
        """Files that were just changed may change again and look the same."""
        return self._looked_ns - self._changed_ns > SETTLED_NS

    def _load(self) -> _Cached | None:
        with suppress(OSError, ValueError):
            if self._cached is not None:
                known: _Cached = json.loads(self._cached.read_bytes())
                return known if isinstance(known, dict) and known.keys() == _Cached.__annotations__.keys() else None
        return None

    def _save(self) -> None:
        if self._cached is not None and self._settled:
            from quire.system.atomic_files import write_files  # lazy: most processes find what they need

            known = _Cached(state=self._state(), watched="\n".join(self._states), stages=self._stages)
            with suppress(QuireError):  # the folder of the user is read-only, or full
                write_files({self._cached: json.dumps(known).encode()})


@cache
def _installation() -> Installation:
    root = Path(__file__).parents[1]
    try:
        home = cache_folder()
    except RuntimeError:  # this user has no home
        return Installation(root)
    return Installation(root, home / "stages" / f"{digest_bytes(os.fsencode(root))[:16]}.json")


def stage_version(stage: str) -> Digest:
    """The version of a stage: the digest of the code that makes its output, as it was when this process first asked."""
    return _installation().version(stage)


def workflow_version() -> str:
    """The version of workflows, whose journals hold what stages made: one that other code began starts over, and finds
    what it made in the store."""
    return digest_of([stage_version(stage) for stage in STAGES])[:16]


def look_again() -> None:
    """Called before a worker process starts: it imports the files as they are now, under a parent that may have
    imported others, for example because the package was upgraded under a running server."""
    _installation().look_again()


def stage_parts(*stages: str) -> dict[str, Digest]:
    """The digests of the code of some stages by part, for example `page layout of Quire`: to name what has changed."""
    found: dict[str, list[Digest]] = {}
    for stage in stages:
        for part, digest in _installation().parts(stage).items():
            found.setdefault(part, []).append(digest)
    return {part: digest_of(digests) for part, digests in sorted(found.items())}


def _joined(digests: Sequence[Digest]) -> Digest:
    return digests[0] if len({*digests}) == 1 else digest_of(digests)


def _part(module: str) -> str:
    shelf, _, rest = module.partition(".")
    package = f"{shelf}.{rest.partition('.')[0]}"
    return f"{_PARTS.get(package) or _PARTS.get(shelf) or shelf}{OURS}"
