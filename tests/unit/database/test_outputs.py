"""Outputs: what was written where, and from what."""

from __future__ import annotations

import pytest

from quire.database.outputs import Output, OutputFile, Outputs

REPORT = Output(
    place="/out/report",
    key="k1",
    document="d1",
    source="/in/report.pdf",
    settings={"formats": ["md"], "ocr": "auto"},
    files=(OutputFile("/out/report.md", 10, "aa"), OutputFile("/out/report.json", 20, "bb")),
    at=5.0,
)


@pytest.fixture
def outputs(either_database):
    return Outputs(either_database)


def test_an_output_comes_back_as_it_was(outputs):
    outputs.record([REPORT])
    assert outputs.find(["/out/report", "/out/other"]) == {"/out/report": REPORT}


def test_the_last_output_of_a_place_counts(outputs):
    outputs.record([REPORT])
    outputs.record([Output("/out/report", "k2", "d2", "/in/other.pdf")])
    found = outputs.find(["/out/report"])["/out/report"]
    assert (found.key, found.document, found.files) == ("k2", "d2", ())
    assert found.at > 5


def test_a_forgotten_output_is_unknown(outputs):
    outputs.record([REPORT])
    outputs.forget(["/out/report"])
    assert outputs.find(["/out/report"]) == {}


def test_thousands_are_found_at_once(outputs):
    outputs.record([Output(f"/out/{number}", "k", "d", "/in") for number in range(1200)])
    assert len(outputs.find([f"/out/{number}" for number in range(1500)])) == 1200


def test_names_that_are_no_text_are_recorded(outputs):
    outputs.record([Output("/out/b\udcff", "k", "d", "/in/b\udcff.pdf")])
    assert outputs.find(["/out/b\udcff"])["/out/b\udcff"].key == "k"
