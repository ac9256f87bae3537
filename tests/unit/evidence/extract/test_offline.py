"""The extractor that needs nothing."""

from __future__ import annotations

import pytest

from quire.core.keys import Digest
from quire.core.types import BBox, Block, PageInfo
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extractor import Extractor
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from tests.unit.evidence.extract.test_prose import MUTUAL


@pytest.fixture
def extractor() -> Extractor:
    return OfflineExtractor()


def proposed(extractor, fields, *texts):
    blocks = [
        Block(f"p1-b{at}", 1, "paragraph", text, BBox(0.1, 0.05 + 0.1 * at, 0.8, 0.02)) for at, text in enumerate(texts)
    ]
    catalog = SourceCatalog("d" * 64, "a.pdf", Digest("v"), [], [PageInfo(1, 612, 792)], blocks)
    return {one.path: one for one in extractor.propose(catalog, ExtractSchema.of(fields))}


def test_what_a_sentence_states_counts_more_than_a_label_near_a_date(extractor):
    found = proposed(extractor, "effective date", "Date: 1 May 2019", MUTUAL)
    assert found["effective_date"].value == "2017-07-23"
    assert "2019-05-01" in [one.value for one in found["effective_date"].alternatives]


def test_a_label_serves_where_no_sentence_says_it(extractor):
    assert proposed(extractor, "effective date", "Date: 1 May 2019")["effective_date"].value == "2019-05-01"


def test_words_of_a_sentence_are_no_label_of_an_agreement(extractor):
    assert proposed(extractor, "term", "Subject to the terms that are set forth in Section 12b-2 of the Act.") == {}


def test_a_field_that_has_several_values_is_a_list(extractor):
    assert {*proposed(extractor, "party", MUTUAL)} == {"party[0]", "party[1]"}
