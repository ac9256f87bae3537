"""Preparation of pages and regions as stages of a pipeline."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from quire.core.engine import ReadLine
from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region
from quire.pages.prepare import PrepareProfile, prepare
from quire.pages.prepare.pixels import picture_of, pixels_of
from quire.pipeline import Pipeline, detector, preprocess, recognizer, regions
from quire.pipelines.roles import Crop


def sheet(*, degrees: float = 0.0) -> Picture:
    """A page of lines, askew."""
    pixels = np.full((1100, 850), 255, np.uint8)
    for row in range(20):
        cv2.putText(pixels, "every vessel that enters the bay", (90, 120 + 45 * row), 0, 0.9, 0, 2)
    turn = cv2.getRotationMatrix2D((425, 550), -degrees, 1.0)
    return picture_of(cv2.warpAffine(pixels, turn, (850, 1100), borderValue=255), 100.0)


def test_a_page_askew_is_straightened():
    made = preprocess.deskew().preprocess(sheet(degrees=3.0))
    assert made.angle == pytest.approx(357, abs=0.5)
    assert preprocess.deskew().preprocess(sheet()).picture.size == (850, 1100)


def test_each_preparation_does_its_own_thing_alone():
    picture = sheet(degrees=3.0)
    assert preprocess.normalize().preprocess(picture).angle == 0
    assert preprocess.orientation().preprocess(picture).angle == 0
    fine = Picture(picture.width, picture.height, "L", picture.pixels, 400.0)
    assert preprocess.normalize(dpi=100, max_dpi=150).preprocess(fine).picture.width < 850
    assert preprocess.deskew().preprocess(fine).picture.dpi == 400.0
    everything = preprocess.prepared()
    assert everything.preprocess(picture).picture == prepare(picture, PrepareProfile())[0]


def test_denoising_smooths_paper_and_keeps_ink():
    clean = pixels_of(sheet())
    noisy = np.clip(clean + np.random.default_rng(3).normal(-12, 10, clean.shape), 0, 255).astype(np.uint8)
    calm = pixels_of(preprocess.denoise().preprocess(picture_of(noisy, 100.0)))
    paper = clean == 255
    assert calm[paper].std() < 0.7 * noisy[paper].std()
    assert calm[clean == 0].mean() < 60


def crop() -> Crop:
    picture = sheet()
    box = BBox(0.1, 0.1, 0.8, 0.5)
    return Crop(Region("a", box), picture.crop(box), box)


def test_a_region_is_made_black_on_white():
    (made,) = regions.binarize().preprocess_region(crop())
    assert set(made.picture.pixels) == {0, 255}
    assert made.box == crop().box


def test_padding_reaches_beyond_the_region():
    (made,) = regions.pad(17).preprocess_region(crop())
    assert made.picture.width == crop().picture.width + 34
    assert made.box.left == pytest.approx(0.1 - 17 * 0.8 / crop().picture.width)
    assert made.box.right == pytest.approx(0.9 + 17 * 0.8 / crop().picture.width)


def test_slices_lie_one_below_the_other():
    made = regions.slice_horizontal(height=120).preprocess_region(crop())
    assert len(made) >= 5
    tops = [one.box.top for one in made]
    assert tops == sorted(tops)
    assert made[0].box.bottom == pytest.approx(made[1].box.top)
    assert made[-1].box.bottom == pytest.approx(0.6)


@pytest.mark.parametrize("make", [lambda: regions.pad(0), lambda: regions.slice_horizontal(height=10, overlap=10)])
def test_impossible_settings_are_refused(make):
    with pytest.raises(ConfigurationError):
        make()


def test_lines_in_two_overlapping_slices_are_read_once(tmp_path):
    @recognizer
    def rows(picture, question):
        """A line for each row of letters, at its place."""
        ink = (pixels_of(picture) < 128).any(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], ink, [False]])))
        places = [(top, bottom) for top, bottom in zip(edges[::2], edges[1::2], strict=True) if bottom - top > 12]
        height = picture.height
        return [ReadLine("row", BBox(0.1, top / height, 0.8, (bottom - top) / height)) for top, bottom in places]

    path = tmp_path / "page.png"
    path.write_bytes(sheet().png())
    whole = detector(lambda picture: Layout((Region("all", BBox(0, 0, 1, 0.99)),)), name="whole")
    result = Pipeline(whole, regions.slice_horizontal(height=300, overlap=90), rows)(path)
    plain = Pipeline(whole, rows)(path)
    assert len(result.recognitions[1][0].lines) == len(plain.recognitions[1][0].lines) == 20
