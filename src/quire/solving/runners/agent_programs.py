"""Programs that can be runners: how each is called, what it may do, and which variables it gets."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quire.core.errors import ConfigurationError, UsageError
from quire.core.runner import Budget, RunnerCapability

PROMPT = "{prompt}"
"""Stands for the prompt in the command of a program."""
FOLDER = "{folder}"
"""Stands for the path of the workspace inside of a word of the command, without its first slash."""
ALLOWED_VARIABLES = "QUIRE_RUNNER_ENV"
"""The variable with further names of variables that programs get, separated by commas."""
NETWORK = "QUIRE_RUNNER_NETWORK"
"""The variable that, if it is 1, gives programs of one's own the network."""
_NETWORK_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
_FILES: frozenset[RunnerCapability] = frozenset({"files", "revises", "reviews"})


def _no_options(budget: Budget) -> Sequence[str]:
    return ()


def _claude_options(budget: Budget) -> Sequence[str]:
    money = () if budget.cost is None else ("--max-budget-usd", f"{budget.cost:g}")
    return "--max-turns", str(budget.turns), *money


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """A program as a runner calls it. `command` begins with its name, as it is looked up on the search path.

    `variables` are what it gets of the environment. It has a scratch folder as home if one of `keys` is set, or if it
    has no `login`: files below the user's home that it reads and refreshes, or the folder that `login_variable` names.
    """

    name: str
    command: tuple[str, ...]
    capabilities: frozenset[RunnerCapability] = _FILES
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    login_variable: str = ""
    network: bool = False
    options: Callable[[Budget], Sequence[str]] = _no_options
    """The options for a budget. They do not change what the program answers within it."""
    says_version: bool = False
    """Whether it answers `--version`; the version of others is the digest of the files that their command names."""
    advice: str = ""

    def resolved(self) -> tuple[str, ...]:
        """The command with paths that are valid in any folder. Raises ConfigurationError if it is not installed."""
        path = shutil.which(self.command[0])
        if path is None:
            raise ConfigurationError(f"the runner {self.name} needs the program {self.command[0]}: {self.advice}")
        return str(Path(path).absolute()), *map(_as_path, self.command[1:])

    def allowed(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """The names of the variables that it gets: its own, and those that the user allows."""
        more = tuple(filter(None, map(str.strip, environment.get(ALLOWED_VARIABLES, "").split(","))))
        login = (self.login_variable,) if self.login_of(environment) else ()
        return *self.variables, *login, *(_NETWORK_VARIABLES if self.network else ()), *more

    def login_of(self, environment: Mapping[str, str]) -> Sequence[Path]:
        """The files of the user's login, where it needs them."""
        home = environment.get("HOME")
        if not home or any(environment.get(key) for key in self.keys):
            return ()
        moved = environment.get(self.login_variable)
        found = [Path(moved)] if moved else [Path(home, name) for name in self.login]
        return [one for one in found if one.exists()]


CLAUDE = AgentProgram(
    name="claude",
    command=(
        "claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose",
        # What is not allowed here would be asked for, and is refused without a terminal.
        "--permission-mode", "default", "--tools", "Read,Glob,Grep,Write,Edit",
        # Rules for Edit are those of Write too. Not all versions take relative paths.
        "--allowedTools", f"Read(./**),Edit(./output/**),Edit(//{FOLDER}/output/**)",
        "--disallowedTools", "Bash,WebFetch,WebSearch,Task,NotebookEdit",
        "--strict-mcp-config", "--setting-sources", "", "--no-session-persistence",
    ),
    capabilities=_FILES | {"vision", "json_schema"},
    variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"),
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    login=(".claude", ".claude.json"),
    network=True,
    options=_claude_options,
    says_version=True,
    advice="install Claude Code (npm install -g @anthropic-ai/claude-code), and log in or set ANTHROPIC_API_KEY",
)  # fmt: skip
CODEX = AgentProgram(
    name="codex",
    command=(
        "codex", "exec", "--json", "--sandbox", "workspace-write", "--skip-git-repo-check", "--ephemeral",
        "--ignore-user-config", "--color", "never", PROMPT,
    ),
    capabilities=_FILES | {"json_schema"},
    variables=("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"),
    keys=("CODEX_API_KEY",),
    login=(".codex",),
    login_variable="CODEX_HOME",
    network=True,
    says_version=True,
    advice="install Codex (npm install -g @openai/codex), and log in or set CODEX_API_KEY",
)  # fmt: skip


def agent_program(argument: str, environment: Mapping[str, str]) -> AgentProgram:
    """The program of `claude`, `codex`, `claude:MODEL`, `codex:MODEL` or `program:COMMAND LINE`. Raises UsageError."""
    kind, _, rest = argument.partition(":")
    if kind == "program":
        return replace(_of_command_line(rest), network=environment.get(NETWORK) == "1")
    for known in (CLAUDE, CODEX):
        if kind == known.name:
            more = ("--model", rest) if rest else ()
            return replace(known, name=argument, command=(*known.command, *more))
    raise UsageError(f"there is no runner {argument!r}; programs are claude, codex and program:COMMAND LINE")


def _of_command_line(text: str) -> AgentProgram:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"the command line of the runner cannot be read: {error}: {text}") from error
    if not words:
        raise UsageError("the runner has no command; write it after the colon, program:COMMAND LINE")
    name = f"program:{Path(words[0]).name}"
    return AgentProgram(name, words, advice="it is not on the search path, or may not be executed")


def _as_path(word: str) -> str:
    """A word that names a file, as a path that is valid in the folder of the program too."""
    try:
        return str(Path(word).absolute()) if word and Path(word).is_file() else word
    except (OSError, ValueError):
        return word
