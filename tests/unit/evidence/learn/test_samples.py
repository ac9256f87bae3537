"""Samples on disk, as lines of JSON, and in Label Studio."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from quire.core.errors import UsageError
from quire.core.types import BBox
from quire.evidence.learn.label_studio import samples_of, tasks_of
from quire.evidence.learn.model import LearnedModel
from quire.evidence.learn.sample_store import SampleStore, read_samples, samples_jsonl
from quire.evidence.learn.samples import Sample, SamplePlace
from quire.evidence.learn.training import learn
from tests.unit.evidence.learn.receipts import FIELDS, SCRIPT, catalog, receipts, sample, values


def test_values_without_a_place_are_located_on_the_page():
    place = sample(0).places["total"]
    assert place.page == 1
    assert place.bboxes[0].left > 0.5
    assert set(sample(0).places) == set(FIELDS)


def test_a_sample_needs_no_document_to_be_learnt_from():
    again = Sample.from_json(json.loads(json.dumps(sample(0).to_json())))
    assert again.digest == sample(0).digest
    assert [block.text for block in again.catalog.blocks] == [block.text for block in catalog(0).blocks]
    assert [list(block.words) for block in again.catalog.blocks] == [list(block.words) for block in catalog(0).blocks]


def test_a_sample_without_content_says_what_to_do_and_is_completed_by_its_document():
    row = {name: value for name, value in sample(0).to_json().items() if name != "content"}
    row["places"]["total"]["status"] = "corrected"
    row["places"]["total"]["blocks"] = ["p1-b3"]
    del row["places"]["date"]
    found = Sample.from_json(row)
    assert found.values == sample(0).values
    with pytest.raises(UsageError, match=r"receipt-01\.pdf has no content; export it .* again, or name .* --documents"):
        found.catalog  # noqa: B018 - decodes it
    assert found.completed(catalog(0)).digest == sample(0).digest


def test_several_values_of_a_field_are_one_path_each():
    made = Sample.of(catalog(0), FIELDS, {"shop": ["Northlight", "Lantern"], "date": []})
    assert made.values == {"shop[0]": "Northlight", "shop[1]": "Lantern", "date": None}
    assert made.expected("shop") == ["Northlight", "Lantern"]
    assert made.expected("date") == []
    assert made.expected("total") is None


def test_a_value_that_the_schema_does_not_ask_for_is_refused():
    with pytest.raises(UsageError, match=r"receipt-01\.pdf: the schema has no 'tax'"):
        Sample.of(catalog(0), FIELDS, {"tax": "1.00"})


def test_a_second_sample_of_a_document_replaces_the_first(tmp_path):
    kept = SampleStore(tmp_path / "samples")
    kept.add(sample(0), sample(1))
    kept.add(Sample.of(catalog(0), FIELDS, {**values(0), "total": None}))
    assert len(kept) == 2
    assert {one.values["total"] for one in kept} == {None, values(1)["total"]}


def test_a_sample_is_removed_by_name_or_id(tmp_path):
    kept = SampleStore(tmp_path)
    kept.add(sample(0), sample(1))
    assert kept.remove("receipt-01.pdf").document == sample(0).document
    assert kept.remove(sample(1).document[:12]).document == sample(1).document
    with pytest.raises(UsageError, match=r"no sample of 'receipt-01\.pdf'"):
        kept.remove("receipt-01.pdf")
    with pytest.raises(UsageError, match="has no samples"):
        read_samples(tmp_path)


def test_exported_lines_are_the_samples(tmp_path):
    file = tmp_path / "samples.jsonl"
    file.write_bytes(samples_jsonl([sample(0), sample(1)]))
    assert [one.digest for one in read_samples(file)] == [sample(0).digest, sample(1).digest]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "samples.jsonl:1 is no JSON"),
        ("[1]", "samples.jsonl:1 is a JSON list, not a sample"),
        ("{}", "samples.jsonl:1: a sample has no 'document'"),
        (
            '{"document": "a", "schema": ["total"], "values": []}',
            "samples.jsonl:1: the sample of a is broken: its values are not an object of values by field, ",
        ),
        (
            '{"document": "a", "schema": ["total"], "values": {}, "places": {"total": {"page": 1}}}',
            "the sample of a is broken: its places are not objects by field",
        ),
        ('{"document": "a", "schema": {}, "values": {}}', "the schema has no `properties`"),
    ],
)
def test_a_line_that_is_no_sample_is_refused(tmp_path, line, said):
    (tmp_path / "samples.jsonl").write_text(line)
    with pytest.raises(UsageError, match=said) as caught:
        read_samples(tmp_path / "samples.jsonl")
    assert "Error(" not in str(caught.value)


def test_label_studio_gives_back_what_it_was_given():
    tasks = json.loads(json.dumps(tasks_of([sample(0)])))
    region = next(one for one in tasks[0]["annotations"][0]["result"] if one["type"] == "rectanglelabels")
    assert region["value"]["rectanglelabels"] == ["shop"]
    assert 0 <= region["value"]["x"] <= 100
    again = samples_of(tasks)[0]
    assert again.values == sample(0).values
    assert again.places["total"].bboxes[0].left == pytest.approx(sample(0).places["total"].bboxes[0].left, abs=1e-5)
    assert again.id == sample(0).id
    assert json.loads(again.content) == json.loads(sample(0).content)


def test_a_box_and_text_changed_in_label_studio_count():
    tasks = json.loads(json.dumps(tasks_of([sample(0)])))
    for one in tasks[0]["annotations"][0]["result"]:
        if one["id"] == "total-0":
            one["value"]["x"] = 10
            if one["type"] == "textarea":
                one["value"]["text"] = ["12.34"]
    tasks[0]["annotations"][0]["result"] = [
        one for one in tasks[0]["annotations"][0]["result"] if one["id"] != "ticket-0"
    ]
    found = samples_of(tasks)[0]
    assert (found.values["total"], found.values["ticket"]) == ("12.34", None)
    assert found.places["total"].bboxes[0].left == pytest.approx(0.1)
    assert "ticket" not in found.places


def test_a_task_of_someone_else_is_refused():
    with pytest.raises(UsageError, match="not as `quire samples export` makes it"):
        samples_of([{"data": {"image": "a.png"}, "annotations": [{"result": []}]}])


@pytest.mark.parametrize("content", ["{", "[]", '{"pages": [[1]], "blocks": []}', '{"pages": [], "blocks": [{}]}'])
def test_a_sample_with_broken_content_is_named(content):
    broken = replace(sample(0), content=content)
    with pytest.raises(UsageError, match=r"the content of the sample of receipt-01\.pdf is broken; export") as caught:
        broken.catalog  # noqa: B018 - decodes it
    assert "Error(" not in str(caught.value)


def test_a_sample_says_which_fields_it_lacks():
    whole = sample(0)
    fields = [leaf.path for leaf in whole.leaves.leaves]
    assert whole.undecided == []
    assert replace(whole, values={fields[0]: None}).undecided == fields[1:], "that there is none is a decision"


def test_a_place_is_where_a_person_drew_it():
    drawn = SamplePlace(1, (BBox(0.1, 0.2, 0.3, 0.05),))
    made = Sample.of(catalog(0), FIELDS, {"total": "1.00"}, {"total": drawn})
    assert made.place("total") is drawn


def test_the_committed_receipts_are_what_the_script_makes():
    folder = SCRIPT.parent.parent / "examples" / "receipts"
    rows = [json.loads(line) for line in (folder / "values.jsonl").read_text().splitlines()]
    assert rows == [{"file": one.name, "values": one.values} for one in receipts()]
    changed = [one.name for one in receipts() if (folder / one.name).read_bytes() != one.content]
    assert not changed, "run scripts/make_receipts.py and commit what it writes"


def test_a_sample_that_is_forgotten_while_another_process_learns_is_left_out(tmp_path):
    kept = SampleStore(tmp_path / "samples")
    kept.add(*map(sample, range(3)))
    listed = iter(kept)
    first = next(listed)
    others = {one.name for one in SampleStore(kept.folder)} - {first.name}
    forgotten = kept.remove(others.pop()).name
    assert [one.name for one in listed] == [*others]
    assert forgotten not in others


def test_two_processes_keep_samples_and_learn_in_one_folder(tmp_path):
    kept, model = SampleStore(tmp_path / "samples"), tmp_path / "receipts.model"
    kept.add(*map(sample, range(5)))

    def work(number: int) -> None:
        SampleStore(kept.folder).add(sample(number), sample(0))
        learn(SampleStore(kept.folder)).save(model)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(work, (5, 6)))
    assert len(kept) == 7
    assert LearnedModel.load(model).leaves["total"].weights
