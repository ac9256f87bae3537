"""Runs in the browser: files and URLs in, progress by page, lost connections, cancelling, failures."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from quire.core.events import Event
from tests import documents
from tests.unit.service.api.conftest import serving
from tests.unit.service.web.conftest import drawn
from tests.unit.service.web.test_accessible import RUN


def events(run, document, pages, *, total=4):
    yield Event(f"{run}/read/started", run, 0, "started", "read", document, payload={"pages": total})
    for number in pages:
        yield Event(f"{run}/page/{number}", run, 0, "finished", "page-blocks", document, number, payload={"ms": 1.0})


def test_a_dropped_file_is_read_and_opens(page, server):
    page.goto(server.url)
    data = page.evaluate_handle(
        """(bytes) => {
          const carried = new DataTransfer();
          carried.items.add(new File([new Uint8Array(bytes)], "dropped.pdf", { type: "application/pdf" }));
          return carried;
        }""",
        list(documents.simple(3)),
    )
    page.dispatch_event(".drop", "dragover", {"dataTransfer": data})
    expect(page.locator(".drop")).to_have_class("drop over")
    page.dispatch_event(".drop", "drop", {"dataTransfer": data})
    row = page.locator(".document", has_text="dropped.pdf")
    expect(row).to_have_attribute("data-state", "finished")
    expect(row.locator(".column-pages")).to_have_text("3")
    expect(row.locator(".thumbnail")).to_be_visible()
    row.get_by_role("link").click()
    drawn(page, 1)


def test_files_are_chosen_with_options(page, server):
    page.goto(server.url)
    page.get_by_text("Options").click()
    page.get_by_label("Pages").fill("2-3")
    file = {"name": "chosen.pdf", "mimeType": "application/pdf", "buffer": documents.simple(5)}
    page.set_input_files("#picker", [file])
    row = page.locator(".document", has_text="chosen.pdf")
    expect(row).to_have_attribute("data-state", "finished")
    row.get_by_role("link").click()
    expect(page.locator(".frame")).to_have_count(2)
    expect(page.get_by_role("spinbutton", name="Page")).to_have_value("2")


def test_a_url_is_submitted_and_a_bad_one_is_refused_at_once(page, idle):
    page.goto(idle.url)
    page.get_by_label("or by URL").fill("file:///etc/passwd")
    page.keyboard.press("Enter")
    expect(page.locator(".notice.error")).to_contain_text("http")
    page.get_by_label("or by URL").fill("https://example.org/report.pdf")
    page.keyboard.press("Enter")
    expect(page.locator(".document", has_text="https://example.org/report.pdf")).to_contain_text("Waiting")


def test_progress_by_page_goes_on_after_a_lost_connection(page, idle):
    run = idle.post(("slow.pdf", documents.simple())).json
    document, id = run["documents"][0]["sha256"], run["id"]
    idle.runs.append(id, list(events(id, document, [1])))
    asked = []

    def stumble(route):
        asked.append(route.request.headers.get("last-event-id"))
        if len(asked) > 1:
            route.continue_()
            return
        body = "".join(
            f'id: {at}\nevent: x\ndata: {{"sequence": {at}, "stage": "{stage}", "kind": "{kind}", '
            f'"document": "{document}", "page": {page}, "payload": {{"pages": 4}}}}\n\n'
            for at, stage, kind, page in ((1, "read", "started", "null"), (2, "page-blocks", "finished", "1"))
        )
        route.fulfill(status=200, content_type="text/event-stream", body=body)

    page.route(f"**/api/runs/{id}/events", stumble)
    page.goto(idle.url)
    row = page.locator(".document", has_text="slow.pdf")
    expect(row).to_contain_text("1 of 4 pages")
    idle.runs.append(id, list(events(id, document, [2, 3])))
    expect(row).to_contain_text("3 of 4 pages")
    assert asked == [None, "2"], "the second connection continues after the last event"
    row.get_by_role("link").click()
    expect(page.locator(".waiting-card")).to_contain_text("3 of 4 pages")
    expect(page.locator(".frame[data-status=done]")).to_have_count(3)
    expect(page.locator(".frame[data-status=waiting]")).to_have_count(1)
    idle.runs.finish(id, "cancelled", error="the run was cancelled")
    expect(page.locator(".empty.failed")).to_contain_text("Read it again")


def test_a_run_is_cancelled(page, idle):
    idle.post(("endless.pdf", documents.simple()))
    page.goto(idle.url)
    row = page.locator(".document", has_text="endless.pdf")
    row.get_by_role("button", name="Cancel").click()
    expect(row).to_have_attribute("data-state", "cancelled")
    expect(row.locator(".advice")).to_contain_text("Read it again")
    expect(page.locator(".notice")).to_contain_text("cancelled")


def test_a_document_that_failed_says_why_and_what_to_do(page, server):
    server.read(documents.encrypted(), "locked.pdf")
    page.goto(server.url)
    row = page.locator(".document", has_text="locked.pdf")
    expect(row.locator(".reason")).to_contain_text("encrypted")
    expect(row.locator(".advice")).to_contain_text("without its password")


def test_a_page_that_failed_says_why(page, server, half_damaged, complaints):
    document = server.read(half_damaged, "half.tiff")
    page.goto(f"{server.url}/#/documents/{document}?page=2")
    expect(page.locator(".sheet[data-page='2'] .sheet-message")).to_contain_text("damaged")
    expect(page.locator(".frame[data-status=failed]")).to_have_count(1)
    page.get_by_role("button", name="1 page failed").click()
    expect(page.locator(".panel .reason")).to_contain_text("damaged")
    assert all("422" in said for said in complaints), "the picture of the page"
    complaints.clear()


def test_a_document_that_is_gone_and_a_server_that_is_away(page, server, complaints):
    page.goto(f"{server.url}/#/documents/nothing-1.1")
    expect(page.locator(".empty.failed")).to_contain_text("there is no document")
    page.route("**/api/runs*", lambda route: route.abort())
    page.get_by_role("link", name="All documents", exact=True).click()
    expect(page.locator(".trouble")).to_contain_text("cannot be reached")
    page.unroute("**/api/runs*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".trouble")).to_be_hidden()
    complaints.clear()


def test_an_empty_server_says_what_to_do(page, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("empty"), idle=True) as empty:
        page.goto(empty.url)
        expect(page.locator(".empty")).to_contain_text("Nothing was read yet")


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """A server with documents in several states."""
    with serving(tmp_path_factory.mktemp("listed")) as running:
        for name, data in (
            ("b 10.pdf", documents.simple(1)),
            ("b 9.pdf", documents.simple(3)),
            ("a.pdf", documents.simple(2)),
            ("broken.pdf", b"%PDF-1.7 no document"),
        ):
            running.read(data, name)
        yield running


def names(page) -> list[str]:
    return page.locator("tr.document .name").all_inner_texts()


def test_documents_are_sorted_by_a_column(page, listed):
    page.goto(listed.url)
    expect(page.locator("tr.document")).to_have_count(4)
    assert names(page) == ["broken.pdf", "a.pdf", "b 9.pdf", "b 10.pdf"], "the latest first"
    page.get_by_role("button", name="Name").click()
    assert names(page) == ["a.pdf", "b 9.pdf", "b 10.pdf", "broken.pdf"]
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Name")
    page.get_by_role("button", name="Name").click()
    assert names(page)[0] == "broken.pdf"
    page.get_by_role("button", name="Pages").click()
    assert names(page)[0] == "b 9.pdf"
    page.get_by_role("button", name="State").click()
    assert names(page)[0] == "broken.pdf"


def test_documents_are_filtered_by_name_and_state_also_the_older_ones(page, listed):
    page.route("**/api/runs?limit=30", lambda route: route.continue_(url=route.request.url.replace("=30", "=1")))
    page.goto(listed.url)
    expect(page.get_by_role("button", name="Show older")).to_be_visible()
    assert names(page) == ["broken.pdf"]
    page.get_by_label("Filter by name").fill("B 1")
    expect(page.locator(".list-status")).to_have_text("1 of 4")
    assert names(page) == ["b 10.pdf"]
    page.get_by_label("Filter by name").fill("")
    page.get_by_label("State", exact=True).select_option("Failed")
    expect(page.locator("tr.document")).to_have_count(1)
    assert names(page) == ["broken.pdf"]


def test_a_document_that_failed_is_read_again(page, server):
    server.read(b"%PDF-1.7 no document", "twice.pdf")
    page.goto(server.url)
    page.get_by_role("button", name="Read again twice.pdf").click()
    expect(page.locator(".notice")).to_contain_text("twice.pdf is read again")
    expect(page.locator("tr.document", has_text="twice.pdf")).to_have_count(2)


def test_a_document_is_deleted_after_a_confirmation(page, server, axe):
    document = server.read(documents.placed([documents.Piece(60, 80, "Quillfeather")]), "to-delete.pdf")
    page.goto(server.url)
    row = page.locator("tr.document", has_text="to-delete.pdf")
    expect(row.locator(".thumbnail")).to_be_visible()  # a picture that is under way would not be found any more
    row.get_by_role("button", name="Delete to-delete.pdf").click()
    asked = page.get_by_role("dialog", name="Delete to-delete.pdf?")
    expect(asked).to_contain_text("reviews and samples")
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    page.keyboard.press("Enter")
    expect(asked).to_be_hidden()
    assert server.get(f"/api/documents/{document}").status == 200, "the first key keeps it"
    row.get_by_role("button", name="Delete to-delete.pdf").click()
    asked.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".notice")).to_contain_text("to-delete.pdf is deleted")
    expect(row).to_have_count(0)
    assert server.get(f"/api/documents/{document}").status == 404


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server that takes small files."""
    with serving(tmp_path_factory.mktemp("small"), idle=True, max_file_bytes=20_000) as running:
        yield running


def test_a_file_that_cannot_be_sent_says_why_and_can_be_tried_again(page, small, complaints):
    page.goto(small.url)

    def send(name: str, data: bytes) -> None:
        page.set_input_files("#picker", [{"name": name, "mimeType": "application/pdf", "buffer": data}])

    failed = page.locator(".upload.failed")
    send("large.pdf", bytes(30_000))
    expect(failed).to_contain_text("this server takes 20 KB")
    page.get_by_role("button", name="Remove: large.pdf").click()
    send("empty.pdf", b"")
    expect(failed).to_contain_text("The file is empty")
    page.get_by_role("button", name="Remove: empty.pdf").click()
    page.route("**/api/runs", lambda route: route.fulfill(status=413, body="<html>nginx</html>"))
    send("again.pdf", documents.simple(1))
    expect(failed).to_contain_text("a proxy in front of the server")
    page.unroute("**/api/runs")
    page.route("**/api/runs", lambda route: route.abort("connectionreset"))
    page.get_by_role("button", name="Try again: again.pdf").click()
    expect(failed).to_contain_text("The server hung up")
    page.route("**/api/extract", lambda route: route.abort("connectionrefused"))
    page.get_by_role("button", name="Try again: again.pdf").click()
    expect(failed).to_contain_text("The server cannot be reached")
    page.unroute("**/api/runs")
    page.get_by_role("button", name="Try again: again.pdf").click()
    expect(page.locator("tr.document", has_text="again.pdf")).to_be_visible()
    expect(failed).to_have_count(0)
    complaints.clear()  # the browser reports every failed request


def test_a_file_that_was_deleted_since_it_was_chosen_says_so(page, small, tmp_path, complaints):
    file = tmp_path / "gone.pdf"
    file.write_bytes(documents.simple(1))
    page.goto(small.url)
    page.route("**/api/extract", lambda route: (file.unlink(), route.continue_()))
    page.set_input_files("#picker", file)
    expect(page.locator(".upload.failed")).to_contain_text("cannot be read any more")
    complaints.clear()
