"""Nearly equal pictures: the same page saved again, and never a page that says something else."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image, ImageDraw, ImageFont

from quire import recognize
from quire.core.engine import Question, answer_key
from quire.core.picture import Picture
from quire.pages.recognize.similar import Fingerprint, SimilarAnswers

ENGINE = recognize.echo()


def receipt(amount: str, *, dpi: int = 150, points: float = 9, ink: int = 0, item: str = "Coffee") -> Image.Image:
    """A page with a letterhead, twenty lines and one amount."""
    image = Image.new("L", (5 * dpi, 8 * dpi), 250)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=points * dpi / 72)
    step = points * 1.4 * dpi / 72
    pen.rectangle((dpi // 2, dpi // 4, 4 * dpi, dpi // 2), fill=40)
    for line in range(20):
        text = f"Total EUR {amount}" if line == 13 else f"{line + 1} x {item} at the harbour office"
        pen.text((dpi // 2, dpi + line * step), text, font=font, fill=ink)
    return image


def picture(image: Image.Image, dpi: float = 150) -> Picture:
    return Picture(*image.size, image.mode, image.tobytes(), dpi)


def saved(image: Image.Image, quality: int) -> Image.Image:
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert(image.mode)


def similarity(one: Image.Image, other: Image.Image, dpi: float = 150) -> float:
    return Fingerprint.of(picture(one, dpi)).similarity(Fingerprint.of(picture(other, dpi)))


@pytest.mark.parametrize("quality", [95, 85, 75])
@pytest.mark.parametrize("dpi", [150, 300])
def test_a_page_saved_again_as_jpeg_is_the_same(quality, dpi):
    page = receipt("1203.50", dpi=dpi)
    assert similarity(page, saved(page, quality), dpi) >= 0.99


@pytest.mark.parametrize("amount", ["1203.60", "1208.50", "1203,50", "1203.56", "7203.50", "1203.5", "-203.50"])
@pytest.mark.parametrize(("dpi", "points"), [(100, 8), (150, 7), (200, 6)])
def test_another_amount_is_another_page(amount, dpi, points):
    pages = [receipt(text, dpi=dpi, points=points) for text in ("1203.50", amount)]
    assert similarity(*pages, dpi=dpi) < 0.99
    assert similarity(pages[0], saved(pages[1], 85), dpi) < 0.99


def test_another_amount_in_faint_print_is_another_page():
    assert similarity(receipt("1203.50", ink=180), receipt("1208.50", ink=180)) < 0.99


def test_one_letterhead_does_not_make_two_pages_the_same():
    assert similarity(receipt("10.00"), receipt("10.00", item="Tea")) < 0.1


def test_an_equal_page_is_wholly_similar_in_colour_too():
    page = receipt("10.00")
    assert similarity(page, page) == 1.0
    assert similarity(page, page.convert("RGB")) >= 0.99


def test_pages_of_other_sizes_are_not_compared():
    assert similarity(receipt("10.00"), receipt("10.00", dpi=151)) == 0.0


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (9, 9)])
def test_the_smallest_pictures_have_fingerprints(size):
    image = Image.new("L", size, 200)
    assert similarity(image, image) == 1.0
    assert similarity(image, Image.new("L", size, 100)) < 0.99


def question(page: Picture, **more) -> Question:
    return Question(page.size, page.dpi, **more)


def test_an_earlier_answer_is_found():
    page = receipt("1203.50")
    first, again = picture(page), picture(saved(page, 90))
    answers = SimilarAnswers()
    answers.add(ENGINE, picture(receipt("1203.60")), question(first))
    assert answers.find(ENGINE, again, question(again)) is None
    answers.add(ENGINE, first, question(first))
    found = answers.find(ENGINE, again, question(again))
    assert found is not None
    assert found.key == answer_key(ENGINE, first.digest, question(first))
    assert 0.99 <= found.similarity < 1.0
    answers.close()


def test_other_engines_and_other_questions_have_other_answers():
    page = picture(receipt("1203.50"))
    answers = SimilarAnswers()
    answers.add(ENGINE, page, question(page))
    assert answers.find(recognize.echo("other"), page, question(page)) is None
    assert answers.find(ENGINE, page, question(page, strict=True)) is None
    assert answers.find(ENGINE, page, question(page)) is not None
    answers.close()


def test_a_lower_threshold_lets_more_pass():
    page = receipt("1203.50")
    blurred = picture(saved(page, 20))
    strict, lax = SimilarAnswers(), SimilarAnswers(threshold=0.7)
    for answers in (strict, lax):
        answers.add(ENGINE, picture(page), question(blurred))
    assert strict.find(ENGINE, blurred, question(blurred)) is None
    assert lax.find(ENGINE, blurred, question(blurred)) is not None
    strict.close()
    lax.close()


def test_the_index_lasts_in_a_file(tmp_path):
    page = picture(receipt("1203.50"))
    for _ in range(2):  # adding again changes nothing
        answers = SimilarAnswers(tmp_path / "similar.sqlite")
        answers.add(ENGINE, page, question(page))
        answers.close()
    answers = SimilarAnswers(tmp_path / "similar.sqlite")
    assert answers.find(ENGINE, page, question(page)) is not None
    answers.close()
