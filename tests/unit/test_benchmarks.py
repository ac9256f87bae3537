"""The machinery of the benchmarks; their figures are not for tests."""

from __future__ import annotations

import json

import pytest
from benchmarks import corpus
from benchmarks.__main__ import NAMES, _module
from benchmarks.clock import Sample, interleave, least_cpu, least_wall, quietness
from benchmarks.report import LeftOut, Report, Table, goal


def test_every_benchmark_says_in_one_line_what_it_measures():
    assert all(_module(name).__doc__.splitlines()[0].endswith(".") for name in NAMES)


def test_works_are_measured_in_turns():
    order = []
    works = {name: lambda name=name: order.append(name) or Sample(1.0, len(order)) for name in "ab"}
    samples = interleave(works, 2)
    assert order == ["a", "b", "b", "a"]
    assert least_cpu(samples["a"]) == 1


def test_a_goal_may_be_an_upper_or_a_lower_limit():
    assert goal(4.0, 5, most=True, digits=0) == ["≤ 5", "yes"]
    assert goal(4.0, 4.5, digits=1) == ["≥ 4.5", "no"]


def test_a_report_is_kept_as_markdown_and_json_without_the_name_of_the_host(tmp_path):
    report = Report("Speed", [Table(["what", "ms"], [["read", 1.23456], ["peer", None]])], ["A note."], {"raw": [1]})
    report.save("speed", tmp_path)
    written = (tmp_path / "speed.md").read_text()
    assert "| read | 1.235 |\n| peer | – |" in written
    assert sorted(json.loads((tmp_path / "speed.json").read_text())["machine"]) == ["cores", "cpu", "os"]


def test_a_missing_set_is_said_aloud(monkeypatch, tmp_path):
    monkeypatch.setattr(corpus, "CORPUS", tmp_path)
    with pytest.raises(LeftOut, match="corpus/nothing"):
        corpus.pdfs("nothing")


def test_wall_times_taken_beside_other_programs_are_said_not_to_count():
    alone, beside = Sample(1.0, 1.0), Sample(0.9, 0.9, others=0.8)
    assert least_wall([alone, beside]) == 1.0
    assert "run that again" not in quietness({"text": {"one": [alone, beside]}})
    assert "not in text: run that again" in quietness({"text": {"one": [alone], "two": [beside]}})
