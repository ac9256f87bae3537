"""Runners by name, the chain in which they are asked, and runners of other packages."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest

from quire.core import plugins
from quire.core.errors import ConfigurationError, UsageError
from quire.core.plugin_checks import check_runner
from quire.core.runner import RunnerCapability, RunnerOutput, RunnerWork, TaskBrief
from quire.solving.answers import claimed_files
from quire.solving.runners.offline_runner import OfflineRunner
from quire.solving.runners.runner_registry import find_runner, ordered, runner_names
from quire.solving.runners.tool_loop import ToolRunner

HERE = {"QUIRE_LLM_URL": "http://127.0.0.1:1/v1", "QUIRE_LLM_MODEL": "sage-1"}


@dataclass(frozen=True)
class StrangersRunner(OfflineRunner):
    """A runner of another package; it takes an argument."""

    greeting: str = ""
    name: str = "stranger"
    context_tokens: int | None = 8000
    capabilities: frozenset[RunnerCapability] = frozenset({"vision", "tools"})

    def prompt(self, brief: TaskBrief) -> str:
        return self.greeting

    def run(self, work: RunnerWork) -> RunnerOutput:
        return RunnerOutput(claimed_files({}, {}))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = dict(plugins.offered("runner"))
    for name, place in {
        "stranger": f"{__name__}:StrangersRunner",
        "broken": "no.such:module",
        "text": "os:sep",
    }.items():
        offered[name] = EntryPoint(name, place, "quire.runners")

    def installed(kind: plugins.Kind) -> Mapping[str, EntryPoint]:
        assert kind == "runner"
        return offered

    monkeypatch.setattr("quire.solving.runners.runner_registry.offered", installed)


def test_built_in_runners_are_found_by_name():
    assert {"offline", "tools", "claude", "codex", "program"} <= {*runner_names()}
    assert isinstance(find_runner("offline"), OfflineRunner)
    assert find_runner("tools", HERE) == ToolRunner.of("", HERE)
    assert find_runner("tools:sage-2@http://127.0.0.1:2/v1", HERE).name == "tools:sage-2@127.0.0.1:2"


@pytest.mark.parametrize("name", ["nobody", "offline:fast", "", "tool", "nobody:at:all"])
def test_an_unknown_name_is_an_error_that_lists_what_exists(name):
    with pytest.raises(UsageError, match=r"choose from .*offline.*tools"):
        find_runner(name)


def test_a_model_that_is_not_configured_says_which_variable_to_set():
    with pytest.raises(ConfigurationError, match="set QUIRE_LLM_URL"):
        find_runner("tools", {})


@pytest.mark.usefixtures("installed")
def test_runners_of_other_packages_come_through_the_same_door():
    assert "stranger" in runner_names()
    assert find_runner("stranger").name == "stranger"
    greeted = find_runner("stranger:hello:you")
    assert greeted == StrangersRunner("hello:you")
    assert pickle.loads(pickle.dumps(greeted)) == greeted
    with pytest.raises(ConfigurationError, match="the runner broken cannot be loaded"):
        find_runner("broken")
    with pytest.raises(ConfigurationError, match="no function"):
        find_runner("text")


@pytest.mark.usefixtures("installed")
def test_those_that_can_do_what_is_required_are_asked_first():
    def asked(*requires: RunnerCapability, context: int = 0) -> list[str]:
        return list(ordered(["offline", "tools", "stranger", "offline"], requires, context, HERE))

    assert asked() == ["offline", "tools", "stranger"]
    assert asked("tools") == ["tools", "stranger", "offline"]
    assert asked("tools", "vision") == ["stranger", "offline", "tools"]
    assert asked("tools", context=32_000) == ["tools", "offline", "stranger"]
    assert asked("tools", "files") == ["offline", "tools", "stranger"]
    with pytest.raises(UsageError, match="there is no capability 'magic'"):
        ordered(["offline"], ["magic"])  # type: ignore[list-item]


def test_an_object_that_is_no_runner_says_what_it_lacks():
    class Half:
        name = "half"

        def run(self) -> None: ...

    with pytest.raises(ConfigurationError, match=r"Half is not a valid Runner: it has no .*capabilities"):
        check_runner(Half())
    with pytest.raises(ConfigurationError, match="OfflineRunner is a class"):
        check_runner(OfflineRunner)

    class Whole(OfflineRunner):
        def run(self) -> RunnerOutput:  # type: ignore[override]
            return RunnerOutput({})

    with pytest.raises(ConfigurationError, match=r"Whole.run\(\) .*is called with \(work\)"):
        check_runner(Whole())

    class Proud(OfflineRunner):
        capabilities = frozenset({"telepathy"})  # type: ignore[assignment]

    with pytest.raises(ConfigurationError, match="the capability 'telepathy'; choose from"):
        check_runner(Proud())
