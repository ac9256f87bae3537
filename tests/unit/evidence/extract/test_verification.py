"""Proposals against the document: right ones stand, wrong ones are found, wrong citations are repaired."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.mutations import mutations

from quire.core.keys import ArtifactKey, Digest, digest_of
from quire.core.types import AnswerSource, BBox, Part
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.extract.values import Derivation, Proposal
from quire.evidence.extract.verification import checked
from quire.output.place_crops import crop_id
from quire.retrieval.chunk import ChunkOptions
from tests.unit.evidence.catalog.documents import invoice_catalog, record_with
from tests.unit.output.export.results import block, result, table


def proposed(path: str, value: object, quote: str, where: str | None = None, *, level: str = "block") -> Proposal:
    return Proposal(path, value, (record_with(where or quote, level=level),), quote, 0.9, "test")


LEAVES = {
    "number": LeafSpec("number", "number", kind="code"),
    "date": LeafSpec("date", "date", kind="date"),
    "seller": LeafSpec("seller", "seller", kind="name"),
    "address": LeafSpec("address", "address", kind="address"),
    "total": LeafSpec("total", "total", kind="amount"),
    "net": LeafSpec("net", "net", "number"),
    "rate": LeafSpec("rate", "rate", kind="percentage"),
    "quantity": LeafSpec("quantity", "quantity", "integer"),
    "law": LeafSpec("law", "law"),
    "term": LeafSpec("term", "term", kind="duration"),
    "effective": LeafSpec("effective", "effective", kind="date"),
    "claims": LeafSpec("claims", "claims", "number"),
    "insured": LeafSpec("insured", "insured", "boolean", kind="boolean"),
    "settled": LeafSpec("settled", "settled", enum=("arbitration", "court")),
    "currency": LeafSpec("currency", "currency", kind="currency"),
}
RIGHT = [
    ("number", "EC-2031/0417", "EC-2031/0417", None, "exact"),
    ("date", "2031-03-12", "12 March 2031", None, "date"),
    ("seller", "Easthaven Chandlery Ltd", "Easthaven Chandlery Ltd", None, "exact"),
    ("address", "14 Long Stone Pier Easthaven", "14 Long Stone Pier, Easthaven", None, "fuzzy"),
    ("total", "675.48", "Total due 675.48 EUR", None, "exact"),
    ("total", 675.48, "Total due 675.48", None, "numeric"),
    ("net", 562.9, "Net amount 562.90", None, "numeric"),
    ("rate", 20, "VAT 20 %", None, "exact"),
    ("law", "Delaware", "laws of the State of Delaware", "Delaware", "exact"),
    ("term", "36 months", "a period of three (3) years", "Delaware", "numeric"),
    ("effective", "2031-05-05", "as of the 5th day of May, 2031", "Delaware", "date"),
    ("claims", 1500000, "Claims of up to $1.5 million", "Delaware", "numeric"),
    ("insured", False, "The goods are not insured", "Delaware", "exact"),
    ("settled", "arbitration", "settled by arbitration", "Delaware", "exact"),
    ("currency", "EUR", "Total due 675.48 EUR", None, "exact"),
]


@pytest.mark.parametrize(("path", "value", "quote", "where", "match"), RIGHT)
def test_what_stands_where_it_is_cited_is_found(path, value, quote, where, match):
    quote = quote if where is None else " ".join(quote.split())
    evidence = checked(proposed(path, value, quote, where), LEAVES[path], invoice_catalog())
    assert (evidence.status, evidence.match, evidence.reason) == ("found", match, "")
    assert evidence.bboxes
    assert evidence.crop


@pytest.mark.parametrize(("path", "value", "quote", "where", "match"), RIGHT)
def test_every_mutation_of_a_right_proposal_is_found(path, value, quote, where, match):
    catalog = invoice_catalog()
    tried = 0
    for mutation in mutations(proposed(path, value, quote, where), catalog):
        evidence = checked(mutation.proposal, LEAVES[path], catalog, version=mutation.version)
        assert evidence.status in (("unverified",) if mutation.of_value else ("unverified", "repaired")), mutation
        assert evidence.reason, mutation
        tried += 1
    assert tried >= 6


def test_every_cell_of_a_table_stands_for_its_own_value_and_no_other():
    catalog = invoice_catalog()
    cells = [record for record in catalog.records if record.level == "cell"]
    for cell in cells:
        for other in cells:
            evidence = checked(
                Proposal("x", other.text, (cell.id,), cell.text, 1.0, "test"), LeafSpec("x", "x"), catalog
            )
            assert (evidence.status == "found") is (cell.text == other.text), (cell.text, other.text)


def test_the_boxes_are_tight_and_the_crop_is_theirs():
    catalog = invoice_catalog()
    evidence = checked(proposed("total", "675.48", "Total due 675.48 EUR"), LEAVES["total"], catalog)
    (box,) = evidence.bboxes
    whole = catalog.by_id[evidence.records[0]].places[0].bbox
    assert box.width < whole.width / 2
    assert evidence.crop == crop_id(catalog.document, 1, box)
    assert evidence.confidence == {"extractor": 0.9, "total": 0.9}


def test_a_wrong_record_is_repaired_by_the_quote():
    catalog = invoice_catalog()
    right = proposed("total", "675.48", "Total due 675.48")
    wrong = replace(right, records=(record_with("Payment is due"),))
    evidence = checked(wrong, LEAVES["total"], catalog)
    assert (evidence.status, evidence.page, evidence.records) == ("repaired", 1, right.records)
    assert "is not in" in evidence.reason


def test_a_value_without_a_citation_is_found_if_there_is_no_doubt():
    catalog = invoice_catalog()
    found = checked(Proposal("total", "675.48", (), "", 0.9, "test"), LEAVES["total"], catalog)
    assert (found.status, found.reason) == ("repaired", "it cites nothing")
    doubtful = checked(Proposal("quantity", 3, (), "", 0.9, "test"), LEAVES["quantity"], catalog)
    assert doubtful.status == "unverified"


def test_a_short_quote_that_stands_twice_shows_nothing_without_its_box():
    first = block("paragraph", "Yes, the pilots agreed. The harbour master said Yes again.", id="p1-b1")
    catalog = catalog_of(result(first, block("paragraph", "Yes and no.", id="p1-b2")))
    leaf = LeafSpec("answer", "answer")
    bare = Proposal("answer", "Yes", ("p1-b1",), "Yes", 1.0, "test")
    assert checked(bare, leaf, catalog).status == "unverified"
    assert checked(replace(bare, places=(Part(1, first.bbox),)), leaf, catalog).status == "found"


def test_a_quote_that_says_something_else_is_never_repaired():
    """675.48 stands in the document; but the extractor points at 562.90."""
    evidence = checked(proposed("net", 675.48, "Net amount 562.90"), LEAVES["net"], invoice_catalog())
    assert evidence.status == "unverified"
    assert evidence.reason == "its quote 'Net amount 562.90' does not say '675.48'"


def test_an_answer_about_a_similar_picture_is_no_evidence():
    source = AnswerSource("vision", "1", Digest("aa"), ArtifactKey("bb"), similarity=0.98)
    catalog = catalog_of(result(block("paragraph", "Total due 675.48 EUR", id="p1-b1", source=source)))
    proposal = Proposal("total", "675.48", ("p1-b1",), "Total due 675.48", 1.0, "test")
    evidence = checked(proposal, LEAVES["total"], catalog)
    assert evidence.status == "unverified"
    assert "similar picture" in evidence.reason


def test_a_citation_of_another_version_is_looked_up_again():
    catalog = invoice_catalog()
    proposal = proposed("total", "675.48", "Total due 675.48")
    assert checked(proposal, LEAVES["total"], catalog, version=catalog.version).status == "found"
    evidence = checked(proposal, LEAVES["total"], catalog, version=digest_of("other"))
    assert evidence.status == "repaired"
    assert evidence.reason.startswith("it cites version")


@pytest.mark.parametrize(
    ("value", "rule", "parts", "status"),
    [
        (675.48, "sum", ["Net amount 562.90", "112.58"], "found"),
        (675.48, "sum", ["562.90", "112.58"], "found"),
        (675.49, "sum", ["562.90", "112.58"], "unverified"),
        (675.48, "sum", ["562.90", "112.59"], "unverified"),
        (450.32, "difference", ["562.90", "112.58"], "found"),
        (20, "percentage", ["112.58", "562.90"], "found"),
    ],
)
def test_a_derived_value_is_computed_again(value, rule, parts, status):
    catalog = invoice_catalog()
    cited = tuple((part, record_with("Net amount" if "562" in part else "VAT")) for part in parts)
    proposal = Proposal("x", value, (), "", 1.0, "test", derivation=Derivation(rule, cited))
    evidence = checked(proposal, LeafSpec("x", "x", "number"), catalog)
    assert evidence.status == status, evidence.reason
    assert evidence.match == ("derived" if status == "found" else None)


def test_what_was_misread_by_ocr_is_found_in_nearly_the_same_letters():
    source = AnswerSource("tesseract", "5", Digest("aa"), ArtifactKey("bb"))
    text = "Easthaven Chandlcry Ltd\n14 Long Stone Pier"
    catalog = catalog_of(result(block("paragraph", text, id="p1-b1", source=source, confidence=0.7)))
    proposal = Proposal("seller", "Easthaven Chandlery Ltd", ("p1-b1",), "Easthaven Chandlery Ltd", 1.0, "test")
    evidence = checked(proposal, LEAVES["seller"], catalog)
    assert (evidence.status, evidence.match, evidence.confidence["ocr"]) == ("found", "fuzzy", 0.7)
    assert evidence.quote == "Easthaven Chandlcry Ltd"


def test_alternatives_keep_their_places():
    catalog = invoice_catalog()
    other = proposed("total", "562.90", "Net amount 562.90")
    gone = replace(other, records=("p9-b9",))
    proposal = replace(proposed("total", "675.48", "Total due 675.48"), alternatives=(other, gone))
    (kept,) = checked(proposal, LEAVES["total"], catalog).alternatives
    assert (kept.value, kept.page) == ("562.90", 1)


@pytest.mark.parametrize("value", [None, "", ["a"], {"a": 1}])
def test_what_is_no_single_value_is_unverified(value):
    proposal = Proposal("x", value, (record_with("Total due"),), "Total due", 1.0, "test")
    assert checked(proposal, LeafSpec("x", "x"), invoice_catalog()).status == "unverified"


def test_a_box_beside_the_page_is_said():
    proposal = replace(proposed("total", "675.48", "Total due 675.48"), places=(Part(1, BBox(0.9, 0.1, 0.4, 0.1)),))
    assert "not inside page 1" in checked(proposal, LEAVES["total"], invoice_catalog()).reason


def test_an_address_over_two_blocks_is_one_quote():
    first = block("paragraph", "14 Long Stone Pier", id="p1-b1", bbox=BBox(0.1, 0.1, 0.3, 0.02))
    second = block("paragraph", "4711 Easthaven", id="p1-b2", bbox=BBox(0.1, 0.13, 0.3, 0.02))
    catalog = catalog_of(result(first, second))
    text = "14 Long Stone Pier, 4711 Easthaven"
    evidence = checked(Proposal("address", text, ("p1-b1", "p1-b2"), text, 1.0, "test"), LEAVES["address"], catalog)
    assert (evidence.status, evidence.match, evidence.blocks) == ("found", "fuzzy", ("p1-b1", "p1-b2"))
    assert evidence.bboxes == (first.bbox, second.bbox)


def test_a_legal_form_may_be_spelled_out():
    catalog = catalog_of(result(block("paragraph", "between Escalade, Incorporated and the club", id="p1-b1")))
    proposal = Proposal("seller", "Escalade Inc.", ("p1-b1",), "Escalade, Incorporated", 1.0, "test")
    assert checked(proposal, LEAVES["seller"], catalog).match == "fuzzy"
    wrong = replace(proposal, value="Escalade Ltd.")
    assert checked(wrong, LEAVES["seller"], catalog).status == "unverified"


def test_a_quote_may_leave_something_out_at_an_ellipsis():
    quote = "This agreement is made … the Old Basin Rowing Club"
    proposal = proposed("seller", "Old Basin Rowing Club", quote, "This agreement")
    assert checked(proposal, LEAVES["seller"], invoice_catalog()).status == "found"


def test_a_chunk_of_some_rows_says_nothing_about_the_others():
    rows = [["Spot", "Air date", "Rate"], *([f"KAAL {n}", f"{n:02}/03/2031", f"{n}90.00"] for n in range(1, 29))]
    catalog = catalog_of(result(table(rows)), ChunkOptions(max_tokens=60))
    chunks = [record for record in catalog.records if record.level == "chunk"]
    assert len(chunks) > 2
    held = [one.id for one in chunks if "2031-03-28" in one.text or "28/03/2031" in one.text]
    for chunk in chunks:
        proposal = Proposal("date", "28/03/2031", (chunk.id,), "28/03/2031", 1.0, "test")
        evidence = checked(proposal, LEAVES["date"], catalog)
        assert (evidence.status == "found") is (chunk.id in held)


def test_a_code_is_not_taken_for_a_negative_amount():
    """`X-1` is not said by `(1)`, which is the amount of -1."""
    from quire.evidence.extract.schema import LeafSpec
    from quire.evidence.extract.wanted import LeafValue
    from quire.evidence.verify.matches import SearchedText

    value = LeafValue("X-1", LeafSpec("reference", "reference"))
    assert list(value.found_in(SearchedText("a loss of (1) this year"))) == []
    assert list(value.found_in(SearchedText("our reference X-1")))
