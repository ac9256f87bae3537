"""Documents over HTTP: pages, pictures, exports, search; stored bytes with their digest as ETag."""

from __future__ import annotations

import pytest
from PIL import Image

import quire
from quire.core.keys import digest_bytes
from quire.durable.deletion import delete_documents
from quire.store.scoped import scope_of
from tests import documents
from tests.unit.durable.views.test_views import RED, red_on_a_turned_page
from tests.unit.service.api.conftest import TENANT

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def table(server):
    return f"/api/documents/{server.read(documents.ruled_table(), 'prices.pdf')}"


def test_a_document_lists_its_pages(server):
    answer = server.get(f"/api/documents/{server.read(documents.simple(3), options={'pages': '2-3'})}")
    assert [page["number"] for page in answer.json["page_list"]] == [2, 3]
    page = answer.json["page_list"][0]
    assert (page["status"], page["engine"], page["attempts"], page["has_image"]) == ("ok", "native", 0, True)
    assert (page["width"], page["height"]) == pytest.approx((595, 842), abs=1)


def test_a_page_says_how_it_was_read(server, table):
    view = server.get(f"{table}/pages/1").json
    assert view["path"] == []
    assert {"native-text", "page-blocks"} <= {event["stage"] for event in view["events"]}
    assert all(set(event) == {"stage", "kind", "ms", "hit"} for event in view["events"])
    assert "words" in server.get(f"{table}/pages/1?words=1").json["blocks"][0]


@pytest.mark.parametrize("path", ["", "/pages/1", "/pages/1/image?dpi=50", "/exports/md", "/tables", "/ledger"])
def test_the_etag_saves_the_second_transfer(server, table, path):
    first = server.get(table + path)
    assert first.headers["ETag"] == f'"{digest_bytes(first.body)}"'
    again = server.get(table + path, If_None_Match=f'"other", W/{first.headers["ETag"]}')
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert server.get(table + path, If_None_Match='"other"').body == first.body


def test_a_picture_may_be_kept_for_good_but_only_by_its_client(server, table):
    cache = server.get(f"{table}/pages/1/image?dpi=50").headers["Cache-Control"]
    assert "private" in cache and "immutable" in cache


def test_a_crop_shows_its_box_on_a_turned_and_cropped_page(server):
    document = server.read(red_on_a_turned_page())
    path = f"/api/documents/{document}/pages/1"
    box = f"{RED.left},{RED.top},{RED.width},{RED.height}"
    crop = server.get(f"{path}/crop?box={box}&dpi=72")
    assert crop.headers["Content-Type"] == "image/png"
    assert crop.picture.getcolors() == [(60 * 50, (255, 0, 0))]
    page = server.get(f"{path}/image?dpi=72").picture
    assert page.size == (500, 400)
    left, top, right, bottom = Image.eval(page.getchannel("G"), lambda value: 255 - value).getbbox()
    assert (left, top, right, bottom) == pytest.approx((400, 50, 460, 100), abs=1)


def test_crops_leave_nothing_in_the_store_however_many_are_asked_for(server, table):
    rows = server.service.store.database.rows
    first = server.get(f"{table}/pages/1/crop?box=0,0,0.5,0.5")
    stored = rows("SELECT count(*), sum(size) FROM facts")
    for number in range(12):
        assert server.get(f"{table}/pages/1/crop?box=0,0,0.5,0.{50 + number}1&dpi={40 + number}").status == 200
    server.service.store.flush()
    assert rows("SELECT count(*), sum(size) FROM facts") == stored
    again = server.get(f"{table}/pages/1/crop?box=0,0,0.5,0.5", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "box", ["", "1", "0,0,1", "a,b,c,d", "0,0,0,0", "-0.1,0,1,1", "0.5,0,0.6,1", "nan,0,1,1", "0,0,inf,1", "0,0,1,1,1"]
)
def test_a_box_that_is_no_part_of_the_page_is_refused(server, table, box):
    answer = server.get(f"{table}/pages/1/crop?box={box}")
    assert answer.status == 422
    assert "box" in answer.json["detail"]


@pytest.mark.parametrize("rest", ["/pages/0", "/pages/x", "/pages/1/image?dpi=19", "/pages/1/image?dpi=301", "/search"])
def test_wrong_parameters_are_refused(server, table, rest):
    assert server.get(table + rest).status == 422


@pytest.mark.parametrize(
    "rest", ["/pages/9", "/pages/9/image", "/pages/9/crop?box=0,0,1,1", "/exports/doc", "/tables/p9-b9", "/nothing"]
)
def test_what_a_document_does_not_have_is_not_found(server, table, rest):
    answer = server.get(table + rest)
    assert answer.status == 404
    if rest.startswith("/pages"):
        assert (answer.json["detail"], answer.json["page"]) == ("page 9 of prices.pdf was not read", 9)


def test_an_export_is_a_file_to_download(server, table):
    answer = server.get(f"{table}/exports/md")
    assert answer.body.decode() == quire.read(documents.ruled_table()).to_markdown()
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="prices.md"')
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    assert server.get(f"{table}/exports/csv").headers["Content-Type"] == "application/zip"


def test_a_table_is_a_file_in_each_format(server, table):
    (row,) = server.get(f"{table}/tables").json
    kinds = {to: server.get(f"{table}/tables/{row['block']}?to={to}").headers["Content-Type"] for to in ("csv", "json")}
    assert kinds == {"csv": "text/csv; charset=utf-8", "json": "application/json"}
    assert server.get(f"{table}/tables/{row['block']}?to=pdf").status == 422


def test_search_finds_a_text(server, table):
    word = quire.read(documents.ruled_table()).tables[0].table.cells[0].text
    found = server.get(f"{table}/search?q={word.upper().replace(' ', '%20')}").json
    assert found["total"] >= 1
    assert found["hits"][0]["page"] == 1
    assert server.get(f"{table}/search?q=%20").status == 422


def test_a_page_that_failed_says_why(server, half_damaged):
    document = server.read(half_damaged, "scan.tiff", options={"ocr": "never"})
    path = f"/api/documents/{document}"
    ledger = server.get(path).json["ledger"]
    assert ledger == {"pages": 2, "ok": 0, "empty": 0, "failed": 1, "skipped": 1, "left_out": 0}
    _, failed = server.get(f"{path}/ledger").json["pages"]
    assert failed["status"] == "failed" and "damaged" in failed["reason"]
    assert server.get(f"{path}/pages/2").json["page"]["reason"] == failed["reason"]
    assert server.get(f"{path}/pages/1/image?dpi=30").status == 200
    image = server.get(f"{path}/pages/2/image?dpi=30")
    assert image.status == 422
    assert (image.json["page"], image.json["category"], image.json["document"]) == (2, "input", document)
    assert "damaged" in image.json["detail"]


def test_a_deleted_document_is_not_found_and_says_why(server):
    document = server.read(documents.footnotes(), "gone.pdf")
    path = f"/api/documents/{document}"
    assert server.get(f"{path}/pages/1").status == 200
    delete_documents(server.service.store, [server.get(path).json["sha256"]], scopes=[scope_of(TENANT)])
    for rest in ("", "/pages/1", "/pages/1/image", "/exports/md", "/search?q=a", "/tables"):
        answer = server.get(path + rest)
        assert answer.status == 404, rest
        assert "deleted" in answer.json["detail"]
