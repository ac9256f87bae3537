"""A real Jupyter kernel, whose cells run in a thread with a running event loop."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tests.docs.pages import ROOT, code_blocks

pytestmark = pytest.mark.processes

TIMEOUT_S = 60

SIGNS = """
import threading
import quire
from quire.pipeline import Pipeline, cancelled, recognizer

@recognizer
def sign(picture, question):
    return "a sign"
"""


@dataclass
class Cell:
    """What a cell printed, the richest form of what it displays, and the name of the error that ended it."""

    printed: str = ""
    shown: dict[str, str] = field(default_factory=dict)
    error: str = ""

    def note(self, message: dict) -> None:
        content = message["content"]
        match message["msg_type"]:
            case "stream":
                self.printed += content["text"]
            case "execute_result":
                self.shown = content["data"]
            case "error":
                self.error = f"{content['ename']}: {content['evalue']}"


class Notebook:
    """Runs cells in a kernel, one after the other."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self._manager, self._client = manager, client

    def run(self, code: str, *, interrupt_at: str = "") -> Cell:
        """Run a cell, and interrupt the kernel when the cell has printed `interrupt_at`."""
        cell = Cell()

        def noted(message: dict) -> None:
            before = interrupt_at and interrupt_at in cell.printed
            cell.note(message)
            if interrupt_at and not before and interrupt_at in cell.printed:
                self._manager.interrupt_kernel()

        self._client.execute_interactive(code, timeout=TIMEOUT_S, output_hook=noted)
        return cell


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    desk = tmp_path_factory.mktemp("desk")
    (desk / "examples").mkdir()
    for name in ("sample.pdf", "scan.png"):
        shutil.copy(ROOT / "examples" / name, desk / "examples" / name)
    with pytest.MonkeyPatch.context() as patch:
        for place in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(place, str(desk / place.lower()))
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel(cwd=str(desk))
        client = manager.client()
        try:
            client.start_channels()
            client.wait_for_ready(timeout=TIMEOUT_S)
            yield Notebook(manager, client)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def test_the_first_python_of_the_readme_runs(notebook: Notebook) -> None:
    first = next(code_blocks(ROOT / "README.md", "python"))
    cell = notebook.run(first.code)
    assert cell.error == ""
    assert "1 title" in cell.printed
    assert "image/png" in cell.shown, "the picture of the page is displayed"


def test_results_are_displayed_as_what_they_are(notebook: Notebook) -> None:
    result = notebook.run("import quire\nresult = quire.read('examples/sample.pdf', pages='3')\nresult")
    table = notebook.run("result.tables[0].table")
    page = notebook.run("quire.Document.load('examples/sample.pdf').page(1)")
    assert result.shown["text/markdown"].startswith("**sample.pdf** · 1 page ·")
    assert "<td>Tickets</td>" in table.shown["text/html"]
    assert "image/png" in page.shown
    assert all(len(cell.shown["text/plain"]) <= 120 for cell in (result, table, page))


def test_stream_yields_pages_and_can_be_left_early(notebook: Notebook) -> None:
    cell = notebook.run("""
import quire
for page in quire.stream("examples/sample.pdf"):
    print(page.number)
    if page.number == 2:
        break
""")
    assert (cell.error, cell.printed.split()) == ("", ["1", "2"])


def test_a_scan_is_read(notebook: Notebook) -> None:
    cell = notebook.run("import quire\nquire.read('examples/scan.png', workers=1).blocks[0].text")
    assert cell.error == ""
    assert "Delivery note" in cell.shown["text/plain"]


def test_pipelines_run(notebook: Notebook) -> None:
    cell = notebook.run(SIGNS + "Pipeline(sign)('examples/scan.png').blocks[0].text")
    assert (cell.error, cell.shown.get("text/plain")) == ("", "'a sign'")


def test_flows_run(notebook: Notebook) -> None:
    cell = notebook.run("import quire\nsorted(quire.Flow.load('read').run('examples/sample.pdf', workers=1).files)")
    assert (cell.error, cell.shown.get("text/plain")) == ("", "['sample.md']")


def test_aread_can_be_awaited(notebook: Notebook) -> None:
    cell = notebook.run("import quire\n(await quire.aread('examples/sample.pdf')).status")
    assert (cell.error, cell.shown.get("text/plain")) == ("", "'complete'")


def test_a_coroutine_of_a_notebook_may_call_read(notebook: Notebook) -> None:
    cell = notebook.run("""
import quire
async def status():
    return quire.read("examples/sample.pdf").status
await status()
""")
    assert (cell.error, cell.shown.get("text/plain")) == ("", "'complete'")


@pytest.mark.parametrize(
    "work",
    [
        "quire.read('examples/sample.pdf', on_event=wait)",
        "list(quire.stream('examples/sample.pdf', on_event=wait))",
        "Pipeline(slow)('examples/scan.png')",
    ],
)
def test_an_interrupted_cell_stops_the_work_and_the_next_one_reads(notebook: Notebook, work: str) -> None:
    cell = notebook.run(
        SIGNS
        + f"""
def wait(event):
    print("at work", flush=True)
    threading.Event().wait()

ended = threading.Event()

@recognizer
def slow(picture, question):
    print("at work", flush=True)
    while not cancelled():
        pass
    ended.set()
    return "late"

{work}
""",
        interrupt_at="at work",
    )
    assert cell.error.startswith("KeyboardInterrupt")
    after = notebook.run(f"""
assert "slow" not in {work!r} or ended.wait(60)
for thread in threading.enumerate():
    if thread.name.startswith(("quire-page", "quire-regions")):
        thread.join(60)
        assert not thread.is_alive(), thread
quire.read("examples/sample.pdf").status
""")
    assert (after.error, after.shown.get("text/plain")) == ("", "'complete'")
