"""What all commands share: help in groups, -v and --debug, completion in a shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from quire.cli.app import app
from quire.cli.help import OPTIONS
from quire.core.errors import UsageError
from tests import documents, scans
from tests.fakes import strangers

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
FLOW = """
name: mine
inputs: {source: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - {id: broken, component: "mine:broken", input: {document: {$step: document}}}
output: {value: {$step: broken}}
"""
COMPONENT = """
import quire

@quire.component(version="1")
def broken(document: quire.DocumentResult) -> str:
    return deeper()

def deeper():
    raise KeyError("lost")
"""


def quire(*arguments: object, code: int = 0, width: int = 100):
    ran = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": str(width)}, terminal_width=width)
    assert ran.exit_code == code, ran.output
    return ran


def test_commands_are_in_groups_and_fit_a_screen():
    text = quire("--help").stdout
    assert len(text.splitlines()) <= 48
    for group in ("Documents:", "Many documents:", "Machines:", "Set-up:"):
        assert f"\n{group}\n" in text
    assert "OCR" in text


def test_the_help_of_read_is_in_groups_and_fits_a_screen():
    lines = quire("read", "--help").stdout.splitlines()
    assert len(lines) <= 50 and max(map(len, lines)) <= 100
    assert [line for line in lines if line in {f"{group}:" for group in OPTIONS}] == [
        "Output:",
        "Documents:",
        "OCR and layout:",
        "Store and execution:",
        "Messages:",
    ]


@pytest.mark.parametrize("command", ["read", "run", "plan"])
def test_every_option_of_a_large_command_has_a_group(command):
    grouped = {name for names in OPTIONS.values() for name in names}
    options = {param.name for param in COMMANDS[command].params if param.param_type_name == "option"}
    assert options <= grouped


@pytest.mark.parametrize("command", [c for c in COMMANDS.values() if not hasattr(c, "commands")], ids=lambda c: c.name)
def test_every_command_can_say_more(command):
    options = {option for param in command.params for option in param.opts}
    assert {"-v", "--verbose", "--debug"} <= options


def test_debug_shows_the_traceback_of_a_mistake(tmp_path):
    arguments = ("read", tmp_path / "missing.pdf", "--pages", "x")
    assert "Traceback" not in quire(*arguments, code=UsageError.exit_code).stderr
    said = quire(*arguments, "--debug", code=UsageError.exit_code).stderr
    assert "Traceback" in said and "_range" in said


@pytest.mark.processes
def test_debug_shows_the_traceback_of_a_component_that_is_not_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "a.pdf").write_bytes(documents.simple())
    (tmp_path / "mine.yaml").write_text(FLOW)
    (tmp_path / "mine.py").write_text(COMPONENT)
    run = ("run", "a.pdf", "-o", "out", "--flow", "mine.yaml", "--retries", "0")
    assert "Traceback" not in quire(*run, code=1).stderr
    said = quire(*run, "--force", "--debug", code=1).stderr
    assert "in deeper\n" in said and "KeyError: 'lost'" in said


def test_the_script_for_a_shell_is_printed():
    for shell in ("bash", "zsh", "fish"):
        assert "_QUIRE_COMPLETE" in quire("completion", shell).stdout
    assert "choose from bash, zsh, fish" in quire("completion", "tcsh", code=2).stderr


@pytest.mark.processes
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("quire in", {"index", "inspect"}),
        ("quire read --eff", {"--effort"}),
        ("quire flow ch", {"check"}),
        ("quire completion --he", {"--help"}),
    ],
)
def test_bash_completes_commands_and_options(tmp_path, line, expected):
    program = tmp_path / "quire"
    program.write_text(f"#!{sys.executable}\nfrom quire.cli import main\nmain()\n")
    program.chmod(0o755)
    words = line.split()
    script = f"""
source <(quire completion bash)
COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}
$(complete -p quire | sed -E 's/.*-F ([^ ]+) .*/\\1/') quire {words[-1]} {words[-2]}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, env=environment)
    assert set(run.stdout.split()) == expected, run.stderr


@pytest.mark.processes
def test_debug_shows_the_traceback_of_an_engine_in_a_worker(tmp_path):
    (tmp_path / "scan.pdf").write_bytes(scans.numbered_scans(1))
    stranger = strangers.install(tmp_path, "raise", 1)
    assert "Traceback" not in stranger.run("-m", "quire", "read", "scan.pdf", "--engine", "stranger").stderr
    said = stranger.run("-m", "quire", "read", "scan.pdf", "--engine", "stranger", "--debug").stderr
    assert "Traceback" in said and "in _misbehave\n" in said
