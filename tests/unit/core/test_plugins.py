"""Objects of others that cannot play their role are refused at once, with the name of what is missing."""

from __future__ import annotations

import logging

import pytest
from PIL import Image

import quire
from quire.core.types import Layout
from quire.pipeline import Pipeline, classifier, detector, exporter, postprocessor, preprocessor, recognizer
from quire.recognize import echo
from tests import documents


class Half:
    """An engine that somebody began to write."""

    name = "half"

    def ask(self, picture, question, partial=None):
        return b""


class Narrow:
    """An engine whose method does not take what it is called with."""

    def __getattr__(self, name):
        return getattr(echo("read"), name)

    def ask(self, picture):
        return b""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "pages.tiff"
    white = Image.new("L", (200, 100), 255)
    white.save(path, dpi=(100, 100), save_all=True, append_images=[white])
    return path


@recognizer
def reads(picture, question):
    return "text"


@pytest.mark.parametrize(
    ("engines", "said"),
    [
        (3, r"3 \(int\) is not a valid Engine: it has no version, .*ask, interpret, name, .*; pass a name"),
        (["tesseract", None], r"None \(NoneType\) is not a valid Engine: it has no version"),
        (
            Half(),
            r"Half is not a valid Engine: it has no version, capabilities, .*profile, interpret, .*max_concurrency;",
        ),
        (Half, r"Half is a class; pass an instance: Half\(…\)"),
        (lambda picture, question: "text", "is a function; make an engine of it with @quire.recognizer"),
        (Narrow(), r"Narrow.ask\(picture\) is called with \(picture, question, partial\)"),
    ],
)
def test_read_refuses_what_is_no_engine_before_it_reads(engines, said):
    with pytest.raises(quire.ConfigurationError, match=said):
        quire.stream(documents.simple(), engines=engines)


def test_read_refuses_the_name_of_no_engine_also_where_no_page_needs_one():
    with pytest.raises(quire.UsageError, match="there is no engine 'tesseract5'; choose from echo, "):
        quire.stream(documents.simple(), engines=["echo", "tesseract5"])


def test_a_reader_of_events_that_is_no_function_is_refused():
    with pytest.raises(quire.UsageError, match=r"on_event is \[\]; it must be a function"):
        quire.read(documents.simple(), on_event=[])
    with pytest.raises(quire.UsageError, match=r"on_event is \[\]; it must be a function"):
        Pipeline(reads)("page.png", on_event=[])


@pytest.mark.parametrize("engine", [Half(), Narrow()])
def test_a_pipeline_refuses_what_is_no_engine_when_it_is_made(engine):
    with pytest.raises(quire.ConfigurationError, match=r"Half is not a valid Engine: it has no version|Narrow\.ask"):
        Pipeline(engine)


def test_a_pipeline_refuses_a_stage_that_lacks_a_member():
    class Fix:
        name = "fix"

        def correct(self, recognition):
            return recognition

    with pytest.raises(quire.ConfigurationError, match="Fix is not a valid Corrector: it has no version, profile"):
        Pipeline(reads, Fix())


def test_a_pipeline_refuses_a_stage_whose_method_has_other_arguments():
    class Find:
        name = "find"

        def detect(self):
            return Layout()

    with pytest.raises(quire.ConfigurationError, match=r"Find.detect\(\) is called with \(picture, page\)"):
        Pipeline(reads, Find())


def test_a_pipeline_refuses_the_class_of_a_stage():
    class Find:
        name = "find"

        def detect(self, picture, page=1):
            return Layout()

    with pytest.raises(quire.ConfigurationError, match="Find is a class"):
        Pipeline(reads, Find)


@pytest.mark.parametrize("decorator", [detector, classifier, preprocessor, postprocessor, exporter, recognizer])
def test_a_decorator_refuses_a_function_with_other_arguments(decorator):
    with pytest.raises(quire.ConfigurationError, match=r"none\(\) is called with"):

        @decorator
        def none():
            return None


@pytest.mark.parametrize("decorator", [detector, recognizer])
def test_a_decorator_refuses_what_is_no_function(decorator):
    with pytest.raises(quire.ConfigurationError, match="is not a function"):
        decorator(3)


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        (preprocessor(lambda picture: [], name="mine"), "mine returned a list where a Picture or a PreparedPicture"),
        (detector(lambda picture: [], name="mine"), "mine returned a list where a Layout is expected"),
        (detector(lambda picture: Layout(({},)), name="mine"), "mine returned a dict where a Region is expected"),
        (classifier(lambda layout, picture: [], name="mine"), "mine returned a list where a Layout or a Classified"),
        (postprocessor(lambda read: [], name="mine"), "mine returned a list where a Recognition is expected"),
    ],
)
@pytest.mark.parametrize("policy", ["abort", "attach"])
def test_a_stage_that_returns_something_else_ends_the_run_on_its_first_page(page, stage, expected, policy):
    begun = []
    pipeline = Pipeline(reads, stage, error_policy=policy)
    with pytest.raises(quire.ConfigurationError, match=expected):
        pipeline(page, on_event=lambda event: begun.append(event.page) if event.kind == "started" else None)
    assert {number for number in begun if number} == {1}


def test_an_exporter_that_returns_no_paths_is_refused(page):
    class Write:
        name = format = "mine"

        def export(self, result):
            return None

    with pytest.raises(quire.ConfigurationError, match="mine returned a NoneType where a Sequence is expected"):
        Pipeline(reads, Write())(page)


def test_the_traceback_of_a_stage_that_fails_is_in_the_debug_log(page, caplog):
    def broken(picture):
        raise ZeroDivisionError("no such thing")

    with caplog.at_level(logging.DEBUG, logger="quire"):
        result = Pipeline(reads, detector(broken))(page, pages="1")
    assert result.pages[0].info.reason == "detect stage broken failed: ZeroDivisionError: no such thing"
    assert "in broken" in caplog.text
