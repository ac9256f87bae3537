"""A page is read in any script: its text layer is judged by its letters, and its language is never a formula."""

from __future__ import annotations

import random
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

import quire
from quire.core.fonts import Font
from quire.core.pagetext import LINE, SPACE, PageText
from quire.core.types import Block, PageInfo
from quire.pages.layout import page_blocks
from quire.pages.layout.quality import judge
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.routing import needs_of
from tests import documents

GREEK = (
    "Επειδή η αναγνώριση της αξιοπρέπειας, που είναι σύμφυτη σε όλα τα μέλη της ανθρώπινης οικογένειας, καθώς και των "
    "ίσων και αναπαλλοτρίωτων δικαιωμάτων τους αποτελεί το θεμέλιο της ελευθερίας = της δικαιοσύνης και της ειρήνης"
)
TURKISH = (
    "İnsanlık ailesinin bütün üyelerinde bulunan haysiyetin ve bunların eşit hakların tanınması hususunun yıl ışık"
)
CATALAN = (
    "La intel·ligència col·lectiva és una novel·la il·lustrada sobre la paral·lela = el goril·la de la instal·lació"
)
RUSSIAN = "Принимая во внимание и в том что признание достоинства присущего всем членам семьи и равных прав их"
CHINESE = "鑑於 對 人 類 家 庭 所 有 成 員 的 固 有 尊 嚴 及 其 平 等 的 和 不 移 的 權 利 的 承 認"
LANGUAGES = {"Greek": GREEK, "Turkish": TURKISH, "Catalan": CATALAN, "Russian": RUSSIAN, "Chinese": CHINESE}


@cache
def scripts() -> dict[str, tuple[list[str], list[str]]]:
    """The letters and the combining signs of each script that Unicode has, by the name of the script."""
    found: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for character in map(chr, range(0x21, 0x20000)):
        script, _, rest = unicodedata.name(character, "").partition(" ")
        kind = unicodedata.category(character)[0]
        if rest and kind in "LM" and script not in ("COMBINING", "VARIATION", "MODIFIER", "MATHEMATICAL"):
            found[script][kind == "M"].append(character)
    return {script: both for script, both in found.items() if len(both[0]) >= 10}


def text_of(script: str) -> str:
    """Words of a script: letters, three of four with a sign where the script has signs."""
    chance = random.Random(script)
    letters, signs = scripts()[script]
    syllables = [chance.choice(letters) + (chance.choice(signs) if signs and n % 4 else "") for n in range(300)]
    return " ".join("".join(syllables[n : n + 3]) for n in range(0, 300, 3))


def page_of(text: str, *, font: str = "NotoSans", formula: bool = False) -> PageText:
    """A page with this text, in lines of ten words; with `formula`, a page that also has a letter of a formula."""
    words = text.split()
    words += ["x"] if formula else []
    count = len(words)
    boxes, baselines, flags = [], [], []
    for n in range(count):
        x, y = 72.0 + 45 * (n % 10), 100.0 + 13 * (n // 10) + (300 if formula and n == count - 1 else 0)
        boxes += [x, y - 8, x + 40, y + 3]
        baselines.append(y)
        flags.append(SPACE if n % 10 and not (formula and n == count - 1) else SPACE | LINE)
    return replace(
        PageText.empty(PageInfo(1, 595, 842)),
        chars=sum(map(len, words)),
        font_table=[Font(font), Font("CMMI10")],
        texts=words,
        boxes=boxes,
        baselines=baselines,
        sizes=[11.0] * count,
        colors=[0] * count,
        fonts=[0] * (count - 1) + [1 if formula else 0],
        angles=[0] * count,
        mcids=[-1] * count,
        flags=flags,
    )


def formulas(blocks: Sequence[Block]) -> list[str]:
    return [span.latex for block in blocks for span in block.spans if span.latex]


def test_the_text_layer_of_no_script_is_given_to_ocr():
    pages = {script: page_of(text_of(script)) for script in scripts()}
    needed = {script: needs_of(page, judge(page), RecognizeOptions()) for script, page in pages.items()}
    assert len(pages) > 100
    assert [script for script, needs in needed.items() if needs] == []


@pytest.mark.parametrize("script", ["DEVANAGARI", "CJK"])
def test_a_hidden_text_layer_in_any_script_fits_its_scan(script):
    text = text_of(script) if script != "CJK" else " ".join(text_of(script).replace(" ", ""))
    page = page_of(text)
    scan = replace(page, invisible=page.chars, images=[0.0, 0.0, 595.0, 842.0])
    assert judge(scan).status == "usable"


def test_signs_on_letters_of_another_script_are_garbage():
    letters, signs = "abcdefghij" * 20, scripts()["DEVANAGARI"][1]
    text = "".join(letter + signs[n % len(signs)] + " " * (n % 3 == 0) for n, letter in enumerate(letters))
    assert judge(page_of(text)).reason == "garbage instead of words"


def test_symbols_instead_of_letters_are_garbage():
    assert judge(page_of("◊√∆ ¥†¨ˆ ˚∂ƒ¬ ≈ç√∫ " * 20)).reason == "garbage instead of words"


@pytest.mark.parametrize("formula", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_no_formula(language, formula):
    text = LANGUAGES[language]
    blocks = [block for block in page_blocks(page_of(text, formula=formula)).blocks if block.text != "x"]
    assert " ".join(block.text for block in blocks).split() == text.split()
    assert formulas(blocks) == []


def test_greek_letters_among_latin_ones_are_signs_of_a_formula():
    words = "the mean of the square is σ2 = αβ + Δx for a wave of the length that follows"
    blocks = page_blocks(page_of(words, formula=True)).blocks
    assert formulas(blocks) == [r"\sigma2 = \alpha\beta + \Delta\mathsf{x}", "x"]


def test_the_glyphs_of_a_syllable_are_one_piece_of_a_word():
    assert quire.read(documents.printed_by_a_browser()).blocks[0].text == "மனித உரிமைகள்"


def test_syllables_of_which_pdfium_reads_nothing_are_read():
    assert quire.read(documents.printed_by_a_browser(documents.CHAKMA)).blocks[0].text == "𑄌𑄋𑄴𑄟𑄳𑄦 𑄃𑄧𑄇𑄴"


def test_a_long_text_of_which_pdfium_reads_nothing_is_read_whole():
    assert quire.read(documents.printed_by_a_browser([["𑄌𑄋𑄴" * 10]])).blocks[0].text == "𑄌𑄋𑄴" * 10


@pytest.mark.parametrize("spans", [False, True])
def test_a_syllable_whose_sign_is_drawn_apart_is_read_once(spans):
    assert quire.read(documents.signs_drawn_apart(spans=spans)).blocks[0].text == "ស្ដីពី សិទ្ធិ"
