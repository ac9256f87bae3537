"""The tools over a store: a digital file, a scan, another script and a long book, of a named tenant."""

from __future__ import annotations

import io
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from PIL import Image

from quire.core.errors import QuireError, UsageError
from quire.mcp import tool_arguments as given
from quire.mcp.token_budget import tokens_in
from quire.mcp.tools import CallContext
from quire.service.api.tenant_views import DocumentId
from tests import bills, documents
from tests.unit.mcp.conftest import FILES, SCANNED, Shelf, add, tools_of

pytestmark = pytest.mark.processes
HERE = CallContext()


def ids(tools, **asked) -> list[str]:
    return [one.id for one in tools.list_or_add(given.DocumentsArguments(**asked), HERE).answer.documents]


def test_documents_are_listed_in_pages_of_a_list(shelf: Shelf):
    first = shelf.tools.list_or_add(given.DocumentsArguments(limit=3), HERE).answer
    assert first.next is not None
    rest = shelf.tools.list_or_add(given.DocumentsArguments(limit=100, cursor=first.next), HERE).answer
    listed = {one.name: one.id for one in (*first.documents, *rest.documents)}
    assert listed.items() >= shelf.ids.items()
    assert rest.next is None
    with pytest.raises(UsageError, match="begin again without it"):
        shelf.tools.list_or_add(given.DocumentsArguments(cursor="nonsense"), HERE)


def test_a_list_of_long_names_is_cut_to_what_fits(shelf: Shelf):
    small, names, cursor = replace(shelf.tools, max_tokens=200), [], None
    while not names or cursor is not None:
        answer = small.list_or_add(given.DocumentsArguments(limit=100, cursor=cursor), HERE).answer
        assert tokens_in(json.dumps(answer.to_json())) <= 200
        names += [one.name for one in answer.documents]
        cursor = answer.next
    assert {*names} >= {*FILES}


def test_a_document_is_added_once_and_its_pages_are_counted(shelf: Shelf):
    heard = []
    (shelf.folder / "files" / "again.pdf").write_bytes(documents.chapters(3))
    first = add(shelf.tools, "again.pdf", CallContext(lambda done, total: heard.append((done, total))))
    assert heard[-1] == (3, 3)
    assert add(shelf.tools, "again.pdf") == first


def test_a_file_that_two_add_at_once_is_one_document(shelf: Shelf):
    (shelf.folder / "files" / "twice.pdf").write_bytes(documents.chapters(7))
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: add(shelf.tools, "twice.pdf"), range(2))
    assert first == second


def test_a_file_that_is_no_document_says_why(shelf: Shelf):
    (shelf.folder / "files" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    asked = given.DocumentsArguments(action="add", path="broken.pdf")
    (line,) = shelf.tools.list_or_add(asked, HERE).answer.documents
    assert line.state == "failed"
    assert "not a PDF" in line.error
    with pytest.raises(UsageError, match=r"broken.pdf could not be read: .*not a PDF"):
        shelf.tools.read_pages(given.ReadPagesArguments(document=line.id), HERE)


def test_the_map_of_a_book_has_its_headings(shelf: Shelf):
    answer = shelf.tools.map(given.MapArguments(document=shelf.ids["book.pdf"], pages="298-"), HERE).answer
    assert answer.pages == 300
    assert [[one.text for one in page.headings] for page in answer.outline] == [
        ["Chapter 298"],
        ["Chapter 299"],
        ["Chapter 300"],
    ]


def test_a_book_of_300_pages_is_read_in_answers_that_fit(shelf: Shelf):
    tools, seen, cursor, answers = replace(shelf.tools, max_tokens=20_000), [], None, 0
    while answers == 0 or cursor is not None:
        result = tools.read_pages(given.ReadPagesArguments(document=shelf.ids["book.pdf"], cursor=cursor), HERE)
        assert tokens_in(json.dumps(result.answer.to_json(), ensure_ascii=False)) <= 20_000
        seen += [page.page for page in result.answer.texts]
        cursor, answers = result.answer.next, answers + 1
        assert bool(result.links) == (cursor is not None)
    assert [*dict.fromkeys(seen)] == list(range(1, 301))
    assert answers > 3


def test_a_scan_is_read_searched_and_quoted(shelf: Shelf):
    document = shelf.ids["slip.pdf"]
    (page,) = shelf.tools.read_pages(given.ReadPagesArguments(document=document), HERE).answer.texts
    assert page.read_by != "native"
    assert SCANNED in " ".join(one.text for one in page.blocks).replace("\n", " ")
    quoted = shelf.tools.check_quote(given.CheckQuoteArguments(document=document, quote=SCANNED, page=1), HERE).answer
    assert (quoted.result, quoted.page) == ("verified", 1)
    assert 0 < quoted.box[2] < 1
    found = shelf.tools.search(given.SearchArguments(query="pilots walk", document=document), HERE).answer
    assert (found.total, found.passages[0].page, found.passages[0].block) == (1, 1, quoted.block)


def test_arabic_is_read_and_quoted(shelf: Shelf):
    document = shelf.ids["arabic.pdf"]
    asked = given.CheckQuoteArguments(document=document, quote=documents.ARABIC)
    assert shelf.tools.check_quote(asked, HERE).answer.result == "verified"
    (page,) = shelf.tools.read_pages(given.ReadPagesArguments(document=document), HERE).answer.texts
    assert documents.ARABIC in page.blocks[0].text


def test_a_search_over_all_documents_finds_the_page(shelf: Shelf):
    def found():
        return shelf.tools.search(given.SearchArguments(query="North Quay vessels cargo", limit=5), HERE).answer

    answer = found()
    for _ in range(200):  # it is indexed after it was read, by a run that tells nobody here
        if any(one.name == "ledger.pdf" for one in answer.passages):
            break
        answer = found()
    hit = next(one for one in answer.passages if one.name == "ledger.pdf")
    assert (hit.document, hit.page) == (shelf.ids["ledger.pdf"], 1)
    empty = shelf.tools.search(given.SearchArguments(query="zzxxqq"), HERE).answer
    assert empty.note.startswith("nothing was found")


def test_a_table_has_its_rows_and_an_unknown_one_names_those_that_exist(shelf: Shelf):
    document = shelf.ids["ledger.pdf"]
    (page,) = shelf.tools.map(given.MapArguments(document=document), HERE).answer.outline
    (listed,) = page.tables
    answer = shelf.tools.table(given.TableArguments(document=document, table=listed.id), HERE).answer
    assert answer.columns == ["Port", "Vessels", "Cargo", "Share"]
    assert answer.rows[1][:2] == ["Easthaven", "412"]
    with pytest.raises(UsageError, match=rf"no table 'p9-b9'; its tables: {listed.id} \(page 1\)"):
        shelf.tools.table(given.TableArguments(document=document, table="p9-b9"), HERE)


def test_a_crop_is_a_part_unless_the_whole_page_is_asked_for(shelf: Shelf):
    document = shelf.ids["ledger.pdf"]
    part = shelf.tools.crop(given.CropArguments(document=document, block="p1-b2"), HERE)
    whole = shelf.tools.crop(given.CropArguments(document=document, page=1, whole_page=True), HERE)
    sizes = [Image.open(io.BytesIO(one.picture.data)).size for one in (part, whole)]
    assert sizes == [(one.answer.width, one.answer.height) for one in (part, whole)]
    assert max(sizes[1]) <= 1568
    assert sizes[0][1] < sizes[1][1] / 2
    for wrong in ({"page": 1}, {"box": [0, 0, 1, 1]}, {"page": 1, "block": "p1-b1", "whole_page": True}):
        with pytest.raises(UsageError, match="say what to crop"):
            shelf.tools.crop(given.CropArguments(document=document, **wrong), HERE)
    with pytest.raises(UsageError, match="is not on the page"):
        shelf.tools.crop(given.CropArguments(document=document, page=1, box=[1.5, 0, 1, 1]), HERE)
    with pytest.raises(UsageError, match="no block 'p7-b7'"):
        shelf.tools.crop(given.CropArguments(document=document, block="p7-b7"), HERE)


def test_values_come_with_their_evidence_and_are_extracted_once(shelf: Shelf):
    (shelf.folder / "files" / "bill.pdf").write_bytes(bills.bill())
    document = add(shelf.tools, "bill.pdf")
    asked = given.ExtractArguments(document=document, schema=bills.SCHEMA)
    answer = shelf.tools.extract(asked, HERE).answer
    assert (answer.state, answer.document) == ("finished", document)
    values = {one.path: one for one in answer.values}
    found = next(one for one in values.values() if one.status == "found")
    assert found.page is not None and found.box is not None and found.quote
    assert shelf.tools.extract(asked, HERE).answer == answer
    names = [one.name for one in shelf.tools.list_or_add(given.DocumentsArguments(limit=50), HERE).answer.documents]
    assert names.count("bill.pdf") == 1
    with pytest.raises(UsageError, match="and not both"):
        shelf.tools.extract(given.ExtractArguments(document=document), HERE)
    with pytest.raises(UsageError, match="schema: "):
        shelf.tools.extract(given.ExtractArguments(document=document, schema={"type": "nonsense"}), HERE)


@pytest.mark.parametrize("page", ["301", "400-500"])
def test_a_page_that_is_not_there_is_answered_with_the_number_of_pages(shelf: Shelf, page):
    asked = given.ReadPagesArguments(document=shelf.ids["book.pdf"], pages=page)
    with pytest.raises(UsageError, match="the document has 300 pages"):
        shelf.tools.read_pages(asked, HERE)


@pytest.mark.parametrize("id", ["nonsense", "1.1", "../../api/runs", "a.1?x=1", "0" * 300])
def test_an_unknown_document_is_answered_with_those_that_exist(shelf: Shelf, id):
    with pytest.raises(UsageError, match=r"there is no document .* known documents: .*\.pdf"):
        shelf.tools.map(given.MapArguments(document=id), HERE)


def every_tool(tools, id: str):
    """A call of each tool about a document."""
    yield lambda: tools.list_or_add(given.DocumentsArguments(action="get", document=id), HERE)
    yield lambda: tools.map(given.MapArguments(document=id), HERE)
    yield lambda: tools.read_pages(given.ReadPagesArguments(document=id), HERE)
    yield lambda: tools.search(given.SearchArguments(query="harbour", document=id), HERE)
    yield lambda: tools.table(given.TableArguments(document=id, table="p1-b2"), HERE)
    yield lambda: tools.crop(given.CropArguments(document=id, page=1, whole_page=True), HERE)
    yield lambda: tools.extract(given.ExtractArguments(document=id, fields=["total"]), HERE)
    yield lambda: tools.check_quote(given.CheckQuoteArguments(document=id, quote="harbour"), HERE)


def test_a_tenant_sees_nothing_of_another_even_by_id(shelf: Shelf):
    """The other one is the default tenant, and then one with a name."""
    document = shelf.ids["ledger.pdf"]
    assert DocumentId.parse(document)
    for tenant in (None, "team south"):
        with tools_of(shelf.folder, tenant) as tools:
            assert ids(tools) == []
            assert tools.search(given.SearchArguments(query="harbour"), HERE).answer.passages == []
            for call in every_tool(tools, document):
                with pytest.raises(UsageError, match="known documents: none yet"):
                    call()


def test_without_write_nothing_is_added(shelf: Shelf):
    reading = replace(shelf.tools, write=False)
    for asked in ({"path": "ledger.pdf"}, {"name": "x.pdf"}):
        with pytest.raises(UsageError, match="read-only"):
            reading.list_or_add(given.DocumentsArguments(action="add", **asked), HERE)
    assert {*FILES} <= {one.name for one in reading.list_or_add(given.DocumentsArguments(), HERE).answer.documents}


def test_paths_outside_of_the_folders_are_refused(shelf: Shelf):
    for path in ("../store/facts.db", "/etc/passwd"):
        with pytest.raises(QuireError, match="not inside of the allowed folders"):
            shelf.tools.list_or_add(given.DocumentsArguments(action="add", path=path), HERE)
    with pytest.raises(UsageError, match="add needs `path`"):
        shelf.tools.list_or_add(given.DocumentsArguments(action="add"), HERE)


def test_work_that_takes_long_is_answered_before_its_end(shelf: Shelf):
    """Then the same call, or a look at the document, tells the rest."""
    (shelf.folder / "files" / "long.pdf").write_bytes(documents.many_pages(60))
    hasty = replace(shelf.tools, wait_s=0.0)
    answer = hasty.list_or_add(given.DocumentsArguments(action="add", path="long.pdf"), HERE).answer
    (line,) = answer.documents
    assert line.state in ("waiting", "running")
    assert "action get" in answer.note
    with pytest.raises(UsageError, match="it is not read yet"):
        shelf.tools.map(given.MapArguments(document=line.id), HERE)
    assert add(shelf.tools, "long.pdf") == line.id
