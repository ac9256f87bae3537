"""Tesseract reads what is printed, and its absence and its failures are reported clearly."""

from __future__ import annotations

import os
import pickle
import textwrap
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.core.engine import Question
from quire.core.errors import ConfigurationError, EngineError
from quire.core.picture import Picture
from quire.core.types import BBox, Region
from quire.pages.recognize import engine_registry as registry
from quire.pages.recognize.tesseract import TesseractEngine, engine, program
from quire.pages.recognize.tesseract.input_picture import prepared
from quire.pages.recognize.tesseract.tiff import tiff
from quire.pages.recognize.tesseract.tsv import pages_of
from tests import documents

pytestmark = pytest.mark.processes

HEAD = b"level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
PAGE = b"1\t1\t0\t0\t0\t0\t0\t0\t200\t100\t-1\t\n"
BLANK = Picture(60, 40, "L", b"\xff" * 2400, 200.0)


def picture_of(image: Image.Image, dpi: float) -> Picture:
    mode = "L" if image.mode == "L" else "RGB"
    return Picture(*image.size, mode, image.convert(mode).tobytes(), dpi)


def printed(text: str) -> Picture:
    """Text on white, 200 dpi."""
    lines = text.split("\n")
    font = ImageFont.truetype("DejaVuSans.ttf", 40)
    image = Image.new("L", (1200, 60 + 60 * len(lines)), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((40, 30 + 60 * number), line, font=font, fill=0)
    return picture_of(image, 200.0)


def question_about(picture: Picture, *regions: Region, languages: tuple[str, ...] = ()) -> Question:
    return Question(picture.size, picture.dpi, languages, regions)


def text_of(reader: TesseractEngine, picture: Picture) -> str:
    question = question_about(picture)
    [read] = reader.interpret(reader.ask(picture, question), question)
    return read.text


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a program of the name tesseract on the search path that does `body` when it is asked to read."""

    def write(body: str, version: str = "tesseract 5.9") -> program.TesseractProgram:
        (tmp_path / "eng.traineddata").write_bytes(b"letters")
        listed = f'List of available languages in "{tmp_path}/" (1):\neng'
        lines = f"""\
            #!/bin/sh
            [ "$1" = --version ] && echo '{version}' && exit
            [ "$1" = --list-langs ] && printf '%s\\n' '{listed.splitlines()[0]}' eng osd && exit
            """
        path = tmp_path / "tesseract"
        path.write_text(textwrap.dedent(lines) + body)
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return program.find()

    return write


@pytest.mark.usefixtures("tesseract")
class TestReading:
    def test_a_printed_page_comes_back_as_it_was_written(self):
        picture = picture_of(documents.scan(dpi=200), 200.0)
        assert text_of(engine(), picture).split()[:8] == documents.prose(1).split()[:8]

    def test_words_stand_where_they_are_printed(self):
        picture = printed("harbour office")
        question = question_about(picture)
        reader = engine()
        [read] = reader.interpret(reader.ask(picture, question), question)
        [line] = read.lines
        assert [word.text for word in line.words] == ["harbour", "office"]
        left, top, _, bottom = line.bbox.points(picture.size)
        assert (round(left / 10), top >= 30, bottom <= 90) == (4, True, True)
        assert all(word.confidence is not None and word.confidence > 0.8 for word in line.words)

    def test_small_print_is_enlarged_before_it_is_read(self):
        picture = picture_of(documents.scan(dpi=70), 70.0)
        words = text_of(engine(), picture).split()
        expected = documents.prose(16).split()
        assert len(set(words) & set(expected)) > 0.9 * len(set(expected))

    def test_colour_makes_no_difference(self):
        grey = printed("harbour office")
        colour = picture_of(Image.frombytes("L", grey.size, grey.pixels).convert("RGB"), grey.dpi)
        assert text_of(engine(), colour) == text_of(engine(), grey)

    def test_languages_are_read_together(self):
        reader = engine(languages=("german", "en"))
        assert reader.profile.traineddata == ("deu", "eng")
        assert text_of(reader, printed("Größe der Straßen\nthe long stone pier")) == (
            "Größe der Straßen\nthe long stone pier"
        )

    def test_languages_of_the_question_come_before_those_of_the_engine(self):
        picture = printed("слово за слово")
        question = question_about(picture, languages=("ru",))
        reader = engine()
        [read] = reader.interpret(reader.ask(picture, question), question)
        assert read.text == "слово за слово"

    def test_regions_are_read_in_one_go_and_blank_ones_not_at_all(self):
        picture = printed("harbour office\nlong stone pier")
        upper, lower = BBox(0.0, 0.0, 1.0, 0.5), BBox(0.0, 0.5, 1.0, 0.5)
        regions = (Region("b", lower), Region("gone", upper, "blank"), Region("a", upper))
        question = question_about(picture, *regions)
        reader = engine()
        read = reader.interpret(reader.ask(picture, question), question)
        assert [(one.region, one.text) for one in read] == [
            ("b", "long stone pier"),
            ("gone", ""),
            ("a", "harbour office"),
        ]
        assert read[0].lines[0].bbox.top > 0.5 > read[2].lines[0].bbox.bottom

    def test_only_blank_regions_ask_nobody(self):
        question = question_about(BLANK, Region("gone", BBox(0, 0, 1, 1), "blank"))
        reader = engine()
        answer = reader.ask(BLANK, question)
        assert (answer, [one.text for one in reader.interpret(answer, question)]) == (b"", [""])

    def test_a_blank_page_says_nothing(self):
        assert text_of(engine(), BLANK) == ""

    def test_asking_leaves_no_file_behind(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        text_of(engine(), printed("harbour"))
        assert list(tmp_path.iterdir()) == []

    def test_a_copy_in_another_process_is_the_same_engine(self):
        reader = engine(languages=("de",))
        copy = pickle.loads(pickle.dumps(reader))
        assert (copy, copy.version) == (reader, reader.version)

    def test_the_version_tells_the_program_and_its_data(self):
        german, english = engine(languages=("de",)), engine()
        assert program.find().version in german.version
        assert german.version != english.version
        assert "deu:" in german.version

    def test_it_says_which_languages_are_there(self):
        assert {"en", "de", "de-fraktur", "ru"} <= engine().languages

    def test_missing_data_is_told_with_its_package_and_what_is_there(self):
        if "tir" in program.find().traineddata:
            pytest.skip("this machine has the data of Tigrinya")
        with pytest.raises(ConfigurationError, match=r"Tigrinya \(ti\).*apt install tesseract-ocr-tir.*deu, eng"):
            registry.make("tesseract", languages=("de", "ti"))


def test_a_machine_without_the_program_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match="apt install tesseract-ocr"):
        registry.make("tesseract")


def test_an_old_program_is_refused(script):
    with pytest.raises(ConfigurationError, match=r"4\.1\.1.*Tesseract 5"):
        script("", version="tesseract 4.1.1")


def test_a_program_that_hangs_is_ended_at_the_deadline(script, tmp_path):
    hanging = script(f"trap '' TERM; echo $$ > {tmp_path}/pid; exec sleep 600\n")
    with pytest.raises(EngineError, match=r"tesseract: no answer within 0\.5 s"):
        hanging.run(b"", [], 0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_program_that_crashes_is_an_error_of_the_engine(script):
    with pytest.raises(EngineError, match="ended by SIGSEGV"):
        script("kill -SEGV $$\n").run(b"", [], 30.0)


def test_the_last_complaint_of_the_program_is_the_reason(script):
    with pytest.raises(EngineError, match="exit code 3: the lens is dirty"):
        script("echo hm >&2; echo the lens is dirty >&2; exit 3\n").run(b"", [], 30.0)


def test_the_program_runs_on_one_thread(script):
    assert script('printf "$OMP_THREAD_LIMIT"\n').run(b"", [], 30.0) == b"1"


def test_other_data_is_another_version(script, tmp_path):
    there = script("")
    before = there.identity(["eng"])
    (tmp_path / "eng.traineddata").write_bytes(b"better letters")
    os.utime(tmp_path / "eng.traineddata", ns=(1, 1))
    assert there.identity(["eng"]) != before


@pytest.mark.parametrize(
    "answer", [b"", b"\xff\xfe", b"some text", HEAD, HEAD + PAGE[:12], HEAD + b"5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t90\tx\n"]
)
def test_half_an_answer_is_garbage(script, answer):
    script("")
    with pytest.raises(EngineError):
        engine().interpret(answer, question_about(BLANK))


def test_blocks_and_paragraphs_are_kept_in_the_order_of_the_program():
    rows = (b"5\t1\t2\t1\t1\t1\t10\t10\t20\t10\t90\tsecond\n", b"5\t1\t1\t3\t1\t1\t10\t50\t20\t10\t80\tfirst\n")
    [page] = pages_of(HEAD + PAGE + b"".join(rows))
    assert [(found.block, found.paragraph, found.line.text) for found in page] == [(2, 1, "second"), (1, 3, "first")]
    assert page[0].line.bbox == BBox(0.05, 0.1, 0.1, 0.1)


def test_chinese_characters_are_not_spaced_but_words_are():
    def text(*words: str) -> str:
        rows = [f"5\t1\t1\t1\t1\t{i}\t{i * 20}\t10\t20\t10\t90\t{word}\n" for i, word in enumerate(words)]
        [[found]] = pages_of(HEAD + PAGE + "".join(rows).encode())
        return found.line.text

    assert text("港", "口", "office", "里", "。") == "港口 office 里。"
    assert text("항구", "사무소") == "항구 사무소"


def test_a_file_of_several_pictures_holds_them_all(tmp_path):
    pictures = [Picture(3, 5, "L", bytes(range(15)), 300.0), Picture(4, 2, "L", bytes(range(8)), 96.0)]
    (tmp_path / "pages.tiff").write_bytes(tiff(pictures))
    with Image.open(tmp_path / "pages.tiff") as file:
        assert file.n_frames == 2
        for number, picture in enumerate(pictures):
            file.seek(number)
            assert (file.size, file.info["dpi"]) == (picture.size, (picture.dpi, picture.dpi))
            assert file.tobytes() == picture.pixels


def test_letters_that_are_large_in_spite_of_a_low_dpi_are_not_enlarged():
    large = picture_of(documents.scan(dpi=200), 100.0)
    shown = prepared(large, below_dpi=180, dpi=250, margin=0)
    assert (shown.size, shown.dpi) == (large.size, 0.0)
    assert program.resolution(round(shown.dpi)) == []
    small = prepared(picture_of(documents.scan(dpi=70), 70.0), below_dpi=180, dpi=250, margin=0)
    assert round(small.dpi) == 250


def test_a_faint_line_of_several_words_is_kept_and_specks_are_not(script):
    script("")
    words = [(10, "faint"), (75, "words"), (0, "here")]
    rows = [f"5\t1\t1\t1\t1\t{i}\t{i * 20}\t10\t20\t10\t{sure}\t{word}\n" for i, (sure, word) in enumerate(words)]
    rows.append("5\t1\t1\t1\t2\t1\t10\t40\t20\t10\t9\tspeck\n")
    [read] = engine().interpret(HEAD + PAGE + "".join(rows).encode(), question_about(BLANK))
    assert [line.text for line in read.lines] == ["faint words here"]


def test_no_library_is_loaded_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "libc.so.6").write_bytes(b"of a stranger")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path / 'lib64'}:")  # as OpenCV leaves it behind
    program._probe.cache_clear()
    assert text_of(registry.make("tesseract"), printed("Hello there")) == "Hello there"
