"""What is learnt from receipts of shops that call things by unusual names."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from quire.cli.learn import report_lines
from quire.core.errors import UsageError
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extractor_registry import find_extractor
from quire.evidence.extract.lines import lines_of
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.learn.layouts import marks_of, nearest
from quire.evidence.learn.learned_extractor import LearnedExtractor
from quire.evidence.learn.model import LearnedModel, models_of
from quire.evidence.learn.samples import Sample
from quire.evidence.learn.training import CHANCE, checked_learning, learn, likelihood_by_chance
from tests.unit.evidence.learn.receipts import FIELDS, catalog, sample, values

pytestmark = pytest.mark.both_readers

FIVE = range(5)
SCHEMA = ExtractSchema.of(FIELDS)


@pytest.fixture(scope="module")
def model() -> LearnedModel:
    return learn(map(sample, FIVE))


def found(number: int, extractor: OfflineExtractor | LearnedExtractor) -> dict[str, object]:
    return extract(catalog(number), SCHEMA, [extractor]).values  # type: ignore[return-value]


@pytest.mark.parametrize("number", range(5, 9))
def test_five_corrected_receipts_are_enough_to_find_what_the_rules_miss(model, number):
    before = found(number, OfflineExtractor())
    assert (before["total"], before["ticket"]) != (values(number)["total"], values(number)["ticket"])
    assert found(number, LearnedExtractor(model)) == values(number)


def test_values_that_were_learnt_are_checked_like_all_others(model):
    made = extract(catalog(7), SCHEMA, [LearnedExtractor(model)])
    total = made["total"]
    assert (total.status, total.extractor, total.page) == ("found", "learned", 1)
    assert total.bboxes
    assert {one.extractor for one in total.alternatives} <= {"learned"}


def test_a_field_that_the_rules_find_is_left_to_the_rules(model):
    assert not model.leaves["date"].weights
    assert model.leaves["date"].rules.f1 == 1.0
    assert model.leaves["total"].learned.f1 > model.leaves["total"].rules.f1


def test_the_order_of_samples_changes_no_byte(model):
    assert learn(map(sample, reversed(FIVE))).content == model.content


def test_a_model_on_disk_is_the_model(model, tmp_path):
    model.save(tmp_path / "receipts.model")
    loaded = find_extractor(f"learned:{tmp_path / 'receipts.model'}")
    assert isinstance(loaded, LearnedExtractor)
    assert loaded.model.content == model.content
    assert loaded.version == LearnedExtractor(model).version
    assert loaded.propose(catalog(8), SCHEMA) == LearnedExtractor(model).propose(catalog(8), SCHEMA)


def test_another_sample_is_another_version(model):
    assert learn(map(sample, range(6))).digest != model.digest


def test_what_would_come_out_wrong_is_reported_before_it_is_used():
    wrong = {**values(8), "total": "999.99"}
    learning = checked_learning([*map(sample, range(8)), Sample.of(catalog(8), FIELDS, wrong)])
    assert [(one.document, one.path) for one in learning.mistakes] == [("receipt-09.pdf", "total")]
    mistake = learning.mistakes[0]
    assert (mistake.expected, mistake.got, mistake.page) == ("999.99", values(8)["total"], 1)
    assert ("receipt-09.pdf", "total") in learning.unplaced


def test_a_forgotten_sample_leaves_nothing_behind():
    """Words that only one document has are never in a model; those of two are gone when one of them is forgotten."""
    odd = [
        Sample.of(catalog(number), FIELDS, {**values(number), "shop": shop})
        for number, shop in ((5, "Zwyxberg Merchants"), (6, "Zwyxberg Merchants"))
    ]
    others = [sample(number) for number in FIVE]
    assert b"zwyxberg" not in learn([*others, odd[0]]).content.lower()
    forgotten = learn([*others, odd[0]])
    assert odd[1].digest not in forgotten.samples
    words = set(re.findall(r"[a-z]{4,}", " ".join(block.text for block in catalog(6).blocks).lower()))
    written = {word for word in words if f'"{word}"' in forgotten.content.decode().lower()}
    assert written <= set(FIELDS)


def test_a_layout_is_recognised_by_the_place_of_its_texts(model):
    same = nearest(marks_of(lines_of(catalog(9))), model.layouts)
    assert same is not None
    alike = [len(one.marks & marks_of(lines_of(catalog(9)))) for one in model.layouts]
    assert len(same[1].marks & marks_of(lines_of(catalog(9)))) == max(alike)
    assert nearest(frozenset({1, 2, 3}), model.layouts) is None


def test_a_field_that_documents_do_not_have_is_learnt_to_be_missing():
    without = [
        Sample.of(catalog(number), [*FIELDS, "seller"], {**values(number), "seller": None}) for number in range(6)
    ]
    model = learn(without)
    schema = ExtractSchema.of([*FIELDS, "seller"])
    assert extract(catalog(8), schema, [LearnedExtractor(model)]).values["seller"] is None


@pytest.mark.parametrize(
    ("better", "worse", "used"), [(0, 0, False), (2, 0, False), (3, 0, True), (4, 1, False), (6, 1, True)]
)
def test_what_may_be_better_by_chance_does_not_replace_the_rules(better, worse, used):
    assert (likelihood_by_chance(better, worse) <= CHANCE) is used


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([0, 1, 2, 3], "there are 4 samples; learning starts with 5"),
        ([0, 1, 2, 3, 3, 3], "there are 4 samples"),
    ],
)
def test_too_few_samples_are_refused(samples, said):
    with pytest.raises(UsageError, match=said):
        learn(map(sample, samples))


def test_samples_of_two_schemas_are_refused():
    other = Sample.of(catalog(4), ["total"], {"total": "1.00"})
    with pytest.raises(UsageError, match="different schemas"):
        learn([*map(sample, range(5)), other])


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "quire-learned/1", "version": "0"}', '{"format": 3}', "[" * 100_000]
)
def test_a_file_that_is_no_model_is_refused(tmp_path, content):
    (tmp_path / "broken").write_text(content)
    with pytest.raises(UsageError, match=r"no model|learn again"):
        LearnedExtractor(tmp_path / "broken")


def test_a_model_that_is_missing_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        find_extractor(f"learned:{tmp_path / 'none'}")
    with pytest.raises(UsageError, match="no model is named"):
        find_extractor("learned")


def test_a_model_holds_weights_and_of_documents_their_ids_alone(model, tmp_path):
    tree = json.loads(model.content)
    assert set(tree) == {"format", "version", "samples", "documents", "leaves", "layouts"}
    model.save(tmp_path / "of" / "bills.model")
    (tmp_path / "damaged.model").write_text("{}")
    (document, *_) = tree["documents"]
    assert models_of(tmp_path, document) == [tmp_path / "of" / "bills.model"]
    assert models_of(tmp_path, "0" * 64) == []
    assert len(model.content) < 60_000


def test_a_field_with_too_few_decisions_says_so_and_which_samples_lack_it():
    samples = [sample(number) for number in FIVE]
    lacking = replace(samples[0], values={path: one for path, one in samples[0].values.items() if path != "total"})
    learning = checked_learning([lacking, *samples[1:]])
    assert learning.undecided == [(lacking.name, ["total"])]
    lines = list(report_lines(learning))
    assert (
        "  total: F1 0.000 by rules, nothing learnt: 4 samples with a decision and its place, 5 are needed; uses rules"
        in lines
    )
    undecided = (
        f"  {lacking.name}: its sample says nothing about total; decide on every field, also that it is not there"
    )
    assert undecided in lines
