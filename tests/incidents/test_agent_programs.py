"""Programs as runners that misbehave: they never stop, fork, flood, write outside, change their input, and lie."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import quire
from quire.core.errors import ConfigurationError, UsageError
from quire.core.runner import Budget, RunnerFailed, RunnerOutput
from quire.evidence.extract.schema import asked_schema
from quire.solving.answers import ClaimedAnswer, verified_answer
from quire.solving.attempts import decode_output, encode_output
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.runners.program_runner import PROMPT_FILE, ProgramRunner
from quire.solving.runners.program_stream import MOST_ENTRIES
from quire.solving.workspace.folder import Workspace
from quire.system.bubblewrap import bubblewrap
from tests import documents
from tests.docs.pages import ROOT, code_blocks
from tests.fakes.program_work import ProgramWork, small_workspace, stand_in

pytestmark = pytest.mark.processes

PATIENCE_S = 60.0


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return small_workspace(tmp_path / "work")


needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None or bubblewrap() is None,
    reason="bubblewrap is not installed, or may not make namespaces here",
)


@pytest.fixture(params=[pytest.param(True, marks=needs_bubblewrap), False], ids=["bubblewrap", "process group"])
def isolated(request) -> bool:
    """Whether bubblewrap keeps the program."""
    return bool(request.param)


def ran(workspace: Workspace, *words: str, isolated: bool = True, **given: str) -> RunnerOutput:
    return stand_in(*words, isolated=isolated, environment=given).run(ProgramWork(workspace))


def failed(work: ProgramWork, *words: str, isolated: bool = True) -> RunnerFailed:
    with pytest.raises(RunnerFailed) as caught:
        stand_in(*words, isolated=isolated).run(work)
    return caught.value


def answered(output: RunnerOutput) -> dict[str, object]:
    made = json.loads(output.files["answer.json"])
    assert isinstance(made, dict)
    return made


def texts(output: RunnerOutput | RunnerFailed, kind: str) -> list[str]:
    return [str(one.payload.get("text")) for one in output.timeline if one.kind == kind]


def alive(name: str) -> list[int]:
    """The processes that have a name in their command, wherever they are."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0] if entry.name.isdigit() else "Z"
            if state != "Z" and name.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return [pid for pid in found if pid != os.getpid()]


def wait_until(happened: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


def unique() -> str:
    return f"stand-in-{uuid.uuid4().hex}"


def test_a_good_program_reads_its_input_and_hands_over_its_answer(workspace, isolated):
    work = ProgramWork(workspace, prompt="Find the total. 合計")
    output = stand_in("good", isolated=isolated).run(work)
    assert answered(output) == {"total": 42}
    assert output.files["notes.md"].decode() == "Find the total. 合計"
    assert texts(output, "stdout") == ["I have read ['document.pdf', 'schema.json', 'sources', 'task.md']"]
    assert output.refused == {}
    assert list(output.timeline) == work.told
    assert output.timeline[0].payload["isolation"] == ("bubblewrap" if isolated else "process group")
    assert decode_output(encode_output(output)) == output
    assert workspace.faults() == []


def test_a_program_without_isolation_as_root_says_so(workspace):
    first = ran(workspace, "good", isolated=False).timeline[0].payload
    assert ("warning" in first) == (os.geteuid() == 0)


def test_a_program_that_never_stops_is_killed_when_its_time_is_up(workspace, isolated):
    name = unique()
    work = ProgramWork(workspace, budget=Budget(seconds=0.5))
    error = failed(work, "grandchildren", name, isolated=isolated)
    assert (error.failure, error.retryable) == ("over_budget", False)
    assert "did not end within 0.5 s" in str(error)
    assert alive(name) == []


def test_a_program_that_ignores_signals_is_killed_all_the_same(workspace, isolated):
    assert failed(ProgramWork(workspace, budget=Budget(seconds=0.3)), "stubborn", isolated=isolated).failure == (
        "over_budget"
    )


def test_a_daemon_does_not_outlive_the_program_that_forked_it_twice(workspace, isolated):
    name = unique()
    assert answered(ran(workspace, "daemon", name, isolated=isolated)) == {"total": 42}
    assert alive(name) == []


def test_a_program_that_kills_its_guard_dies_with_it(workspace):
    name = unique()
    error = failed(ProgramWork(workspace), "kill-guard", name, isolated=False)
    assert "its end is not known" in str(error)
    wait_until(lambda: not alive(name))


def test_an_error_of_those_who_watch_ends_the_program(workspace):
    name = unique()

    class Cancelled(Exception):
        pass

    def cancel(entry: object) -> None:
        raise Cancelled

    work = ProgramWork(workspace)
    work.tell = cancel  # type: ignore[method-assign, assignment]
    with pytest.raises(Cancelled):
        stand_in("grandchildren", name).run(work)
    assert alive(name) == []


@pytest.mark.slow
def test_a_flood_is_cut_and_counted(workspace):
    output = ran(workspace, "flood")
    assert answered(output) == {"total": 42}
    assert len(encode_output(output)) < 2**20
    assert [len(texts(output, kind)) for kind in ("stdout", "stderr")] == [MOST_ENTRIES, MOST_ENTRIES]
    last = output.timeline[-1].payload
    assert last["bytes_dropped"] > 60 * 2**20
    assert min(last["entries_left_out"].values()) > 100_000


@needs_bubblewrap
def test_a_program_in_bubblewrap_writes_nowhere_but_to_its_output(workspace, tmp_path):
    for place in (workspace.folder / "x", workspace.folder / "input/x", Path("/usr/quire-stand-in")):
        output = ran(workspace, "outside", str(place))
        assert texts(output, "stdout")[0].startswith("refused"), place
        assert not place.exists()
    for place in (
        tmp_path / "x",
        Path("/tmp/quire-stand-in"),
        Path.home() / ".quire-stand-in",
    ):  # a folder of its own stands in for /tmp
        ran(workspace, "outside", str(place))
        assert not place.exists()


def test_without_bubblewrap_what_a_program_adds_to_its_input_is_found(workspace):
    error = failed(ProgramWork(workspace), "outside", str(workspace.folder / "input/x"), isolated=False)
    assert error.failure == "invalid_output"
    assert "changed its input: input/x (added)" in str(error)


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        ("delete-input", "input/task.md (missing)"),
        ("change-input", "input/task.md (changed)"),
        ("change-manifest", "input/more.md (added)"),
    ],
)
def test_an_answer_from_a_changed_input_does_not_count(workspace, behaviour, fault):
    error = failed(ProgramWork(workspace), behaviour, isolated=False)
    assert error.failure == "invalid_output"
    assert fault in str(error)


@needs_bubblewrap
def test_in_bubblewrap_the_input_cannot_be_changed(workspace):
    assert failed(ProgramWork(workspace), "delete-input").failure == "terminal"
    assert workspace.faults() == []


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("lie", "it ended without output/answer.json: it does not exist"),
        ("half", "answer.json is not JSON"),
        ("symlink", "it is a link"),
        ("hard-link", "it is a hard link"),
        ("fifo", "it is not a regular file"),
        ("huge", "it is larger than"),
    ],
)
def test_success_without_an_answer_is_invalid(workspace, isolated, behaviour, reason):
    error = failed(ProgramWork(workspace), behaviour, isolated=isolated)
    assert (error.failure, error.retryable) == ("invalid_output", True)
    assert reason in str(error)


def test_an_output_that_was_replaced_by_a_link_is_not_read_and_the_next_attempt_has_a_new_one(workspace):
    assert "removed or replaced" in str(failed(ProgramWork(workspace), "no-output", isolated=False))
    assert answered(ran(workspace, "good")) == {"total": 42}
    assert Path("/etc/passwd").exists()


def test_the_answer_of_an_earlier_attempt_is_not_taken_for_a_new_one(workspace):
    ran(workspace, "good")
    assert failed(ProgramWork(workspace), "lie").failure == "invalid_output"


def test_what_an_earlier_attempt_made_read_only_is_not_taken_for_a_new_answer(workspace):
    assert answered(ran(workspace, "read-only")) == {"total": 42}
    assert failed(ProgramWork(workspace), "lie").failure == "invalid_output"


def test_a_file_that_grows_without_end_ends_the_program(workspace):
    error = failed(ProgramWork(workspace), "endless-file", isolated=False)
    assert error.failure in ("retryable", "terminal")
    assert not (workspace.output / "answer.json").exists() or (workspace.output / "answer.json").stat().st_size <= 2**30


@pytest.mark.parametrize(
    ("behaviour", "failure", "reason"),
    [
        ("rate-limited", "retryable", "exit code 1: API Error: 429"),
        ("logged-out", "terminal", "Invalid API key"),
        ("broken", "terminal", "exit code 1: KeyError: 'a mistake of its author'"),
        ("killed", "retryable", "it was ended by SIGKILL"),
        ("claude-limited", "retryable", "529 Overloaded"),
        ("codex-failed", "retryable", "stream disconnected"),
        ("refuse", "refused", "I can't help with that."),
    ],
)
def test_what_a_program_says_decides_how_it_failed(workspace, isolated, behaviour, failure, reason):
    error = failed(ProgramWork(workspace), behaviour, isolated=isolated)
    assert error.failure == failure
    assert reason in str(error)


def test_a_refusal_with_an_answer_is_an_answer(workspace):
    assert answered(ran(workspace, "refuse-and-answer")) == {"total": 42}


def test_a_program_sees_no_variable_that_is_not_allowed(workspace, isolated):
    secrets = {"AWS_SECRET_ACCESS_KEY": "s3cret", "QUIRE_API_KEY": "s3cret", "MY_KEY": "allowed", "TZ": "Asia/Tokyo"}
    output = ran(workspace, "tell-environment", isolated=isolated, **secrets, QUIRE_RUNNER_ENV="MY_KEY, NOT_SET")
    seen = json.loads(texts(output, "stdout")[0])
    assert "s3cret" not in str(output)
    assert (seen["MY_KEY"], seen["TZ"]) == ("allowed", "Asia/Tokyo")
    assert seen["HOME"] != os.environ.get("HOME")
    assert seen.keys() <= {
        "PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "PWD", "MY_KEY",
        "QUIRE_PROMPT", "QUIRE_PROMPT_FILE", "QUIRE_ROLE",
    }  # fmt: skip
    assert not Path(seen["HOME"]).exists()


def test_a_runner_shows_no_variables(workspace):
    assert "s3cret" not in repr(stand_in("good", environment={"QUIRE_RUNNER_ENV": "MY_KEY", "MY_KEY": "s3cret"}))


def test_standard_input_is_at_its_end(workspace):
    assert answered(ran(workspace, "read-stdin")) == {"total": True}


def test_a_program_of_ones_own_has_the_network_only_if_it_is_allowed(workspace, isolated):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert answered(ran(workspace, "connect", port, isolated=isolated)) == {"reached": not isolated}
        allowed = ran(workspace, "connect", port, isolated=isolated, QUIRE_RUNNER_NETWORK="1")
        assert answered(allowed) == {"reached": True}


def test_japanese_is_kept(workspace, isolated):
    output = ran(workspace, "japanese", isolated=isolated)
    assert answered(output) == {"total": "合計 ¥１２，３４５"}
    assert texts(output, "stdout") == ["請求書を読んでいます"]


def test_the_prompt_is_an_argument_a_variable_and_a_file(workspace):
    work = ProgramWork(workspace, prompt='Find \'the "total"; $HOME\nand more \ud83d\0')
    made = answered(stand_in("prompted", "{prompt}").run(work))
    assert made == dict.fromkeys(("argument", "variable", "file"), 'Find \'the "total"; $HOME\nand more ?')


def test_a_prompt_that_is_too_long_for_an_argument_is_a_file(workspace):
    work = ProgramWork(workspace, prompt="長い" * 100_000)
    output = stand_in("prompted", "{prompt}").run(work)
    made = answered(output)
    assert (
        made["argument"]
        == f"Your instructions are in the file output/{PROMPT_FILE}. Read all of it, and do what it says."
    )
    assert (made["variable"], made["file"]) == (None, work.prompt)
    assert output.refused == {}


def test_the_events_of_claude_are_calls_messages_tokens_and_cost(workspace):
    output = ran(workspace, "claude")
    assert [(one.kind, one.payload.get("name") or one.payload["text"]) for one in output.timeline[1:]] == [
        ("note", "init"),
        ("model", "I look."),
        ("tool", "Read"),
        ("tool", "Read"),
        ("model", "Done."),
        ("model", "Done."),
    ]
    usage = output.usage
    assert (usage.turns, usage.input_tokens, usage.output_tokens, usage.tool_calls, usage.cost) == (2, 200, 40, 1, 0.25)


def test_the_events_of_codex_are_calls_messages_and_tokens(workspace):
    output = ran(workspace, "codex")
    assert [one.kind for one in output.timeline[1:]] == ["note", "tool", "model", "stdout", "model"]
    assert output.timeline[2].payload["arguments"]["command"] == "cat input/task.md"
    assert "a new kind" in texts(output, "stdout")[0]
    usage = output.usage
    assert (usage.turns, usage.input_tokens, usage.output_tokens, usage.tool_calls) == (1, 315, 122, 1)


def test_half_characters_and_zeros_of_a_model_do_not_reach_the_timeline(workspace):
    output = ran(workspace, "broken-characters")
    told = json.dumps([dict(one.payload) for one in output.timeline], ensure_ascii=False)
    assert "合計" in told
    assert "\\u0000" not in told
    told.encode()


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(turns=3, seconds=60), "more than 3 turns"),
        (Budget(tokens=5000, turns=10**9, seconds=60), "tokens of 5,000"),
    ],
)
def test_a_program_that_exceeds_its_budget_is_killed_at_once(workspace, budget, reason):
    error = failed(ProgramWork(workspace, budget=budget), "claude-endless")
    assert error.failure == "over_budget"
    assert reason in str(error)
    assert error.usage.turns in (4, 5)


def test_money_is_a_budget_too(workspace):
    error = failed(ProgramWork(workspace, budget=Budget(seconds=60, cost=0.2)), "claude")
    assert (error.failure, error.usage.cost) == ("over_budget", 0.25)


def test_a_reviewer_hands_over_findings(workspace):
    output = stand_in("review").run(ProgramWork(workspace, role="reviewer"))
    assert json.loads(output.files["findings.jsonl"])["reason"] == "合計が違う"
    assert failed(ProgramWork(workspace, role="reviewer"), "bad-review").failure == "invalid_output"
    assert failed(ProgramWork(workspace, role="reviewer"), "lie").failure == "invalid_output"


def test_two_at_the_same_time_do_not_disturb_each_other(tmp_path, isolated):
    works = [ProgramWork(small_workspace(tmp_path / name)) for name in ("one", "two")]
    both = threading.Barrier(2)

    def run(work: ProgramWork) -> RunnerOutput:
        runner = stand_in("japanese", isolated=isolated)
        both.wait(PATIENCE_S)
        return runner.run(work)

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(run, works)
    assert first == second


@pytest.mark.slow
def test_the_program_of_the_guide_cites_what_is_verified_in_the_second_document(tmp_path, monkeypatch):
    (block,) = (one for one in code_blocks(ROOT / "docs/guides/program-runners.md", "python") if one.file)
    (tmp_path / block.file).write_text(block.code)
    monkeypatch.chdir(tmp_path)
    read = [quire.read(quire.Document(documents.simple())), quire.read(ROOT / "examples" / "sample.pdf")]
    workspace = quire.build_workspace("work", "Which sentence speaks of passengers?", read)
    output = ProgramRunner.of(f"program:{sys.executable} my_agent.py", os.environ).run(ProgramWork(workspace))
    schema = asked_schema({"type": "object", "properties": {"sentence": {"type": "string"}}}, ())
    catalogs = JoinedCatalog([one.catalog() for one in read])
    answer = verified_answer(ClaimedAnswer.of(output.files, "mine"), schema, catalogs, "mine", "1")
    found = answer.evidence["sentence"]
    assert (found.document, found.page) == ("document-2", 1)
    assert found.supported


KILLED = """
import sys
from pathlib import Path
from quire.solving.workspace.folder import Workspace
from tests.fakes.program_work import ProgramWork, stand_in
folder, name, isolated = sys.argv[1:]
stand_in("grandchildren", name, isolated=isolated == "True").run(ProgramWork(Workspace.open(folder)))
"""


def test_nothing_survives_a_kill_of_our_own_process(workspace, isolated):
    name = unique()
    arguments = [sys.executable, "-c", KILLED, str(workspace.folder), name, str(isolated)]
    with subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as ours:
        try:
            wait_until(lambda: (workspace.output / "notes.md").exists() and len(alive(name)) >= 4)
        finally:
            ours.send_signal(signal.SIGKILL)
    wait_until(lambda: not alive(name))


class TestConstruction:
    def test_a_program_that_is_not_installed_is_named_with_advice(self):
        with pytest.raises(ConfigurationError, match=r"claude.*npm install"):
            replace_path("claude")
        with pytest.raises(ConfigurationError, match=r"codex.*npm install"):
            replace_path("codex")
        with pytest.raises(ConfigurationError, match="no-such-program"):
            ProgramRunner.of("program:no-such-program", os.environ)

    def test_offline_mode_refuses_programs_that_need_a_server(self, monkeypatch):
        monkeypatch.setenv("QUIRE_OFFLINE", "1")
        with pytest.raises(ConfigurationError, match="offline mode"):
            ProgramRunner.of("claude", os.environ)
        assert ProgramRunner.of("program:true", os.environ).name == "program:true"

    @pytest.mark.parametrize("argument", ["program:", "program:sh -c 'half", "gemini"])
    def test_what_is_no_command_is_refused(self, argument):
        with pytest.raises(UsageError):
            ProgramRunner.of(argument, os.environ)

    def test_claude_and_codex_are_called_with_the_fewest_permissions(self, installed):
        claude, codex = installed("claude", "2.1.0 (Claude Code)"), installed("codex", "codex-cli 0.99.0")
        assert claude.version.startswith("2.1.0")
        assert codex.version.startswith("codex-cli 0.99.0")
        assert not any("danger" in word or "bypass" in word for word in (*claude.command, *codex.command))
        assert {"files", "vision", "reviews", "revises"} <= claude.capabilities
        assert "workspace-write" in codex.command
        assert claude.profile.digest() != codex.profile.digest()
        assert pickle.loads(pickle.dumps(claude)) == claude
        assert installed("claude", "2.1.0 (Claude Code)", model="opus").profile.digest() != claude.profile.digest()

    def test_claude_gets_the_prompt_its_limits_and_its_key_and_may_write_to_the_output_alone(
        self, installed, workspace
    ):
        runner = installed("claude", "2", ANTHROPIC_API_KEY="sk-1", PATH=os.environ["PATH"])
        prompt = "Find the total. 合計"
        output = runner.run(ProgramWork(workspace, prompt=prompt, budget=Budget(seconds=60, turns=7, cost=1.5)))
        given = output.files["notes.md"].decode().splitlines()
        assert given[:3] == ["sk-1", "-p", prompt]
        assert given[-4:] == ["--max-turns", "7", "--max-budget-usd", "1.5"]
        assert f"Read(./**),Edit(./output/**),Edit(/{workspace.folder}/output/**)" in given
        assert output.timeline[0].payload["network"] is True

    def test_a_login_is_used_only_without_a_key(self, installed, tmp_path):
        (tmp_path / ".claude").mkdir()
        assert installed("claude", "2", HOME=str(tmp_path)).login == (tmp_path / ".claude",)
        with_key = installed("claude", "2", HOME=str(tmp_path), ANTHROPIC_API_KEY="sk-1", OPENAI_API_KEY="sk-2")
        assert with_key.login == ()
        assert with_key.variables["ANTHROPIC_API_KEY"] == "sk-1"
        assert "OPENAI_API_KEY" not in with_key.variables

    def test_the_version_of_a_program_of_ones_own_is_that_of_its_files(self, tmp_path):
        script = tmp_path / "mine.py"
        script.write_text("print(1)")
        before = ProgramRunner.of(f"program:{sys.executable} {script}", os.environ)
        first = before.version
        script.write_text("print(2)")
        assert before.version != first


def replace_path(argument: str) -> ProgramRunner:
    """The runner on a machine where nothing is installed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", "/nowhere")
        return ProgramRunner.of(argument, os.environ)


@pytest.fixture
def installed(tmp_path, monkeypatch) -> Callable[..., ProgramRunner]:
    """Runners of programs that say their version, and how they are called."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def install(name: str, version: str, model: str = "", **environment: str) -> ProgramRunner:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"#!/bin/sh\n[ $1 = --version ] && echo '{version}' && exit\n"
            'printf "%s\\n" "$ANTHROPIC_API_KEY" "$@" >output/notes.md; echo "{}" >output/answer.json\n'
        )
        path.chmod(0o755)
        return ProgramRunner.of(f"{name}:{model}" if model else name, environment)

    return install
