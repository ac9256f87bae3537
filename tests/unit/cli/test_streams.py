"""What a shell may start a program with: streams that are closed, full, or left by their reader; few descriptors."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from quire.cli.streams import EXIT_BROKEN_PIPE
from quire.core.errors import ConfigurationError, InputError, StoreError
from tests import documents, scans

pytestmark = pytest.mark.processes

FULL = "quire: cannot write to standard output: No space left on device\n"
CLOSED = "quire: cannot write to standard output: it is closed\n"


@pytest.fixture
def shell(tmp_path):
    """Runs a line of a shell in which `quire` is the program, in a folder with `a.pdf`."""
    (tmp_path / "a.pdf").write_bytes(documents.simple(2))

    def run(line: str) -> subprocess.CompletedProcess[str]:
        program = f'quire() {{ {shlex.quote(sys.executable)} -m quire "$@"; }}; set -o pipefail; {line}'
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=120)
        assert "Traceback" not in done.stderr and "internal error" not in done.stderr, done.stderr
        return done

    return run


@pytest.mark.parametrize("command", ["read a.pdf", "inspect a.pdf", "engines", "run a.pdf -o out", "--version", "-h"])
@pytest.mark.parametrize(("where", "told"), [("> /dev/full", FULL), (">&-", CLOSED)])
def test_output_that_cannot_be_written_is_an_error_of_the_output(shell, command, where, told):
    done = shell(f"quire {command} {where}")
    assert (done.returncode, done.stderr) == (StoreError.exit_code, told)


@pytest.mark.parametrize("command", ["read a.pdf", "inspect a.pdf", "engines", "run a.pdf -o out", "-h"])
def test_a_reader_who_leaves_ends_the_program_quietly(shell, command):
    done = shell(f"quire {command} | true")
    assert (done.returncode, done.stderr) == (EXIT_BROKEN_PIPE, "")


def test_files_are_written_without_a_standard_output(shell, tmp_path):
    assert shell("quire read a.pdf -o out >&- 2>&- <&-").returncode == 0
    assert "harbour office" in (tmp_path / "out" / "a.md").read_text()


@pytest.mark.parametrize("where", ["2>&-", "2> /dev/full"])
def test_messages_that_cannot_be_written_change_nothing(shell, where):
    assert "harbour office" in shell(f"quire read a.pdf {where}").stdout
    assert shell(f"quire read missing.pdf {where}").returncode == InputError.exit_code
    assert shell(f"quire run a.pdf missing.pdf -o out {where}").returncode == 3


def test_a_name_that_is_no_text_can_be_printed(shell):
    done = shell("cp a.pdf $'b\\xff.pdf'; quire inspect $'b\\xff.pdf' --json; quire inspect $'b\\xff.pdf'")
    assert done.returncode == 0
    assert '"name": "b\\udcff.pdf"' in done.stdout
    assert "b\\xff.pdf  application/pdf" in done.stdout


@pytest.mark.parametrize("command", ["read scan.pdf --ocr always", "run scan.pdf a.pdf -o out"])
def test_too_few_file_descriptors_are_told_at_once(shell, tmp_path, command):
    (tmp_path / "scan.pdf").write_bytes(scans.numbered_scans(2))
    done = shell(f"ulimit -n 24; quire {command}")
    assert done.returncode == ConfigurationError.exit_code
    assert done.stderr.startswith("quire: 24 file descriptors are too few for ") and "ulimit -n" in done.stderr


@pytest.mark.parametrize(("command", "code"), [("read locked.pdf", 5), ("run locked.pdf a.pdf -o out", 3)])
def test_a_file_that_may_not_be_read_is_an_error_of_the_document(shell, tmp_path, command, code):
    locked = tmp_path / "locked.pdf"
    locked.write_bytes(documents.simple(1))
    locked.chmod(0)
    # Root may read everything, unless it gives these rights up.
    humble = "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all " if os.geteuid() == 0 else ""
    done = shell(f"{humble}{shlex.quote(sys.executable)} -m quire {command}")
    assert (done.returncode, done.stderr) == (code, "quire: locked.pdf: cannot be read: Permission denied\n")
