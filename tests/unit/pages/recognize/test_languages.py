"""What people write after `--lang`, and what it means."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.pages.recognize.languages import all_languages, codes_read_with, resolve


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("de", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("German", "de"),
        (" deutsch ", "de"),
        ("de-AT", "de"),
        ("de_DE", "de"),
        ("de-Latn", "de"),
        ("de-fraktur", "de-fraktur"),
        ("de-Latf", "de-fraktur"),
        ("Fraktur", "de-fraktur"),
        ("script/Fraktur", "de-fraktur"),
        ("frk", "de-fraktur"),
        ("deu_latf", "de-fraktur"),
        ("da-fraktur", "da-fraktur"),
        ("zh", "zh"),
        ("zh-Hans", "zh"),
        ("zh-CN", "zh"),
        ("chi_sim", "zh"),
        ("zh-Hant", "zh-Hant"),
        ("zh_TW", "zh-Hant"),
        ("ja", "ja"),
        ("sr", "sr"),
        ("sr-Cyrl", "sr"),
        ("sr-Latn", "sr-Latn"),
        ("srp_latn", "sr-Latn"),
        ("pt-BR", "pt"),
        ("es-419", "es"),
        ("nb", "no"),
        ("iw", "he"),
    ],
)
def test_every_usual_way_to_write_a_language_is_understood(written, code):
    assert resolve(written).code == code


def test_an_unknown_language_is_refused_with_what_was_perhaps_meant():
    with pytest.raises(UsageError, match=r"unknown language 'germn'; did you mean de \(German\)\?"):
        resolve("germn")


@pytest.mark.parametrize("written", ["klingon", "", "de-xxxx", "de-AT-1996"])
def test_a_language_that_nobody_knows_points_to_the_list(written):
    with pytest.raises(UsageError, match="quire engines --languages"):
        resolve(written)


def test_black_letter_is_for_latin_languages():
    with pytest.raises(UsageError):
        resolve("ru-fraktur")


def test_a_code_resolves_to_its_own_row():
    assert [language.code for language in all_languages() if resolve(language.code) != language] == []


def test_packages_are_named_as_debian_names_them():
    packages = {code: resolve(code).package for code in ("de", "de-fraktur", "da-fraktur", "zh", "sr-Latn", "rm")}
    assert packages == {
        "de": "tesseract-ocr-deu",
        "de-fraktur": "tesseract-ocr-frk",
        "da-fraktur": "tesseract-ocr-script-frak",
        "zh": "tesseract-ocr-chi-sim",
        "sr-Latn": "tesseract-ocr-srp-latn",
        "rm": "tesseract-ocr-script-latn",
    }


def test_data_of_the_script_stands_in_for_that_of_the_language():
    russian = resolve("ru")
    assert russian.installed(["eng", "rus", "script/Cyrillic"]) == "rus"
    assert russian.installed(["eng", "script/Cyrillic"]) == "script/Cyrillic"
    assert russian.installed(["eng"]) is None


def test_data_for_black_letter_is_enough_for_every_latin_language_in_it():
    assert codes_read_with(["frk", "rus"]) == {"de-fraktur", "ru"}
    assert {"de-fraktur", "da-fraktur", "sr-Latn-fraktur"} <= codes_read_with(["script/Fraktur"])


@pytest.mark.parametrize("code", ["en", "de", "pl", "tr", "ro", "zh", "zh-Hant", "ja", "sr-Latn"])
def test_languages_that_the_default_engine_reads(code):
    assert resolve(code).rapidocr


@pytest.mark.parametrize("code", ["ru", "ko", "ar", "fa", "he", "hi", "th", "el", "grc", "vi", "yo", "de-fraktur"])
def test_languages_whose_letters_the_default_engine_lacks(code):
    assert not resolve(code).rapidocr
