"""Papers and CVs: what stands below the heading that a field is named after."""

from __future__ import annotations

from quire.core.context import Json
from quire.core.types import BBox, Block, BlockKind
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from tests.unit.evidence.extract.made import read_as


def document(*texts: tuple[BlockKind, str]) -> SourceCatalog:
    boxes = [BBox(0.1, 0.02 + 0.02 * at, 0.8, 0.015) for at in range(len(texts))]
    return read_as(
        *(
            Block(f"p1-b{at}", 1, kind, text, boxes[at], level=2 if kind == "heading" else None)
            for at, (kind, text) in enumerate(texts)
        )
    )


CV = document(
    ("title", "Dr. Ada Quay"),
    ("paragraph", "ada.quay@harbour.example | +44 1482 555 0134\nlinkedin.com/in/adaquay"),
    ("paragraph", "Harbour engineer with twenty years of building quays, moles and breakwaters in the North Sea."),
    ("heading", "WORK EXPERIENCE"),
    ("heading", "Chief Engineer – Mole & Sons"),
    ("paragraph", "March 2018 - Present"),
    ("paragraph", "Led the building of two breakwaters"),
    ("heading", "Engineer"),
    ("paragraph", "Port of Hull | Hull | 2010-2018"),
    ("heading", "EDUCATION"),
    ("heading", "MSc Civil Engineering, University of Hull"),
    ("paragraph", "2005 – 2009"),
    ("heading", "PUBLICATIONS"),
    ("list_item", "1. Quay, A. & Pier, B. (2016). “Scour at the Toe of Moles.” Journal of Harbours, 12(3)."),
    ("heading", "LANGUAGES"),
    ("paragraph", "English (native), Dutch\nNorwegian (read, not spoken)"),
    ("heading", "SAILING"),
    ("paragraph", "Every summer"),
)


def object_of(*names: str) -> dict[str, Json]:
    properties: dict[str, Json] = {name: {"type": "string"} for name in names}
    if "isCurrent" in properties:
        properties["isCurrent"] = {"type": "boolean"}
    return {"type": "array", "items": {"type": "object", "properties": properties}}


def found(catalog: SourceCatalog, **asked: object) -> Extraction:
    return extract(catalog, ExtractSchema.of({"type": "object", "properties": asked}), [OfflineExtractor()])


def test_positions_have_title_employer_dates_and_what_is_said_below_them():
    jobs = found(
        CV, workExperience=object_of("jobTitle", "employer", "startDate", "endDate", "isCurrent", "description")
    )
    assert [tuple(one.values()) for one in jobs.values["workExperience"]] == [
        ("Chief Engineer", "Mole & Sons", "March 2018", None, True, "Led the building of two breakwaters"),
        ("Engineer", "Port of Hull", "2010", "2018", False, None),
    ]
    assert jobs["workExperience[0].employer"].status == "found"
    assert jobs["workExperience[1].endDate"].status == "found"


def test_a_degree_is_divided_where_the_institution_begins():
    degrees = found(CV, education=object_of("qualification", "institution", "startDate", "endDate"))
    assert [tuple(one.values()) for one in degrees.values["education"]] == [
        ("MSc Civil Engineering", "University of Hull", "2005", "2009")
    ]


def test_a_publication_has_authors_year_title_and_journal():
    works = found(CV, publications=object_of("authors", "year", "title", "publisher"))
    (work,) = works.values["publications"]
    assert (work["authors"], work["year"]) == ("Quay, A. & Pier, B", "2016")
    assert work["title"] == "Scour at the Toe of Moles"
    assert work["publisher"].startswith("Journal of Harbours")


def test_lists_of_texts_end_with_their_section_and_commas_in_brackets_divide_nothing():
    listed = found(CV, languages={"type": "array", "items": {"type": "string"}})
    assert listed.values["languages"] == ["English (native)", "Dutch", "Norwegian (read, not spoken)"]


def test_the_head_of_a_cv_says_who_it_is_and_how_to_reach_them():
    text: Json = {"type": "string"}
    texts: Json = {"type": "array", "items": text}
    head = found(CV, full_name=text, personal_statement=text, emails=texts, phones=texts, socialLinks=texts)
    assert head.values["full_name"] == "Dr. Ada Quay"
    assert head.values["personal_statement"].startswith("Harbour engineer with twenty years")
    assert head.values["emails"] == ["ada.quay@harbour.example"]
    assert head.values["phones"] == ["+44 1482 555 0134"]
    assert head.values["socialLinks"] == ["linkedin.com/in/adaquay"]
    assert head.coverage.share == 1.0


PAPER = document(
    ("title", "Scour at the Toe of Moles"),
    ("paragraph", "Ada Quay1, B. van der Pier2, Åse Brygge\nInstitute of Harbours, Hull\nada@hull.example"),
    ("heading", "Abstract"),
    ("paragraph", "We measure scour at moles,"),
    ("paragraph", "and find it at the toe."),
    ("heading", "1 Introduction"),
    ("paragraph", "Moles are old."),
    ("heading", "References"),
    ("paragraph", "[1] J. Stone and K. Rubble. Armour layers in shallow water. Coastal Review, 2003."),
)


def test_a_paper_has_its_title_authors_abstract_and_references():
    shown = found(
        PAPER,
        title={"type": "string"},
        abstract={"type": "string"},
        authors=object_of("name", "affiliation", "email"),
        citations=object_of("authors", "title", "venue", "year"),
    )
    assert shown.values["title"] == "Scour at the Toe of Moles"
    assert shown.values["abstract"] == "We measure scour at moles, and find it at the toe."
    assert [one["name"] for one in shown.values["authors"]] == ["Ada Quay", "B. van der Pier", "Åse Brygge"]
    assert {one["affiliation"] for one in shown.values["authors"]} == {"Institute of Harbours"}
    (cited,) = shown.values["citations"]
    assert (cited["title"], cited["year"]) == ("Armour layers in shallow water", "2003")
    assert shown["abstract"].status == "found"


def test_a_document_without_such_headings_has_nothing_of_this():
    letter = document(("paragraph", "Education is everything, she said in 2005 – 2009."), ("heading", "Yours"))
    shown = found(letter, education=object_of("qualification", "startDate"), abstract={"type": "string"})
    assert shown.values == {"education": [], "abstract": None}
