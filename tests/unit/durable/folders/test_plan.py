"""The plan of a batch: done, stale with a reason, missing, in quarantine, unreadable."""

from __future__ import annotations

import linecache
import os
import sys

import pytest

from quire.batch import StageOptions
from quire.core.errors import UsageError
from quire.core.table_areas import PatternArea, TableArea
from quire.database.quarantine import Quarantine, Quarantined
from quire.durable.flows.components import EXPORT
from quire.durable.folders.batch_request import BatchRequest, Shard
from quire.durable.folders.batch_workflow import run_batch
from quire.durable.folders.document_work import difference
from quire.durable.folders.plan import plan_batch
from quire.store.files import FileStore
from tests.changed_code import change_code
from tests.fakes.formats import OtherPackage
from tests.unit.durable.folders.folders import Desk

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(tmp_path):
    with FileStore(tmp_path / "store") as store:
        yield Desk(tmp_path, store)


def age(path):
    """As if it had been written long ago: a file that was just written is not trusted."""
    os.utime(path, (1e9, 1e9))


@pytest.mark.slow
def test_a_new_document_is_missing_and_then_done(desk):
    desk.write("a.pdf")
    desk.write("deep/b.pdf")
    assert desk.plan() == {"a.pdf": ("missing", ""), "deep/b.pdf": ("missing", "")}
    desk.run()
    assert desk.plan() == {"a.pdf": ("done", ""), "deep/b.pdf": ("done", "")}


def test_a_document_whose_areas_have_changed_is_stale(desk):
    path = desk.write("a.pdf")
    beside = path.with_name("a.pdf.quire.toml")
    none, words = TableArea(tables="none"), TableArea(tables="words")
    desk.run()
    beside.write_text('[[area]]\ntables = "none"\n')
    assert desk.plan() == {"a.pdf": ("stale", "the areas of its tables have changed")}
    desk.run()
    assert desk.plan() == {"a.pdf": ("done", "")}
    assert desk.plan(areas=(PatternArea("*.pdf", words),)) == {
        "a.pdf": ("stale", "the areas of its tables have changed")
    }
    beside.unlink()
    assert desk.plan(areas=(PatternArea("*.pdf", none),)) == {"a.pdf": ("done", "")}
    beside.write_text("area = 3\n")
    assert desk.plan() == {"a.pdf": ("error", f"{beside}: areas are a list: write [[area]], with two brackets")}


def test_a_changed_document_is_stale(desk):
    desk.write("a.pdf")
    desk.run()
    desk.write("a.pdf", "something else")
    assert desk.plan() == {"a.pdf": ("stale", "the document has changed")}


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"formats": ("md", "json")}, "formats was md and is md, json"),
        ({"inputs": {"ocr": "always"}}, "ocr was not set and is always"),
        ({"flow": "read-text"}, "the flow was read and is read-text"),
    ],
)
def test_other_settings_make_it_stale_and_say_which(desk, asked, reason):
    desk.write("a.pdf")
    desk.run()
    assert desk.plan(**asked) == {"a.pdf": ("stale", reason)}


def test_a_new_version_of_a_format_of_another_package_makes_it_stale(desk, tmp_path, monkeypatch):
    package = OtherPackage(tmp_path / "packages", monkeypatch)
    desk.write("a.pdf")
    desk.run(formats=("md", "outline"))
    assert desk.plan(formats=("md", "outline")) == {"a.pdf": ("done", "")}
    package.update("2")
    assert desk.plan(formats=("md", "outline")) == {"a.pdf": ("stale", "the format outline was 1 and is 2")}


def test_built_in_formats_add_nothing_to_the_versions(desk):
    desk.write("a.pdf")
    settings = plan_batch(desk.request(formats=("md", "pdf")), desk.store.database).asked.settings
    assert settings["versions"]["files"] == EXPORT.version
    assert not [part for part in settings["parts"] if part.startswith("format ")]


def test_settings_of_the_run_do_not(desk):
    desk.write("a.pdf")
    desk.run()
    options = {"retries": 5, "retry_backoff_s": 3.0, "workers": 1, "per_item_timeout_s": 99.0, "schedule": "ljf"}
    assert desk.plan(options=options) == {"a.pdf": ("done", "")}


def test_a_flow_of_the_same_name_with_other_steps_makes_it_stale(desk, tmp_path):
    flow = """
name: mine
inputs: {source: {type: document}, formats: {type: list, items: {type: string}, default: [md]}}
steps:
  - {id: document, component: read, input: {source: {$input: source}}, options: {ocr: OCR}}
output: {document: {$step: document}}
"""
    path = tmp_path / "mine.yaml"
    path.write_text(flow.replace("OCR", "auto"))
    desk.write("a.pdf")
    desk.run(flow=str(path))
    assert desk.plan(flow=str(path)) == {"a.pdf": ("done", "")}
    path.write_text(flow.replace("OCR", "always"))
    assert desk.plan(flow=str(path)) == {"a.pdf": ("stale", "the steps of the flow mine have changed")}


def test_another_version_of_what_reads_makes_it_stale(desk, tmp_path, monkeypatch):
    desk.write("a.pdf")
    desk.run()
    change_code(monkeypatch, tmp_path, "pages/assemble/headings.py")
    assert desk.plan() == {"a.pdf": ("stale", "the assembly of Quire has changed")}


MINE = """
import quire

@quire.component
def shout(document) -> str:
    return document.text.upper()
"""
FLOW = """
name: mine
inputs: {source: {type: document}, formats: {type: list, items: {type: string}, default: [md]}}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - {id: loud, component: "my_shouting:shout", input: {document: {$step: document}}}
output: {loud: {$step: loud}}
"""


def test_a_component_that_changed_is_named(desk, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    flow, component = tmp_path / "mine.yaml", tmp_path / "my_shouting.py"
    flow.write_text(FLOW)
    component.write_text(MINE)
    desk.write("a.pdf")
    try:
        desk.run(flow=str(flow))
        component.write_text(MINE.replace("upper()", "upper() + '!'"))
        sys.modules.pop("my_shouting")
        linecache.clearcache()
        (reason,) = {reason for _, reason in desk.plan(flow=str(flow)).values()}
    finally:
        sys.modules.pop("my_shouting", None)
    assert reason == "the component my_shouting:shout has changed"


def test_an_engine_that_changed_is_named():
    parts = {"engine tesseract": "5.3.0", "settings of the engine tesseract": "aa", "page layout of Quire": "1"}
    before = {"flow": "read", "steps": "s", "inputs": {}, "parts": parts}

    def told(**changed):
        return difference(before, {**before, "parts": {**parts, **changed}})

    assert told(**{"engine tesseract": "5.4.1"}) == "the engine tesseract was 5.3.0 and is 5.4.1"
    assert told(**{"settings of the engine tesseract": "bb"}) == "the settings of the engine tesseract has changed"
    without = {"page layout of Quire": "1", "engine rapidocr": "1.4"}
    expected = "the engine rapidocr 1.4 is used now, the engine tesseract 5.3.0 is no longer used"
    assert expected in difference(before, {**before, "parts": without})


def test_a_lost_output_is_made_again_and_a_changed_one_is_kept(desk):
    desk.write("a.pdf")
    desk.write("b.pdf")
    desk.run(formats=("md", "json"))
    (desk.output / "a.json").unlink()
    (desk.output / "b.md").write_text("edited by hand")
    assert desk.plan(formats=("md", "json")) == {
        "a.pdf": ("stale", "a.json is missing"),
        "b.pdf": ("edited", "b.md was changed by hand and is kept"),
    }
    assert desk.plan(formats=("md", "json"), overwrite=True)["b.pdf"] == ("stale", "b.md is replaced (--overwrite)")
    desk.write("b.pdf", "another text")
    expected = "the document has changed; b.md was changed by hand and is kept"
    assert desk.plan(formats=("md", "json"))["b.pdf"] == ("stale", expected)


def test_hashes_are_verified_when_that_is_asked_for(desk):
    source, other = desk.write("a.pdf", "one"), desk.write("b.pdf", "two")
    age(source)
    age(other)
    desk.run()
    source.write_text("eno")  # of the same size and time
    age(source)
    output = desk.output / "b.md"
    output.write_text(output.read_text().replace("two", "owt"))
    assert desk.plan() == {"a.pdf": ("done", ""), "b.pdf": ("done", "")}
    assert desk.plan(verify_hash=True) == {
        "a.pdf": ("stale", "the document has changed"),
        "b.pdf": ("edited", "b.md was changed by hand and is kept"),
    }


def test_unchanged_files_are_not_read_again(desk, monkeypatch):
    for number in range(5):
        age(desk.write(f"{number}.pdf"))
    desk.plan()
    monkeypatch.setattr("quire.durable.folders.plan.hash_file", lambda path: pytest.fail(f"{path} was read"))
    assert len(desk.plan()) == 5


@pytest.mark.slow
def test_thousands_of_documents_take_few_questions(desk):
    for number in range(1200):
        age(desk.write(f"{number:04}.pdf", str(number)))
    desk.plan()
    statements = []
    desk.store.database._connection.set_trace_callback(statements.append)
    assert len(desk.plan()) == 1200
    assert len(statements) < 20


def test_force_makes_everything_stale(desk):
    desk.write("a.pdf")
    desk.run()
    assert desk.plan(force=True) == {"a.pdf": ("stale", "it is done again because of --force")}


def test_a_document_in_quarantine_is_left_alone_unless_forced(desk):
    desk.write("a.pdf")
    (planned,) = plan_batch(desk.request(), desk.store.database).documents
    entry = Quarantined(planned.key, planned.document, "a.pdf", "input", "it is damaged", 1, "r")
    Quarantine(desk.store.database).add(entry)
    assert desk.plan() == {"a.pdf": ("quarantined", "it is damaged")}
    assert desk.plan(inputs={"ocr": "always"}) == {"a.pdf": ("missing", "")}
    assert desk.plan(force=True) == {"a.pdf": ("missing", "")}


def test_an_encrypted_document_is_tried_once_a_password_is_set(desk):
    desk.write("a.pdf")
    (planned,) = plan_batch(desk.request(), desk.store.database).documents
    entry = Quarantined(planned.key, planned.document, "a.pdf", "input", "needs a password", 1, "r", exit_code=6)
    Quarantine(desk.store.database).add(entry)
    states = [
        plan_batch(desk.request(), desk.store.database, password=password).documents[0].state
        for password in (False, True)
    ]
    assert states == ["quarantined", "missing"]
    assert desk.plan(retry=True) == {"a.pdf": ("missing", "")}


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(desk, tmp_path):
    desk.write("a.pdf")
    gone = BatchRequest((str(tmp_path / "gone.pdf"), str(desk.documents)), str(desk.output))
    states = [(document.name, document.state) for document in plan_batch(gone, desk.store.database).documents]
    assert states == [("gone.pdf", "error"), ("a.pdf", "missing")]


def test_documents_of_the_same_name_are_told_apart(desk, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.pdf").write_text(folder)
    request = BatchRequest((str(tmp_path / "one"), str(tmp_path / "two")), str(desk.output))
    planned = plan_batch(request, desk.store.database).documents
    assert [document.name for document in planned] == ["one/a.pdf", "two/a.pdf"]
    assert [document.place for document in planned] == [f"{desk.output}/one/a", f"{desk.output}/two/a"]


def placed(desk, *paths):
    request = BatchRequest(tuple(map(str, paths)), str(desk.output))
    planned = plan_batch(request, desk.store.database).documents
    return {str(document.path): document.place for document in planned}


def dup(tmp_path):
    folders = [tmp_path / "dup" / name for name in "ab"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "report.pdf").write_text(folder.name)
    return folders


def test_places_do_not_depend_on_the_order_of_arguments(desk, tmp_path):
    a, b = dup(tmp_path)
    assert placed(desk, a, b) == placed(desk, b, a)
    assert len(set(placed(desk, a, b).values())) == 2
    assert placed(desk, tmp_path / "dup", a) == placed(desk, a, tmp_path / "dup")


def test_a_document_that_is_added_later_renames_nothing(desk, tmp_path):
    a, b = dup(tmp_path)

    def run(*paths):
        with desk.runtime() as runtime:
            run_batch(BatchRequest(tuple(map(str, paths)), str(desk.output)), runtime)

    run(a)
    (first,) = placed(desk, a).values()
    both = placed(desk, a, b)
    assert both[str(a / "report.pdf")] == first
    run(a, b)
    assert placed(desk, b, a) == both == placed(desk, tmp_path / "dup")
    assert len(desk.written()) == 2


def test_a_document_alone_does_not_take_the_place_of_another_one(desk, tmp_path):
    a, b = dup(tmp_path)
    with desk.runtime() as runtime:
        run_batch(BatchRequest((str(a),), str(desk.output)), runtime)
    assert placed(desk, b) != placed(desk, a)
    (a / "report.pdf").rename(tmp_path / "moved.pdf")
    assert [*placed(desk, b).values()] == [f"{desk.output}/report"], "whose document is gone"


def test_names_that_are_no_text_are_planned(desk):
    desk.write("b\udcff.pdf", "text")
    desk.run()
    assert desk.plan() == {"b\\xff.pdf": ("done", "")}


def test_a_limit_takes_the_first_by_name(desk):
    for name in "cab":
        desk.write(f"{name}.pdf")
    assert list(desk.plan(limit=2)) == ["a.pdf", "b.pdf"]


@pytest.mark.slow
def test_shards_share_the_documents_by_name(desk):
    for number in range(50):
        desk.write(f"{number}.pdf")
    shards = [set(desk.plan(shard=Shard(number, 3))) for number in (1, 2, 3)]
    assert all(shards)
    assert set.union(*shards) == set(desk.plan())
    assert sum(map(len, shards)) == 50
    desk.write("another.pdf")
    assert all(shard <= set(desk.plan(shard=Shard(number, 3))) for number, shard in enumerate(shards, start=1))


@pytest.mark.parametrize("text", ["2", "a/b", "0/3", "4/3", "/", "1/0"])
def test_a_shard_that_is_none_is_refused(text, desk):
    with pytest.raises(UsageError, match="shard"):
        desk.request(shard=Shard.parse(text))


def test_a_request_of_an_earlier_version_is_understood(desk):
    old = {**desk.request().to_json(), "only": ["a.pdf"]}
    del old["retry"], old["overwrite"]
    assert BatchRequest.from_json(old) == desk.request()


def test_a_request_is_written_down_and_comes_back(desk):
    request = desk.request(
        shard=Shard(2, 8),
        limit=5,
        inputs={"lang": ["de"]},
        formats=("md", "json"),
        exclude=("*.tmp",),
        options={"retries": 3, "schedule": "sjf"},
    )
    import json

    assert BatchRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


def test_paths_of_a_request_are_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    request = BatchRequest(("in",), "out", flow="flows/mine.yaml")
    assert request.paths == (str(tmp_path / "in"),)
    assert request.output == str(tmp_path / "out")
    assert request.flow == str(tmp_path / "flows/mine.yaml")


def test_what_cannot_work_is_refused(desk):
    desk.write("a.pdf")
    with pytest.raises(UsageError, match="name a document"):
        BatchRequest((), "out")
    with pytest.raises(UsageError, match="limit is 0"):
        desk.request(limit=0)
    with pytest.raises(UsageError, match="there is no flow 'raed'"):
        desk.plan(flow="raed")
    with pytest.raises(UsageError, match="flow 'read'"):
        desk.plan(inputs={"colour": "red"})


@pytest.mark.parametrize(
    ("policy", "workers", "under_way"), [("io", None, 16), ("io", 3, 3), ("gpu", None, 2), ("cpu", 1, 2)]
)
def test_the_policy_decides_how_many_documents_are_under_way(policy, workers, under_way):
    request = BatchRequest(("in",), "out", options=StageOptions(policy=policy, workers=workers))
    assert (request.stage_options().policy, request.stage_options().workers) == ("io", under_way)
