"""What the sentences of an agreement say."""

from __future__ import annotations

import pytest

from quire.catalog.records import SourceCatalog
from quire.extract.prose import ProseExtractor
from quire.extract.schema import ExtractSchema
from quire.keys import Digest
from quire.types import BBox, Block, PageInfo

SCHEMA = ExtractSchema.of("party, governing law, effective date, term")


def catalog(*texts):
    boxes = [BBox(0.1, 0.05 + 0.04 * at, 0.8, 0.03) for at in range(len(texts))]
    blocks = [Block(f"p1-b{at}", 1, "paragraph", text, boxes[at]) for at, text in enumerate(texts)]
    return SourceCatalog("d" * 64, "nda.pdf", Digest("v"), [], [PageInfo(1, 612, 792)], blocks)


def said(*texts):
    found = {}
    for one in ProseExtractor().propose(catalog(*texts), SCHEMA):
        found.setdefault(one.path.split("[")[0], []).append(one.value)
    return found


MUTUAL = (
    "This Mutual Non-Disclosure Agreement is entered into this 23rd day of July, 2017, by and between Harbour Light\n"
    "Systems, Inc. (“Harbour”), a Delaware (USA) corporation, and Quay & Mole Limited, 4 Dock Road, Hull, a company\n"
    "incorporated in England (‘Quay’) (collectively the ‘Parties’) for the purpose of sharing information."
)


def test_parties_are_named_with_their_legal_form_and_cited_where_they_stand():
    proposed = ProseExtractor().propose(catalog("Exhibit 10.1", MUTUAL), SCHEMA)
    parties = [one for one in proposed if one.path.startswith("party")]
    assert [(one.path, one.value) for one in parties] == [
        ("party[0]", "Harbour Light Systems Inc."),
        ("party[1]", "Quay & Mole Ltd."),
    ]
    assert parties[0].quote == "Harbour Light\nSystems, Inc."
    assert parties[0].records == ("p1-b1",)


@pytest.mark.parametrize(
    ("sentence", "date"),
    [
        (MUTUAL, "2017-07-23"),
        ("This Agreement is effective as of April 2, 2010 (“Effective Date”) between A Co. and B Co.", "2010-04-02"),
        ("THIS AGREEMENT is made as of 13 April 2006 between A Corp. and B Corp.", "2006-04-13"),
        ("The parties have executed this Agreement on this 2nd day of February, 2009.", "2009-02-02"),
    ],
)
def test_the_effective_date_is_the_one_of_the_first_sentence(sentence, date):
    assert said("Dated documents may be older: January 1, 1999 was a Friday.", sentence)["effective_date"] == [date]


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        (
            "This Agreement shall be governed by the laws of the State of Delaware, without regard to conflicts.",
            "Delaware",
        ),
        ("GOVERNED BY AND CONSTRUED UNDER THE LAWS OF THE STATE OF NEW YORK, without more.", "New York"),
        ("It is governed by the internal law, and not the law of conflicts, of the State of New York.", "New York"),
        ("This Agreement shall be governed by the laws of the United States of America, State of Oregon.", "Oregon"),
        ("This Agreement shall be construed in accordance with the laws of England and Wales.", "England"),
    ],
)
def test_the_governing_law_is_a_place(sentence, place):
    assert said("Employees of the Company obey the law of the Company.", sentence)["governing_law"] == [place]


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("2. Term. This Agreement shall commence when executed and continue for a period of one (1) year.", "1 year"),
        ("The obligations under this letter agreement shall expire three years from the date hereof.", "3 years"),
        ("The term of this Agreement shall be eighteen (18) months.", "18 months"),
    ],
)
def test_the_term_is_that_of_the_agreement_and_not_of_a_clause(sentence, term):
    other = "For a period of two years you will not solicit any employee of the Company to compete."
    assert said(other, sentence)["term"] == [term]


def test_a_letter_is_an_agreement_with_the_one_it_is_addressed_to():
    found = said(
        "September 3, 2007",
        "Dockside Corporation\n2099 Pennsylvania Avenue\nWashington, D.C. 20006",
        "Ladies and Gentlemen:",
        "You have requested information from Tidemark, Inc. (the “Company”) about a possible transaction.",
    )
    assert found["party"] == ["Dockside Corporation", "Tidemark Inc."]
    assert found["effective_date"] == ["2007-09-03"]


def test_a_text_that_says_nothing_of_the_kind_gives_nothing():
    assert (
        said("The tide came in between Hull and the sea.", "Prices rose for three years in the State of Maine.") == {}
    )


def test_a_list_of_parties_is_filled_like_a_field_that_may_have_several():
    schema = ExtractSchema.of({"properties": {"parties": {"type": "array", "items": {"type": "string"}}}})
    paths = [one.path for one in ProseExtractor().propose(catalog(MUTUAL), schema)]
    assert paths == ["parties[0]", "parties[1]"]
