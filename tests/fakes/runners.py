"""Runners of another package that misbehave on purpose, installed for the process of a test and its workers."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

from quire.core.keys import Profile
from quire.core.runner import RunnerFailed, RunnerOutput, RunnerUsage, TimelineEntry

GROUP = "quire.runners"


@dataclass(frozen=True)
class ScriptedRunner:
    """Answers with what the files of its folder say: `script.json` is a list of outcomes, one for each call.

    An outcome is an answer (`values`, `cited`), a failure (`fails`, `reason`), or a way to crash (`crash`). The last
    one counts for all further calls. Each call is a line in `calls`.
    """

    folder: Path
    name: str = "scripted"
    version: str = "1"
    policy: str = "cpu"
    timeout_s: float = 60.0
    max_concurrency: int = 4
    context_tokens: None = None
    capabilities: frozenset[str] = frozenset({"json_schema", "revises", "reviews"})
    profile: Profile = field(default_factory=Profile)

    def prompt(self, brief: Any) -> str:
        return json.dumps([brief.role, brief.task, [one["reason"] for one in brief.findings]])

    def run(self, work: Any) -> RunnerOutput:
        with (self.folder / "calls").open("a") as log:
            log.write(json.dumps([work.role, work.workspace, work.prompt]) + "\n")
        script = json.loads((self.folder / "script.json").read_text())
        turn = script[min(len(self.calls()), len(script)) - 1]
        entry = TimelineEntry("note", {"text": f"call {len(self.calls())}"})
        work.tell(entry)
        usage = RunnerUsage(1, 100, 10, 0, 0.01)
        if "fails" in turn:
            raise RunnerFailed(
                self.name, turn.get("reason", "on purpose"), turn["fails"], usage=usage, timeline=[entry]
            )
        if turn.get("crash"):
            os._exit(7)
        if turn.get("raises"):
            raise ZeroDivisionError("a bug of a stranger")
        files = {name: one.encode() for name, one in turn.get("files", {}).items()}
        if "values" in turn:
            files["answer.json"] = json.dumps(turn["values"]).encode()
            lines = [json.dumps({"path": path, **cited}) for path, cited in turn.get("cited", {}).items()]
            files["evidence.jsonl"] = "\n".join(lines).encode()
            files["notes.md"] = turn.get("notes", "").encode()
        if "findings" in turn:
            files["findings.jsonl"] = "\n".join(map(json.dumps, turn["findings"])).encode()
        return RunnerOutput(files, usage, (entry,))

    def calls(self) -> list[Any]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def install_runners(folder: Path, **scripts: list[dict[str, Any]]) -> dict[str, ScriptedRunner]:
    """Install runners by name, each with a script, in a package of a folder that is on the path of the test."""
    made = {name: ScriptedRunner(folder / name, name) for name in scripts}
    for name, script in scripts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "script.json").write_text(json.dumps(script))
    functions = [
        f"def {name}():\n    return ScriptedRunner(Path({str(one.folder)!r}), {name!r})" for name, one in made.items()
    ]
    source = ["from pathlib import Path", "from tests.fakes.runners import ScriptedRunner", *functions]
    module = f"stranger_{token_hex(4)}"  # another test of the process has imported its own
    (folder / f"{module}.py").write_text("\n".join(source) + "\n")
    information = folder / f"{module}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    points = "\n".join(f"{name} = {module}:{name}" for name in made)
    (information / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")
    return made
