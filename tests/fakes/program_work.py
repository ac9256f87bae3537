"""An attempt of a program runner, as the runner sees it, over a small workspace."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quire.core.errors import InputError
from quire.core.keys import Digest, digest_bytes
from quire.core.runner import BriefDocument, Budget, Role, RunnerTools, TaskBrief, TimelineEntry
from quire.evidence.catalog.records import SourceCatalog
from quire.solving.runners.program_runner import ProgramRunner
from quire.solving.workspace.folder import Workspace
from quire.solving.workspace.tree import SolveTask, WorkspaceDocument

SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}}
SCRIPT = Path(__file__).with_name("agent_program.py")


def small_workspace(folder: Path) -> Workspace:
    content = b"%PDF-1.7 a stand-in"
    catalog = SourceCatalog(digest_bytes(content), "bill.pdf", Digest("0" * 64), records=[], pages=[], blocks=[])

    def draw(pages: Sequence[int]) -> Iterator[bytes | InputError]:
        return iter(())

    return Workspace.build(folder, SolveTask("Find the total.", SCHEMA), [WorkspaceDocument(catalog, content, draw)])


@dataclass
class ProgramWork:
    """What a program is asked to do."""

    workspace_folder: Workspace
    prompt: str = "Find the total."
    role: Role = "solver"
    budget: Budget = field(default_factory=lambda: Budget(seconds=60))
    told: list[TimelineEntry] = field(default_factory=list)

    @property
    def brief(self) -> TaskBrief:
        return TaskBrief(self.role, "Find the total.", SCHEMA, [BriefDocument("", "bill.pdf", "input/document.pdf", 1)])

    @property
    def workspace(self) -> Digest:
        return self.workspace_folder.digest

    @property
    def folder(self) -> Path:
        return self.workspace_folder.folder

    @property
    def catalog(self) -> object:
        raise AssertionError("a program reads files")

    @property
    def tools(self) -> RunnerTools:
        raise AssertionError("a program reads files")

    def ask(self, request: bytes) -> bytes:
        raise AssertionError("a program asks for itself")

    def tell(self, entry: TimelineEntry) -> None:
        self.told.append(entry)


def stand_in(*words: str, environment: Mapping[str, str] | None = None, isolated: bool = True) -> ProgramRunner:
    """A runner of `agent_program.py` that behaves as the first word says."""
    line = shlex.join([sys.executable, str(SCRIPT), *words])
    made = ProgramRunner.of(f"program:{line}", {**os.environ, **(environment or {})})
    return replace(made, isolated=isolated)
