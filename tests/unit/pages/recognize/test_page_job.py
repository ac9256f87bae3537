"""What a worker does for a page: draw it, look, ask, save; here with the worker's side played by the test."""

from __future__ import annotations

import pytest

from quire.core.document import Document
from quire.core.engine import answer_key
from quire.core.errors import CorruptError, EngineError, InputError
from quire.core.opened import Opened
from quire.core.types import BBox
from quire.pages.prepare.prepared import PrepareProfile
from quire.pages.recognize.page_job import LookRequest, ask, look, question_of
from quire.pages.recognize.seen import Seen
from tests import scans
from tests.fakes.engines import BadEngine, NumberEngine
from tests.unit.pages.recognize.seen import prepared
from tests.unit.pages.recognize.test_routing import grid

pytestmark = pytest.mark.both_readers


class Desk:
    """A worker's view of its parent: records its events and requests."""

    def __init__(self, *, known=()):
        self.told, self.asked, self.saved = [], [], {}
        self.known = set(known)
        self._kept = {}

    def emit(self, kind, payload):
        self.told.append((kind, dict(payload)))

    def request(self, name, header, data=b""):
        self.asked.append(name)
        if name == "claim":
            return {"found": header["key"] in self.known}, b""
        if name == "save":
            self.saved[header["key"]] = data
        return {}, b""

    def kept(self, key, make):
        return self._kept.setdefault(key, make()) if key not in self._kept else self._kept[key]


@pytest.fixture
def sheet(saved):
    return saved(scans.numbered_scans(2), "scan.pdf")


def arguments(path, page=1, **more):
    with Document(path) as document:
        return LookRequest(Opened(path, path.name, document.id), page, PrepareProfile(), **more)


def test_the_answer_is_saved_under_its_key_before_anybody_looks_at_it(sheet):
    desk, engine = Desk(), NumberEngine()
    header, data = look(arguments(sheet, 2, engine=engine), desk)
    seen = Seen.from_bytes(str(header["seen"]).encode())
    question = question_of(seen)
    assert desk.asked == ["claim", "place", "save"]
    assert list(desk.saved) == [answer_key(engine, seen.prepared.digest, question)]
    assert engine.interpret(*desk.saved.values(), question)[0].text == "Sheet number 2 of the pile"
    assert desk.told == [("partial", {"partial_text": "Sheet number 2"})]
    assert (header["found"], data) == (False, b"")


def test_an_answer_that_is_there_is_not_asked_for(sheet):
    first = Desk()
    look(arguments(sheet, engine=NumberEngine()), first)
    second = Desk(known=first.saved)
    header, _ = look(arguments(sheet, engine=NumberEngine()), second)
    assert (header["found"], second.asked, second.told) == (True, ["claim"], [])


def test_without_an_engine_the_picture_comes_back(sheet):
    header, pixels = look(arguments(sheet), Desk())
    seen = Seen.from_bytes(str(header["seen"]).encode())
    width, height = seen.prepared.size
    assert len(pixels) == width * height * len(str(header["mode"]))


def test_a_blank_page_is_shown_to_nobody(saved):
    desk = Desk()
    blank = scans.Sheet(scans.numbered_sheet(1).picture.point(lambda _: 245), ())
    header, _ = look(arguments(saved(scans.scanned(blank)), engine=BadEngine()), desk)
    assert Seen.from_bytes(str(header["seen"]).encode()).prepared.blank
    assert desk.asked == []


def test_only_what_is_to_be_kept_is_looked_at(saved):
    path = saved(scans.mixed().data)
    nowhere = BBox(0.1, 0.92, 0.8, 0.05)
    header, _ = look(arguments(path, 6, keep=(nowhere,)), Desk())
    assert Seen.from_bytes(str(header["seen"]).encode()).prepared.blank


def test_rules_are_seen_but_not_the_edge_of_the_sheet(saved):
    picture = scans.grid_sheet().picture.resize((1500, 1080))
    picture.paste(10, (0, 0, 1500, 5))
    header, _ = look(arguments(saved(scans.Sheet(picture, ()).png(), "grid.png")), Desk())
    seen = Seen.from_bytes(str(header["seen"]).encode())
    across = [rule for rule in seen.rulings if rule[2] - rule[0] > 1000]
    assert len(across) == 10
    assert min(rule[1] for rule in across) > 100
    assert question_of(seen).strict


def test_a_dense_table_gets_the_stricter_question():
    assert question_of(Seen(prepared(size=(1000, 1000)), tuple(grid(8, 4)))).strict
    assert not question_of(Seen(prepared(size=(1000, 1000)))).strict


@pytest.mark.parametrize("how", ["raise", "raise engine error", "raise usage error", "no bytes"])
def test_whatever_an_engine_raises_is_its_own_error(how, sheet):
    with pytest.raises(EngineError, match=r"^bad: "):
        look(arguments(sheet, engine=BadEngine(how=how)), Desk())


def test_engines_that_cannot_stream_are_not_asked_to(sheet):
    desk = Desk()
    look(arguments(sheet, engine=NumberEngine(capabilities=frozenset({"text"}))), desk)
    assert desk.told == []


def test_a_document_that_cannot_be_opened_is_an_error_of_the_document(saved):
    broken = saved(b"%PDF-1.7 broken", "broken.pdf")
    with pytest.raises(CorruptError):
        look(LookRequest(Opened(broken, "broken.pdf", Document(broken).id), 1, PrepareProfile()), Desk())


def test_a_document_that_is_another_one_now_is_not_looked_at(sheet):
    asked = arguments(sheet)
    sheet.write_bytes(scans.numbered_scans(3))
    with pytest.raises(InputError, match="has changed"):
        look(asked, Desk())


def test_asking_names_the_engine():
    with pytest.raises(EngineError, match="numbers: AttributeError"):
        ask(NumberEngine(), None, None, print)  # type: ignore[arg-type]
