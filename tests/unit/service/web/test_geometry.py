"""Boxes lie where the ink is: on upright, turned and cropped pages, at any size."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

NEAR = 2.0
"""Pixels of the screen."""

# Where the red picture and the black word are, by the pixels of the page and by the boxes, in pixels of the screen.
MEASURE = """async (sheet) => {
  const image = sheet.querySelector(".picture");
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const paint = canvas.getContext("2d");
  paint.drawImage(image, 0, 0);
  const { data } = paint.getImageData(0, 0, canvas.width, canvas.height);
  const paper = sheet.getBoundingClientRect();
  const inked = (is) => {
    let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
    for (let y = 0; y < canvas.height; y++)
      for (let x = 0; x < canvas.width; x++)
        if (is(4 * (y * canvas.width + x))) {
          [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
          [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
        }
    const [across, down] = [paper.width / canvas.width, paper.height / canvas.height];
    return [left * across, top * down, right * across, bottom * down];
  };
  const placed = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left - paper.left, box.top - paper.top, box.right - paper.left, box.bottom - paper.top];
  };
  return {
    red: inked((at) => data[at] > 200 && data[at + 1] < 60),
    black: inked((at) => data[at] < 100),
    figure: placed(sheet.querySelector(".box[data-kind=figure]")),
    word: placed(sheet.querySelector(".word")),
  };
}"""


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5], ids=["upright", "90", "180", "270", "cropped"])
def test_a_box_is_where_its_ink_is(show, samples, number):
    page = show(samples.marked, number=number)
    page.keyboard.press("w")
    sheet = page.locator(f".sheet[data-page='{number}']:not(.loading)")
    expect(sheet.locator(".word")).to_have_count(1)
    for zoom in ("fit", "+", "-"):
        if zoom != "fit":
            page.keyboard.press(zoom)
        found = sheet.evaluate(MEASURE)
        assert found["figure"] == pytest.approx(found["red"], abs=NEAR), zoom
        left, top, right, bottom = found["word"]
        assert [left, right] == pytest.approx([found["black"][0], found["black"][2]], abs=NEAR), zoom
        assert top - NEAR < found["black"][1] < found["black"][3] < bottom + NEAR, "accents and descenders have room"
