"""Languages: resolves the values of `--lang` to what the engines need.

`languages.json` has them all: the first row of a code is its default script, other scripts have separate rows.
`traineddata` are the files of Tesseract, best first. Recognised text stays as printed: old letters are not replaced by
modern ones.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

from quire.core.errors import UsageError

_PPOCR_SCRIPTS = frozenset({"Latn", "Hans", "Hant", "Jpan"})
# Their letters are not in the character list of PP-OCRv6; of Greek it lacks the accents and the final sigma.
_NOT_PPOCR = frozenset({"vi", "yo", "ja-vertical", "zh-vertical", "zh-Hant-vertical"})


@dataclass(frozen=True, slots=True)
class Language:
    """One language in one script.

    `traineddata` are the files of Tesseract for it, best first; any one of them is enough. `rapidocr` says whether the
    PP-OCRv6 models know its letters.
    """

    code: str
    name: str
    script: str
    traineddata: tuple[str, ...]
    rapidocr: bool

    @property
    def package(self) -> str:
        """The Debian package with the best of its traineddata."""
        best = self.traineddata[0]
        if best == _listed()["scripts"][self.script]:
            return f"tesseract-ocr-script-{'frak' if self.script == 'Latf' else self.script.lower()}"
        return f"tesseract-ocr-{best.replace('_', '-')}"

    def installed(self, available: Iterable[str]) -> str | None:
        """The best of its traineddata among those `available`, None when none is."""
        found = set(available)
        return next((name for name in self.traineddata if name in found), None)


def resolve(lang: str) -> Language:
    """The language of a code (`de`, `deu`, `zh-Hant`, `pt-BR`), a name (`german`) or a traineddata file.

    A Latin language followed by `-fraktur` (or `-Latf`) is that language in black letter. Raises UsageError, with
    suggestions, for anything else.
    """
    name = lang.strip().lower().replace("_", "-").removeprefix("script/")
    by_name = _by_name()
    found = by_name.get(name) or _in_fraktur(name) or _without_region(name)
    if found is None:
        close = difflib.get_close_matches(name, by_name, n=3, cutoff=0.7)
        codes = dict.fromkeys(f"{by_name[one].code} ({by_name[one].name})" for one in close)
        hint = f"did you mean {' or '.join(codes)}?" if codes else "`quire engines --languages` lists them"
        raise UsageError(f"unknown language {lang!r}; {hint}")
    return found


def all_languages() -> tuple[Language, ...]:
    """Every language of the table, by code."""
    return tuple(_by_code().values())


def traineddata_of_script(name: str, available: Sequence[str]) -> tuple[str, ...]:
    """The installed data for a script in Tesseract's terms (`Cyrillic`): that of the script, or of its languages."""
    if name in available:
        return (name,)
    codes = [code for code, data in _listed()["scripts"].items() if data == name]
    found = (one.installed(available) for one in all_languages() if one.script in codes)
    return tuple(dict.fromkeys(data for data in found if data))


def codes_read_with(available: Sequence[str]) -> frozenset[str]:
    """The codes of the languages that these traineddata can read, including those in black letter."""
    latin = (f"{language.code}-fraktur" for language in all_languages() if language.script == "Latn")
    black_letter = [found for code in latin if (found := _in_fraktur(code.lower()))]
    return frozenset(one.code for one in (*all_languages(), *black_letter) if one.installed(available))


def _without_region(name: str) -> Language | None:
    """`de-AT` is `de`; a subtag of another length (a script, a variant) that no row has is unknown."""
    base, _, region = name.rpartition("-")
    return _by_name().get(base) if base and len(region) in (2, 3) and "-" not in base else None


def _in_fraktur(name: str) -> Language | None:
    base, _, variant = name.rpartition("-")
    language = _by_name().get(base)
    if language is None or language.script != "Latn" or variant not in ("fraktur", "latf"):
        return None
    german = _by_code()["de-fraktur"]
    if language.code == "de":
        return german
    files = tuple(name for name in german.traineddata if name.endswith(_listed()["scripts"]["Latf"]))
    return replace(german, code=f"{language.code}-fraktur", name=f"{language.name} in Fraktur", traineddata=files)


class _Row(TypedDict):
    code: str
    iso639_3: str
    script: str
    traineddata: list[str]
    names: list[str]


class _Listed(TypedDict):
    """`scripts`: Tesseract's data for all languages of a script, where that of the language is missing."""

    languages: list[_Row]
    scripts: dict[str, str]
    aliases: dict[str, str]


@cache
def _listed() -> _Listed:
    return cast(_Listed, json.loads(Path(__file__).with_suffix(".json").read_bytes()))


@cache
def _by_code() -> Mapping[str, Language]:
    return {row["code"]: _language(row) for row in _listed()["languages"]}


def _language(row: _Row) -> Language:
    code, script, whole = row["code"], row["script"], _listed()["scripts"][row["script"]]
    # Debian puts the data of scripts next to that of languages, other distributions into a folder.
    files = dict.fromkeys([*row["traineddata"], whole, f"script/{whole}"])
    readable = script in _PPOCR_SCRIPTS and code not in _NOT_PPOCR
    return Language(code, row["names"][0], script, tuple(files), readable)


@cache
def _by_name() -> Mapping[str, Language]:
    """All spellings of a language, in lower case with hyphens. Earlier rows win: `deu` is `de`."""
    by_name: dict[str, Language] = {}
    for row in _listed()["languages"]:
        codes = [row["code"], row["iso639_3"]]
        for way in [*codes, *(f"{code}-{row['script']}" for code in codes), *row["traineddata"], *row["names"]]:
            by_name.setdefault(way.lower().replace("_", "-"), _by_code()[row["code"]])
    for alias, code in _listed()["aliases"].items():
        by_name.setdefault(alias, _by_code()[code])
    return by_name
