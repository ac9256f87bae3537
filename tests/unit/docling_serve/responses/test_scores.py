from __future__ import annotations

import pytest

from quire.core.types import BBox, Block
from quire.docling_serve.responses.scores import PageScores, confidence, scores_of


def block(page: int, text: str, score: float | None = None) -> Block:
    return Block(f"p{page}-b1", page, "paragraph", text, BBox(0, 0, 1, 1), confidence=score)


def test_without_pages_everything_is_unspecified():
    assert confidence({}) == {
        "parse_score": None,
        "layout_score": None,
        "table_score": None,
        "ocr_score": None,
        "mean_score": None,
        "low_score": None,
        "mean_grade": "unspecified",
        "low_grade": "unspecified",
        "pages": {},
    }


@pytest.mark.parametrize(
    ("score", "grade"), [(0.49, "poor"), (0.5, "fair"), (0.8, "good"), (0.9, "excellent"), (1.0, "excellent")]
)
def test_grades(score, grade):
    found = confidence({1: PageScores(ocr=score)})
    assert (found["mean_grade"], found["pages"]["1"]["low_grade"]) == (grade, grade)
    assert found["ocr_score"] == pytest.approx(score)


def test_the_document_has_the_means_of_its_pages():
    found = confidence({2: PageScores(parse=1.0, ocr=0.6), 1: PageScores(parse=0.5)})
    assert list(found["pages"]) == ["1", "2"]
    page = found["pages"]["2"]
    assert (page["mean_score"], page["pages"]) == (pytest.approx(0.8), {})
    assert page["low_score"] == pytest.approx(0.62)  # 5 % of the way from the lowest
    assert found["mean_score"] == pytest.approx(0.65)
    assert found["parse_score"] == pytest.approx(0.55)  # 10 % of the way from the lowest


def test_scores_come_from_the_blocks():
    found = scores_of([block(1, "abcd"), block(1, "ab\ufffd\ue000"), block(2, "xy", 0.5), block(2, "xyxyxy", 0.9)], [3])
    assert found[1] == PageScores(parse=0.75)
    assert found[2] == PageScores(ocr=pytest.approx(0.8))
    assert found[3] == PageScores()
