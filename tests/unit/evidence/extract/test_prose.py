"""What the sentences of an agreement say."""

from __future__ import annotations

import pytest

from quire.core.keys import Digest
from quire.core.types import BBox, Block, PageInfo
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.prose import ProseExtractor
from quire.evidence.extract.schema import ExtractSchema

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
        ("Entered into by A Reed Inc. (“A”) and B Reed Ltd. (“B”) this 17 day of April, 2003.", "2003-04-17"),
        ("between A Reed Inc. (“A”) and B Reed Inc. (“B”) of Ohio as of 10/05/2015.", "2015-10-05"),
        ("This Amendment, dated as of May 9, 2012, amends that certain NDA, dated as of June 1, 2011.", "2012-05-09"),
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
        ("This Agreement shall be construed in accordance with the laws of England and Wales.", "England and Wales"),
        ("This deed is governed by the law in force in Western Australia.", "Western Australia"),
        ("A Reed is organized under the laws of Delaware. This Agreement is governed by Ohio law.", "Ohio"),
        ("You know the securities laws of the United States. Governing Law. Tennessee.", "Tennessee"),
        ("This Agreement shall be governed by the laws of the DISTRICT OF COLUMBIA.", "District of Columbia"),
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
        ("This Agreement shall expire on the third anniversary of its date.", "3 years"),
        ("TERM. Two (2) years from the effective date.", "2 years"),
        ("The initial term is one year and shall automatically renew for successive two (2) year periods.", "1 year"),
        (
            "This Agreement lasts one year. Obligations of confidentiality survive for five years after termination.",
            "1 year",
        ),
    ],
)
def test_the_term_is_that_of_the_agreement_and_not_of_a_clause(sentence, term):
    other = "For a period of two years you will not solicit any employee of the Company to compete."
    assert said(other, sentence)["term"] == [term]


@pytest.mark.parametrize(
    ("texts", "parties"),
    [
        (
            ["Made among Reed Holdings, L.P., Sedge Partners LP and Moss Company, LLC (the “Parties”)."],
            ["Reed Holdings LP", "Sedge Partners LP", "Moss Company LLC"],
        ),
        (
            [
                "B E T W E E N :",
                "REED FORESTRY INC., a corporation",
                "(hereinafter “Reed”)",
                "- and -",
                "SEDGE PULP LTD.",
            ],
            ["REED FORESTRY INC.", "SEDGE PULP LTD."],
        ),
        (
            [
                "BETWEEN",
                "Reed Biologics AG\nHafenweg 12, 6300 Zug",
                "(“Reed”)",
                "and",
                "Sedge plc\n10 Quay, Hull",
                "(“Sedge”)",
            ],
            ["Reed Biologics AG", "Sedge plc"],
        ),
        (
            ["between City of Port Reed, a municipal body (“City”), and J. R. SEDGE, JR. (“Officer”)."],
            ["City of Port Reed", "J. R. SEDGE JR."],
        ),
        (
            ["Agreement between REED MEDIA, INC. (“RM”), a corporation of Ohio, and Ann Sedge, Ph.D. (“Consultant”)."],
            ["REED MEDIA INC.", "Ann Sedge"],
        ),
        (
            ["between reed stores, inc. (“reed”) and Sedge (Bermuda) Reinsurance Ltd. (“Sedge”)"],
            ["reed stores inc.", "Sedge (Bermuda) Reinsurance Ltd."],
        ),
        (
            ["made by Reed Lodging, Inc. (“Recipient”), in favor of Sedge S.A. de C.V., a company (“Owner”)"],
            ["Reed Lodging Inc.", "Sedge S.A. de C.V."],
        ),
        (
            ["by and between Reed Brands, Inc. (“Reed”) and the undersigned employee.", "Printed Name: Gail Sedge"],
            ["Reed Brands Inc.", "Gail Sedge"],
        ),
        (["I, Ann B. Sedge, agree with Reed Solar Corporation (“Reed”):"], ["Ann B. Sedge", "Reed Solar Corporation"]),
        (["Contractor: Ann Sedge\nCompany: Reed Works LLC"], ["Ann Sedge", "Reed Works LLC"]),
        (
            [
                "The undersigned agree.",
                "REED CORPORATION",
                "By: /s/ Ann Moss",
                "Title: President",
                "SEDGE LTD.",
                "By: ____",
            ],
            ["REED CORPORATION", "SEDGE LTD."],
        ),
    ],
)
def test_parties_are_found_wherever_an_agreement_names_them(texts, parties):
    assert said("NON-DISCLOSURE AGREEMENT", *texts)["party"] == parties


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


@pytest.mark.parametrize(
    "text",
    [
        "Harbour Bank, N.A., as Administrative Agent and Swing Line Lender, and the banks party hereto",
        "Harbour Bank, N.A., a national banking association, as Administrative Agent for the Banks",
        "Harbour Bank, N.A. (the “Administrative Agent”)",
    ],
)
def test_the_holder_of_a_role_is_named_before_it(text):
    schema = ExtractSchema.of("borrower, administrative agent")
    pages = catalog("Dated 15 November 2019 among", "3QUAY COMPANY\nas Borrower,", text)
    found = {one.path: one.value for one in ProseExtractor().propose(pages, schema)}
    assert found == {"borrower": "3QUAY COMPANY", "administrative_agent": "Harbour Bank N.A."}
