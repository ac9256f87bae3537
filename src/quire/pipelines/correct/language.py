"""Detects the language of a text: by its script, and by frequent words and letters where several share one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache

from quire.core.engine import Recognition
from quire.core.keys import Profile

_FREQUENT = {
    "en": "the of and to in is that for it with as was on be by this are from or at have not which you",
    "de": "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus",
    "fr": "le la les de des et en un une du que est pour dans qui sur pas au par plus avec ce il sont",
    "es": "el la los las de y en que un una por con para del se no es al como más su lo sus pero",
    "it": "il la di e che in un una per non del con è da si sono le della dei come anche alla nel gli",
    "pt": "o a os as de e do da em que um uma para com não por mais dos das no na ao se é como",
    "nl": "de het een en van in is dat op te voor met zijn niet aan er die ook als bij naar door om worden",
    "pl": "w i na z do nie się jest że o to po od przez dla jak są za oraz ale tym czy który która które których być",
    "cs": "a v na se je že s z do o i k pro ve jako by jsou za to od po jeho nebo při",
    "sv": "och i att det som en på är av för med den till inte om har ett de men var från kan vid så",
    "da": "og at det som en er af for med den til ikke har et men fra kan ved om blev der hvert efter også meget",
    "no": "og at det som en er av for med den til ikke har et men fra kan ved om ble hvert etter også mye",
    "fi": "ja on ei että se oli ovat hän mutta kun joka myös tai niin kuin ole sen jos vain sekä",
    "hu": "a az és hogy nem is egy van ez meg volt azt de csak mint már még vagy ki ha el be után",
    "tr": "ve bir bu da de için ile olarak olan çok daha gibi en ne kadar sonra her ise var mi o değil",
    "ro": "și de la în a cu pe din că nu este o un se ce mai pentru care au sau prin fi le",
    "ru": "и в не на что он с как это по но из у за от так о для же или был была при",
    "uk": "і в не на що з як це до та у за від так про для або був була при й є також",
    "bg": "и на в не се да от за е с по като са но към или при до което този беше ще",
}
_LETTERS = {
    "de": "ßäöü",
    "fr": "çœèêàù",
    "es": "ñ¿¡",
    "pt": "ãõç",
    "pl": "łąęśżźćń",
    "cs": "ěščřžůď",
    "sv": "åäö",
    "da": "æøå",
    "no": "æøå",
    "fi": "äö",
    "hu": "őűáé",
    "tr": "ığşçİ",
    "ro": "șțăâî",
    "ru": "ыэё",
    "uk": "іїєґ",
    "bg": "ъщ",
    "it": "èàòùì",
}
_SCRIPTS = (
    ("ja", "\u3040", "\u30ff"),
    ("ko", "\uac00", "\ud7af"),
    ("zh", "\u3400", "\u9fff"),
    ("el", "\u0370", "\u03ff"),
    ("he", "\u0590", "\u05ff"),
    ("ar", "\u0600", "\u06ff"),
    ("hi", "\u0900", "\u097f"),
    ("th", "\u0e00", "\u0e7f"),
)
_WORD = re.compile(r"[^\W\d_]+")
_KANA_SHARE = 0.08  # minimum share of kana among the characters of Japanese


@dataclass(frozen=True, slots=True)
class LanguageProfile(Profile):
    least: float


@dataclass(frozen=True, slots=True)
class LanguageDetector:
    """Sets the language of a recognition, unless the engine did; leaves it unset when the text is not conclusive."""

    profile: LanguageProfile
    name: str = "language_detector"
    version: str = "1"

    def correct(self, recognition: Recognition) -> Recognition:
        if recognition.language is not None or not recognition.text:
            return recognition
        return replace(recognition, language=language_of(recognition.text, least=self.profile.least))


def language_detector(*, least: float = 2.0) -> LanguageDetector:
    """`least` is by how many frequent words a language must lead the others."""
    return LanguageDetector(LanguageProfile(least))


def language_of(text: str, *, least: float = 2.0) -> str | None:
    """The code of the language (as in `--lang`), None when the text is too short or not conclusive."""
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return None
    counts = {code: sum(low <= letter <= high for letter in letters) for code, low, high in _SCRIPTS}
    if counts["ja"] >= _KANA_SHARE * len(letters) and counts["ja"] + counts["zh"] > len(letters) / 2:
        return "ja"
    script = max(counts, key=lambda code: counts[code])
    if counts[script] > len(letters) / 2:
        return script
    return _by_words(text.casefold(), least)


def _by_words(text: str, least: float) -> str | None:
    scores: dict[str, float] = defaultdict(float)
    for word in _WORD.findall(text):
        for code, weight in _weights().get(word, {}).items():
            scores[code] += weight
    for code, letters in _LETTERS.items():
        scores[code] += min(3.0, sum(text.count(letter) * _rarity()[letter] for letter in letters))
    ranked = sorted(scores.items(), key=lambda one: -one[1])[:2]
    if not ranked or ranked[0][1] < least:
        return None
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return ranked[0][0] if ranked[0][1] >= 1.15 * second else None


@cache
def _weights() -> dict[str, dict[str, float]]:
    """Each frequent word with its languages; one that many share weighs less."""
    shared: dict[str, list[str]] = {}
    for code, words in _FREQUENT.items():
        for word in words.split():
            shared.setdefault(word, []).append(code)
    return {word: dict.fromkeys(codes, 1 / len(codes)) for word, codes in shared.items()}


@cache
def _rarity() -> dict[str, float]:
    shared = Counter(letter for letters in _LETTERS.values() for letter in letters)
    return {letter: 1 / count for letter, count in shared.items()}
