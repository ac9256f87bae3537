"""The database server of a run is gone for good: the run ends soon when asked to, says why, and can be gone on with."""

from __future__ import annotations

import signal

import pytest

from quire.core.errors import StoreError
from tests import scans
from tests.conftest import running
from tests.fakes.engines import said_of
from tests.runtime.tracking import wait_until
from tests.servers import postgres

DOCUMENTS = 4
RECONNECT_S = 6.0
"""How long a run waits for its server where that is what the test waits for."""
IMPATIENT = f"""
from quire.database import postgres_connections
postgres_connections.RECONNECT_S = {RECONNECT_S}
from quire.cli.app import app
app()
"""


@pytest.fixture(scope="module")
def server(postgres_server):
    """A server of its own: others of this process, and their leases, live on the shared one."""
    with running(postgres.PostgresServer()) as own:
        yield own


@pytest.fixture(params=[("-m", "quire")])
def gone(request, stranger, tmp_path, server):
    """A batch whose server is killed while the engine works on its first document."""
    engine = stranger("wait", 1)
    (tmp_path / "in").mkdir()
    for number in range(1, DOCUMENTS + 1):
        (tmp_path / "in" / f"{number}.pdf").write_bytes(scans.scanned(scans.numbered_sheet(number)))
    arguments = [*request.param, "run", tmp_path / "in", "-o", tmp_path / "out", "--store", tmp_path / "store"]
    arguments += ["--facts", server.create(), "--engine", "stranger", "--workers", "1"]

    class Gone:
        process = engine.program(*arguments)

        def again(self):
            server.start()
            return engine.run(*arguments)

    run = Gone()
    wait_until(lambda: engine.waiting > 0 or run.process.poll() is not None, "it does not begin")
    assert run.process.poll() is None, run.process.stderr.read()
    server.kill()
    engine.mend()
    yield run
    if run.process.poll() is None:
        run.process.kill()
    run.process.communicate()
    server.start()  # the next test uses it


def test_a_run_whose_database_is_gone_ends_soon_after_sigterm_and_says_what_to_do(gone, tmp_path):
    gone.process.send_signal(signal.SIGTERM)
    _, said = gone.process.communicate(timeout=15)  # the server is waited for longer than that otherwise
    assert gone.process.returncode == StoreError.exit_code, said
    assert "the database postgresql://quire@127.0.0.1:" in said and "check that the server runs" in said
    assert "PASSWORD" not in said and "Traceback" not in said

    again = gone.again()
    assert again.returncode == 0, again.stderr
    assert {path.read_text().strip() for path in (tmp_path / "out").glob("*.md")} == {
        said_of(number) for number in range(1, DOCUMENTS + 1)
    }


@pytest.mark.parametrize("gone", [("-c", IMPATIENT)], ids=["impatient"], indirect=True)
def test_a_run_whose_database_is_gone_does_not_wait_for_it_again_for_each_statement(gone):
    _, said = gone.process.communicate(timeout=3 * RECONNECT_S)
    assert gone.process.returncode == StoreError.exit_code, said
    assert "check that the server runs" in said
    assert "PASSWORD" not in said and "Traceback" not in said
