"""The machinery of the benchmarks; their figures are not for tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from benchmarks import corpus, family, killed, plan, scans, throughput
from benchmarks.__main__ import NAMES, _module
from benchmarks.clock import Sample, interleave, least_cpu, least_wall, quietness, timed
from benchmarks.conversation import Program
from benchmarks.items import WAYS, Milestones
from benchmarks.quirecommand import quire
from benchmarks.report import LeftOut, Options, Report, Table, goal
from benchmarks.scoring import Item
from benchmarks.slanet import BEGIN, EMPTY_CELL, _places
from benchmarks.tablecells import Place, Placed, filled, within

from quire.core.hashing import hash_file
from quire.core.types import GridCell
from tests.runtime.crashing import Survey, Survived

needs_proc = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="there is no Linux /proc here")


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


@pytest.mark.processes
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


def test_a_figure_comes_with_the_command_that_repeats_it():
    assert Options().flags == ""
    assert Options(quick=True, peers=True).flags == " --quick --peers"


@needs_proc
@pytest.mark.processes
def test_processor_time_of_programs_that_were_started_and_have_ended_is_counted():
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    _, sample = timed(lambda: subprocess.run([sys.executable, "-c", busy], check=True), cpu=family.cpu_seconds)
    assert sample.cpu >= 0.15  # of 0.2, less what ticks of the clock round off


@needs_proc
@pytest.mark.processes
def test_memory_of_a_program_is_counted_with_that_of_its_starter():
    with Program([sys.executable, "-c", "held = b'x' * 50_000_000\nprint('{}', flush=True)\ninput()"]) as program:
        program.answer()
        assert family.memory_mb() >= family.memory_mb(program.pid) >= 45


@pytest.mark.processes
def test_a_program_that_ended_gives_an_empty_answer():
    with Program([sys.executable, "-c", "pass"]) as program:
        assert program.answer() == {}
        assert program.ask({"op": "read"}) == {}


def test_words_stand_in_the_cell_that_holds_them_line_by_line():
    places = [Place(GridCell(0, 0), (0, 0, 50, 40)), Place(GridCell(0, 1), (50, 0, 100, 40))]
    words = [
        Placed("below", (2, 22, 20, 30)),
        Placed("two", (25, 5, 40, 13)),
        Placed("one", (2, 4, 20, 12)),
        Placed("beside", (96, 5, 130, 13)),  # its middle is outside: the nearest cell takes it
    ]
    assert [cell["text"] for cell in filled(places, words)] == ["one two below", "beside"]
    assert [word.text for word in within(words, (0, 0, 50, 20))] == ["two", "one"]


def test_cells_of_a_model_find_their_columns_around_cells_from_above():
    tokens = [BEGIN, "<tr>", "<td", ' rowspan="2"', ">", "</td>", EMPTY_CELL, "</tr>", "<tr>", EMPTY_CELL, "</tr>"]
    boxes = np.arange(4 * len(tokens), dtype=float).reshape(-1, 4)
    cells = list(_places(tokens, boxes))
    assert [cell.grid for cell in cells] == [GridCell(0, 0, 2, 1), GridCell(0, 1), GridCell(1, 1)]
    assert [cell.box[0] for cell in cells] == [8.0, 24.0, 36.0]


def test_of_a_set_with_an_extract_of_its_document_the_document_counts_and_the_extract_when_quick():
    items = [Item("long", Path("long.pdf"), "en", 50), Item("extract", Path("short.tif"), "en", 8)]
    assert [item.id for item in scans.chosen(items, quick=False)] == ["long"]
    assert [item.id for item in scans.chosen(items, quick=True)] == ["extract"]


def test_a_profile_is_told_which_of_its_goals_it_missed():
    goals = scans.Goals(("cer", "bag_f1"), {"balanced": {"cer": 0.1, "bag_f1": 0.8, scans.CPU: 2.0}})
    run = {"metrics": {"cer": 0.2, "bag_f1": 0.9, scans.CPU: 1.0}, "items": {"a": {}}}
    asked, mine = scans._goal_rows("balanced", goals, run)
    assert asked == ["goal, balanced", None, 0.1, 0.8, 2.0, None]
    assert mine == ["**Quire, balanced**", 1, 0.2, 0.9, 1.0, "not cer"]
    assert scans._goal_rows("fast", goals, run)[0][-1] is None


@needs_proc
@pytest.mark.parametrize("way", WAYS)
def test_the_peak_of_memory_is_told_after_a_tenth_of_the_items_and_at_the_end(tmp_path, capsys, way):
    WAYS[way](20, tmp_path / "store", Milestones(20))
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["items"] for one in told] == [2, 20]
    assert 0 < told[0]["peak_mb"] <= told[1]["peak_mb"]


def test_only_portions_that_were_quiet_for_everybody_count():
    quiet, loud = Sample(2.0, 1.0), Sample(4.0, 1.0, others=2.0)
    samples = {throughput.ONE: [quiet, quiet], throughput.TWO: [quiet, loud]}
    rate, cpu = throughput._rates(samples, pages=4)
    assert rate == {throughput.ONE: 2.0, throughput.TWO: 2.0}
    assert cpu == {throughput.ONE: 0.25, throughput.TWO: 0.25}
    assert throughput._rates({throughput.ONE: [loud]}, pages=4)[0] == {throughput.ONE: 1.0}


def test_a_repeated_call_counts_as_repeated_only_when_its_answer_was_recorded():
    def survived(recorded: int, takeovers: int) -> Survived:
        before = Counter({"page 1": 1, "page 2": 1})
        return Survived(1, "same", "complete", before + Counter({"page 2": 1}), recorded, before, takeovers)

    in_flight, lost = Survey("same", [survived(1, 1)]), Survey("same", [survived(2, 0)])
    assert (killed._again(in_flight), killed._silent(in_flight)) == (0, 0)
    assert (killed._again(lost), killed._silent(lost)) == (1, 1)
    assert killed._finished(lost, pages=2) == killed._same(lost) == 1


def test_documents_made_for_a_plan_differ_and_are_old_enough_to_be_trusted(tmp_path):
    plan._fill(tmp_path, 3)
    paths = sorted(tmp_path.rglob("*.pdf"))
    assert len({path.read_bytes() for path in paths}) == 3
    assert all(hash_file(str(path)).settled for path in paths)


@pytest.mark.processes
def test_a_command_that_fails_is_left_out_with_its_message(tmp_path):
    with pytest.raises(LeftOut, match=r"quire plan ended with code 5: quire: .*holds no documents"):
        quire("plan", tmp_path, "-o", tmp_path / "out")
