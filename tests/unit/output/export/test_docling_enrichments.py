from __future__ import annotations

import pytest

from quire.output.export.docling_enrichments import CLASSES, enrichable, enriched, understood

PAGE = {"1": {"page_no": 1, "size": {"width": 100.0, "height": 100.0}}}


def picture(number: int, side: float | None) -> dict[str, object]:
    box = {"l": 0.0, "t": side, "r": side, "b": 0.0, "coord_origin": "BOTTOMLEFT"}
    place = [] if side is None else [{"page_no": 1, "bbox": box}]
    return {"self_ref": f"#/pictures/{number}", "prov": place, "meta": None, "annotations": []}


DOCUMENT = {
    "pages": PAGE,
    "pictures": [picture(0, 20.0), picture(1, 30.0), picture(2, None)],
    "texts": [
        {"self_ref": "#/texts/0", "label": "code", "text": "print()"},
        {"self_ref": "#/texts/1", "label": "text"},
    ],
}


def test_small_pictures_are_classified_but_not_described():
    kinds = ("picture_description", "picture_classification", "code_enrichment")
    found = [(kind, item["self_ref"]) for kind, item in enrichable(DOCUMENT, kinds, 0.05)]
    assert [item for kind, item in found if kind == "picture_description"] == ["#/pictures/1", "#/pictures/2"]
    assert len([item for kind, item in found if kind == "picture_classification"]) == 3
    assert ("code_enrichment", "#/texts/0") in found and ("code_enrichment", "#/texts/1") not in found


@pytest.mark.parametrize(
    ("kind", "answer", "kept"),
    [
        ("picture_classification", "Bar chart.", "bar_chart"),
        ("picture_classification", "`qr_code`", "qr_code"),
        ("code_enrichment", "c++", "C++"),
        ("chart_extraction", "None.", "none"),
        ("chart_extraction", "Here it is:\n```csv\na,b\n1,2\n```", "a,b\n1,2"),
        ("picture_description", " A boat.\n", "A boat."),
    ],
)
def test_what_is_kept_of_an_answer(kind, answer, kept):
    assert understood(kind, answer) == kept


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("picture_classification", "I cannot see a picture."),
        ("code_enrichment", "It is Python, I think"),
        ("chart_extraction", "This chart shows that trade has grown."),
    ],
)
def test_an_answer_that_means_nothing_is_not_kept(kind, answer):
    with pytest.raises(ValueError, match="the answer is n"):
        understood(kind, answer)


def test_classes_are_those_of_docling():
    from docling_core.types.doc.labels import PictureClassificationLabel

    assert set(CLASSES) <= {label.value for label in PictureClassificationLabel}


def test_rows_of_a_chart_are_as_wide_as_the_widest_and_the_document_is_not_changed():
    addition = {"item": "#/pictures/0", "kind": "chart_extraction", "said": "a,b\n1,2,3", "by": "m"}
    made = enriched(DOCUMENT, [addition, {**addition, "item": "#/pictures/1", "said": "none"}])
    chart = made["pictures"][0]["meta"]["tabular_chart"]["chart_data"]
    assert (chart["num_rows"], chart["num_cols"], len(chart["table_cells"])) == (2, 3, 6)
    assert made["pictures"][1]["meta"] is None and DOCUMENT["pictures"][0]["meta"] is None
