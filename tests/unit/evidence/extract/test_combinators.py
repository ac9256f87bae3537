"""Extractors made of extractors: who is asked for what, and what becomes of what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from quire.core.context import Json
from quire.core.errors import ConfigurationError, EngineError, UsageError
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.combinators import consensus, fallback, uncertainty_first
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extractor import Extractor, PartlyFailed
from quire.evidence.extract.extractor_registry import find_extractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction, Proposal
from tests.unit.evidence.extract.bills import Failing, Saying, bill_catalog

TOTAL = ("total", 1250.0, "1,250.00")
LATER_TOTAL = ("total", 1350.0, "1,350.00")
NUMBER = ("number", "INV-2041", "INV-2041")
INVENTED = ("total", 9999.0, "1,250.00")
ROWS: Json = {"items": {"properties": {"amount": {"type": "number"}, "name": {"type": "string"}}}}
SCHEMA = ExtractSchema.of({"properties": {"number": {"type": "string"}, "total": {"type": "number"}, "rows": ROWS}})
FLAT = ExtractSchema.of({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})


@dataclass(frozen=True)
class Noting:
    """Proposes what it is given for the leaves that it is asked for, and notes them."""

    saying: Saying
    asked: list[set[str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.saying.name

    @property
    def version(self) -> str:
        return self.saying.version

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        self.asked.append({leaf.path for leaf in schema.leaves})
        return [one for one in self.saying.propose(catalog, schema) if schema.leaf(one.path)]


def said(*values: tuple[str, Json, str], name: str = "saying", confidence: float = 0.8) -> Noting:
    return Noting(Saying(values, name=name, confidence=confidence))


def extracted(extractor: Extractor, schema: ExtractSchema = FLAT) -> Extraction:
    return extract(bill_catalog(), schema, [extractor])


def test_a_fallback_is_asked_only_for_what_is_open():
    second = said(TOTAL, NUMBER, name="second")
    found = extracted(fallback(said(NUMBER), second))
    assert second.asked == [{"total"}]
    assert found.values == {"number": "INV-2041", "total": 1250.0}
    assert [found[path].extractor for path in ("number", "total")] == ["saying", "second"]


def test_a_fallback_is_not_asked_when_everything_is_found():
    second = said(TOTAL, name="second")
    extracted(fallback(said(NUMBER, TOTAL), second))
    assert second.asked == []


def test_a_value_that_was_not_found_there_gives_way_to_one_that_is():
    found = extracted(fallback(said(NUMBER, INVENTED, confidence=0.99), said(TOTAL, name="second")))
    assert (found.values["total"], found["total"].status, found.conflicts) == (1250.0, "found", ())
    assert [one.value for one in found["total"].alternatives] == [9999.0]


def test_a_value_that_neither_can_show_stays_marked():
    worse = said(("total", 7777.0, "1,250.00"), name="second")
    found = extracted(fallback(said(NUMBER, INVENTED), worse))
    assert (found.values["total"], found["total"].status) == (9999.0, "unverified")
    assert [one.value for one in found["total"].alternatives] == [7777.0]


def test_a_list_with_a_gap_is_asked_for_as_a_whole():
    first = said(NUMBER, TOTAL, ("rows[0].amount", 1250.0, "1,250.00"))
    second = said(
        ("rows[0].amount", 1250.0, "1,250.00"),
        ("rows[0].name", "Harbour Supplies Ltd", "Harbour Supplies Ltd"),
        ("rows[1].amount", 1350.0, "1,350.00"),
        name="second",
    )
    found = extracted(fallback(first, second), SCHEMA)
    assert second.asked == [{"rows[].amount", "rows[].name"}]
    assert [row["amount"] for row in found.values["rows"]] == [1250.0, 1350.0]
    kept = extracted(fallback(second, first), SCHEMA)
    assert len(kept.values["rows"]) == 2


def test_a_first_extractor_that_fails_is_said_and_the_second_answers_for_all():
    second = said(TOTAL, NUMBER, name="second")
    found = extracted(fallback(Failing(), second))
    assert second.asked == [{"number", "total"}]
    assert found.values == {"number": "INV-2041", "total": 1250.0}
    assert [one.reason for one in found.failures] == ["failing: the server did not answer"]
    with pytest.raises(EngineError, match="failing: the server did not answer"):
        extracted(fallback(Failing(), Failing()))


def test_a_fallback_that_fails_for_a_part_keeps_the_rest():
    class Half(Noting):
        def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
            raise PartlyFailed("half", "no answer for part 2 of 2: timeout", super().propose(catalog, schema))

    half = Half(Saying([TOTAL], name="half"))
    found = extracted(fallback(said(NUMBER), half))
    assert found.values == {"number": "INV-2041", "total": 1250.0}
    assert found.failures[0].reason == "half: no answer for part 2 of 2: timeout"


def test_a_consensus_is_surer_where_it_agrees_and_in_conflict_where_not():
    agreed = extracted(consensus(said(TOTAL), said(TOTAL, name="second")))
    alone = extracted(said(TOTAL))
    assert agreed["total"].confidence["total"] > alone["total"].confidence["total"]
    split = extracted(consensus(said(TOTAL), said(LATER_TOTAL, name="second")))
    assert [(one.value, one.extractor) for one in split.conflicts[0].values] == [(1250.0, "saying"), (1350.0, "second")]


def test_a_consensus_says_the_same_as_its_extractors_side_by_side():
    members = [said(TOTAL, NUMBER), said(LATER_TOTAL, NUMBER, name="second"), said(TOTAL, name="third")]
    together, apart = extracted(consensus(*members)), extract(bill_catalog(), FLAT, members)
    assert together.evidence == apart.evidence
    assert together.conflicts == apart.conflicts


def test_composers_compose_and_a_conflict_is_asked_about():
    third = said(TOTAL, name="third")
    found = extracted(fallback(consensus(said(NUMBER, TOTAL), said(LATER_TOTAL, name="second")), third))
    assert third.asked == [{"total"}]
    assert {one.extractor for one in found.conflicts[0].values} == {"saying", "second"}
    assert found.extractors[0].startswith("fallback(consensus(saying,second),third) ")


def test_the_expensive_one_is_asked_where_the_cheap_one_is_unsure():
    cheap = Saying([NUMBER], confidence=0.9)
    unsure = Saying([LATER_TOTAL], confidence=0.4)
    expensive = said(TOTAL, name="expensive")
    both = consensus(cheap, unsure)
    found = extracted(uncertainty_first(both, expensive, below=0.6))
    assert expensive.asked == [{"total"}]
    assert (found.values["total"], found["total"].extractor, found.conflicts) == (1250.0, "expensive", ())
    assert [one.value for one in found["total"].alternatives] == [1350.0]
    never = said(TOTAL, name="expensive")
    extracted(uncertainty_first(both, never, below=0.3))
    assert never.asked == []


def test_an_expensive_one_that_agrees_makes_it_surer():
    found = extracted(uncertainty_first(Saying([TOTAL], confidence=0.5), said(TOTAL, name="expensive")))
    assert found["total"].confidence["total"] == pytest.approx(0.9)


def test_the_version_of_a_composer_depends_on_its_parts_and_settings():
    one, other = said(TOTAL), said(TOTAL, name="second")
    versions = {
        fallback(one, other).version,
        fallback(other, one).version,
        consensus(one, other).version,
        uncertainty_first(one, other).version,
        uncertainty_first(one, other, below=0.5).version,
    }
    assert len(versions) == 5


def test_composers_that_cannot_work_are_refused(monkeypatch):
    for wrong in (lambda: fallback(), lambda: uncertainty_first(said(), said(), below=0)):
        with pytest.raises(ConfigurationError):
            wrong()
    with pytest.raises(UsageError, match="a cheap extractor and an expensive one"):
        find_extractor("uncertainty_first:offline")
    with pytest.raises(UsageError, match="there is no extractor 'magic'"):
        find_extractor("fallback:offline,magic")
    monkeypatch.delenv("QUIRE_LLM_URL", raising=False)
    monkeypatch.delenv("QUIRE_LLM_MODEL", raising=False)
    with pytest.raises(ConfigurationError, match="there is no language model"):
        find_extractor("fallback")
    assert find_extractor("consensus:rules,prose").name == "consensus(rules,prose)"
