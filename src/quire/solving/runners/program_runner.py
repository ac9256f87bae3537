"""Runners that are programs: Claude Code, Codex, or any program that reads a workspace and writes its answer there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NoReturn

from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, StoreError, UsageError
from quire.core.hashing import hash_file
from quire.core.keys import Digest, Profile, digest_of
from quire.core.runner import (
    Budget,
    Role,
    RunnerCapability,
    RunnerFailed,
    RunnerFailure,
    RunnerOutput,
    RunnerUsage,
    RunnerWork,
    TaskBrief,
)
from quire.solving.answers import ANSWER, NOTES, ClaimedAnswer
from quire.solving.runners.agent_programs import FOLDER, PROMPT, AgentProgram, agent_program
from quire.solving.runners.program_failures import declines, failure_of, reason_of_end
from quire.solving.runners.program_prompt import file_prompt, templates_digest
from quire.solving.runners.program_stream import ProgramStream, ProgramTimeline
from quire.solving.workspace.collection import ALLOWED, CollectedOutput, collect_output
from quire.solving.workspace.folder import FOLDER_MODE, Workspace
from quire.system.bubblewrap import bubblewrap, wrapped
from quire.system.offline import refusal
from quire.system.supervised_program import SupervisedProgram, program_environment

FINDINGS = "findings.jsonl"
COLLECTED: Mapping[Role, Sequence[str]] = {"solver": ALLOWED, "reviewer": (FINDINGS, NOTES)}
"""The files that are taken of each role."""
PROMPT_FILE = "prompt.md"
"""The prompt in `output/`, for a program that does not take it as an argument; removed when the program has ended."""
_LONGEST_ARGUMENT = 120_000
"""Bytes; Linux allows 131,072 for an argument or a variable."""
_PROBE_TIMEOUT_S = 20.0
_PROTOCOL = "1"
"""Of how programs are asked. New code asks no program again for what it has answered."""


@dataclass(frozen=True, slots=True)
class ProgramProfile(Profile):
    """What changes the answer of a program: how it is called, and the texts of its prompts."""

    command: tuple[str, ...]
    prompts: Digest


@dataclass(frozen=True, slots=True)
class ProgramRunner:
    """A program as a runner. It runs under a guard, in a thread of the parent.

    With bubblewrap it can write to `output/` and to a scratch folder, and to its own login if it needs that; without,
    it can do what the user can, and its input is checked afterwards.
    """

    program: AgentProgram
    command: tuple[str, ...]
    variables: Mapping[str, str] = field(repr=False)
    """The environment of the program; its home is the user's if it has a login there."""
    login: tuple[Path, ...] = ()
    isolated: bool = True
    """Whether bubblewrap is used where it works."""

    timeout_s = 6 * 3600.0
    max_concurrency = 4
    context_tokens = None

    @classmethod
    def of(cls, argument: str, environment: Mapping[str, str]) -> ProgramRunner:
        """The runner of `claude`, `codex`, `claude:MODEL`, `codex:MODEL` or `program:COMMAND LINE`.

        Raises UsageError for anything else, and ConfigurationError for a program that is not installed, or that needs
        the network in offline mode.
        """
        program = agent_program(argument, environment)
        if program.network and (reason := refusal(f"the runner {program.name}", "the server of its model")):
            raise ConfigurationError(reason)
        kept = program_environment(environment, home=environment.get("HOME", ""), allowed=program.allowed(environment))
        return cls(program, program.resolved(), kept, tuple(program.login_of(environment)))

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def policy(self) -> Policy:
        return "io"

    @property
    def capabilities(self) -> frozenset[RunnerCapability]:
        return self.program.capabilities

    @property
    def version(self) -> str:
        said = _said_version(self.command[0]) if self.program.says_version else _digest_of_files(self.command)
        return f"{said} {_PROTOCOL}"

    @property
    def profile(self) -> Profile:
        return ProgramProfile(self.program.command, templates_digest())

    def prompt(self, brief: TaskBrief) -> str:
        return file_prompt(brief)

    def run(self, work: RunnerWork) -> RunnerOutput:
        return _Attempt(self, work).output()


class _Attempt:
    """One run of a program over a workspace."""

    def __init__(self, runner: ProgramRunner, work: RunnerWork) -> None:
        self._runner, self._work = runner, work
        self._workspace = Workspace.open(work.folder.resolve())
        self._timeline = ProgramTimeline(work.tell)
        self._stream = ProgramStream(self._timeline)
        # Arguments and variables hold neither NUL nor half a character.
        self._prompt = work.prompt.replace("\0", "").encode("utf-8", "replace").decode()

    def output(self) -> RunnerOutput:
        output = _emptied(self._workspace.output)
        prompt_file = output / PROMPT_FILE
        prompt_file.write_text(self._prompt, "utf-8")
        scratch = Path(tempfile.mkdtemp(prefix="quire-program-"))
        try:
            code = self._ended(prompt_file, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)  # where the guard was killed
        self._check_input()
        if code != 0 or self._stream.error:
            said = self._stream.last_words
            self._fail(reason_of_end(code, said), failure_of(code, said, self._stream.error_kind))
        collected = self._collected(output)
        self._check(collected)
        return RunnerOutput(collected.files, self._stream.usage, self._timeline.entries, collected.refused)

    def _ended(self, prompt_file: Path, scratch: Path) -> int | None:
        """Run the program to its end, within the budget; returns its exit code."""
        home = {} if self._runner.login else {"HOME": str(scratch)}
        environment = {**self._runner.variables, **home, "TMPDIR": str(scratch), **self._prompt_variables(prompt_file)}
        command = self._confined(self._asked(prompt_file), scratch)
        until = time.monotonic() + self._work.budget.seconds
        program = SupervisedProgram(command, folder=self._workspace.folder, scratch=scratch, environment=environment)
        with program:
            try:
                for line in program.lines(until):
                    if self._stream.read(line) and (over := _over(self._work.budget, self._stream.usage)):
                        self._fail(over, "over_budget")
            except TimeoutError:
                seconds = self._work.budget.seconds
                self._fail(f"it did not end within {seconds:g} s, and was killed", "over_budget")
            code = program.end()
        self._timeline.finish(program.dropped)
        return code

    def _asked(self, prompt_file: Path) -> list[str]:
        """The command with the prompt, or where that is too long for an argument, with the name of its file."""
        prompt = self._prompt
        if _too_long(prompt):
            path = prompt_file.relative_to(self._workspace.folder).as_posix()
            prompt = f"Your instructions are in the file {path}. Read all of it, and do what it says."
        folder = str(self._workspace.folder).removeprefix("/")
        words = (*self._runner.command, *self._runner.program.options(self._work.budget))
        return [prompt if word == PROMPT else word.replace(FOLDER, folder) for word in words]

    def _prompt_variables(self, prompt_file: Path) -> dict[str, str]:
        given = {} if _too_long(self._prompt) else {"QUIRE_PROMPT": self._prompt}
        return {**given, "QUIRE_PROMPT_FILE": str(prompt_file), "QUIRE_ROLE": self._work.role}

    def _confined(self, command: Sequence[str], scratch: Path) -> Sequence[str]:
        """The command in the strongest isolation that there is here, which is the first entry of the timeline."""
        path = bubblewrap() if self._runner.isolated else None
        entry = {
            "text": f"{self._runner.name} starts",
            "isolation": "bubblewrap" if path else "process group",
            "network": self._runner.program.network or path is None,
        }
        if path is None and os.geteuid() == 0:
            entry["warning"] = "it runs as root, and may change every file: install bubblewrap"
        self._timeline.add("note", entry)
        if path is None:
            return command
        temporary = scratch / "tmp"
        temporary.mkdir()
        named = (Path(word) for word in self._runner.command if word.startswith("/tmp/"))
        return wrapped(
            command,
            path,
            folder=self._workspace.folder,
            readable=[one for one in named if one.exists()],
            writable=[self._workspace.output, scratch, *self._runner.login],
            temporary=temporary,
            network=self._runner.program.network,
        )

    def _check_input(self) -> None:
        """The digest of a workspace names what an answer was made from: with another input it would be a lie."""
        if faults := self._workspace.faults():
            named = ", ".join(f"{one.path} ({one.fault})" for one in faults[:3])
            self._fail(f"the program changed its input: {named}", "invalid_output")

    def _collected(self, output: Path) -> CollectedOutput:
        with suppress(OSError):
            (output / PROMPT_FILE).unlink()
        try:
            return collect_output(output, allowed=COLLECTED[self._work.role])
        except UsageError as error:
            self._fail(str(error), "invalid_output")

    def _check(self, collected: CollectedOutput) -> None:
        """Fail for an exit code of success without an answer."""
        wanted = FINDINGS if self._work.role == "reviewer" else ANSWER
        if wanted not in collected.files and (self._stream.refused or declines(self._stream.said)):
            self._fail(f"the model declines the task: {self._stream.said[:500]}", "refused")
        if wanted not in collected.files:
            why = collected.refused.get(wanted, "it does not exist")
            self._fail(f"it ended without output/{wanted}: {why}", "invalid_output")
        if wanted == FINDINGS:
            if not _all_objects(collected.files[FINDINGS]):
                self._fail(f"output/{FINDINGS} is not lines of JSON objects", "invalid_output")
            return
        try:
            ClaimedAnswer.of(collected.files, self._runner.name)
        except RunnerFailed as error:
            self._fail(error.reason, error.failure)

    def _fail(self, reason: str, failure: RunnerFailure) -> NoReturn:
        raise RunnerFailed(
            self._runner.name, reason, failure, usage=self._stream.usage, timeline=self._timeline.entries
        )


def _over(budget: Budget, usage: RunnerUsage) -> str:
    """The limit that is exceeded, in words."""
    tokens = usage.input_tokens + usage.output_tokens
    if usage.turns > budget.turns:
        return f"it took more than {budget.turns} turns"
    if tokens > budget.tokens:
        return f"it used {tokens:,} tokens of {budget.tokens:,}"
    if budget.cost is not None and usage.cost is not None and usage.cost > budget.cost:
        return f"it cost ${usage.cost:.2f} of ${budget.cost:.2f}"
    return ""


def _emptied(output: Path) -> Path:
    """The folder for the output, without what an earlier attempt left there."""
    if output.is_symlink() or output.is_file():
        output.unlink()
    with suppress(OSError):
        output.chmod(FOLDER_MODE)
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(exist_ok=True)
    if any(output.iterdir()):
        raise StoreError(f"{output} has files of an earlier attempt that cannot be removed; make another workspace")
    return output


def _too_long(prompt: str) -> bool:
    return len(prompt.encode()) > _LONGEST_ARGUMENT


def _all_objects(data: bytes) -> bool:
    return all(isinstance(one, dict) for one in _parsed(data))


def _parsed(data: bytes) -> Iterator[object]:
    for line in data.decode("utf-8-sig", "replace").splitlines():
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                yield None


def _said_version(path: str) -> str:
    return _version(path, Path(path).stat().st_mtime_ns)


@cache
def _version(path: str, changed_ns: int) -> str:
    """What the program says, asked once per process, without any key."""
    with tempfile.TemporaryDirectory(prefix="quire-program-") as home:
        try:
            ran = subprocess.run(
                [path, "--version"],
                env=program_environment(os.environ, home=home),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigurationError(f"{path} --version does not work: {error}") from error
    said = (ran.stdout or ran.stderr).decode(errors="replace").strip().splitlines()
    return said[0][:100] if said else "unknown"


def _digest_of_files(command: Sequence[str]) -> str:
    """The digest of the program and of the scripts that its command names."""
    files = [Path(word) for word in command if word.startswith("/") and Path(word).is_file()]
    return digest_of([hash_file(one).digest for one in files])[:16]
