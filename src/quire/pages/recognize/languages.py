"""Languages: resolves the values of `--lang` to what the engines need.

One table has them all. Recognised text stays as printed: old letters are not replaced by modern ones.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from quire.core.errors import UsageError

# Code, ISO 639-3, script (ISO 15924), traineddata of Tesseract (best first), names.
# The first row of a code is its default script; other scripts have separate rows.
_TABLE = """
af           afr  Latn  afr           Afrikaans
am           amh  Ethi  amh           Amharic
ar           ara  Arab  ara           Arabic
as           asm  Beng  asm           Assamese
az           aze  Latn  aze           Azerbaijani
az-Cyrl      aze  Cyrl  aze_cyrl      Azerbaijani in Cyrillic
be           bel  Cyrl  bel           Belarusian
bg           bul  Cyrl  bul           Bulgarian
bn           ben  Beng  ben           Bengali, Bangla
bo           bod  Tibt  bod           Tibetan
br           bre  Latn  bre           Breton
bs           bos  Latn  bos           Bosnian
ca           cat  Latn  cat           Catalan
ceb          ceb  Latn  ceb           Cebuano
chr          chr  Cher  chr           Cherokee
co           cos  Latn  cos           Corsican
cs           ces  Latn  ces           Czech
cy           cym  Latn  cym           Welsh
da           dan  Latn  dan           Danish, Dansk
de           deu  Latn  deu           German, Deutsch
de-fraktur   deu  Latf  frk,deu_latf  German in Fraktur, Fraktur
dv           div  Thaa  div           Divehi
dz           dzo  Tibt  dzo           Dzongkha
el           ell  Grek  ell           Greek
en           eng  Latn  eng           English
enm          enm  Latn  enm           Middle English
eo           epo  Latn  epo           Esperanto
es           spa  Latn  spa           Spanish, Español, Castilian
es-old       spa  Latn  spa_old       Old Spanish
et           est  Latn  est           Estonian
eu           eus  Latn  eus           Basque
fa           fas  Arab  fas           Persian, Farsi
fi           fin  Latn  fin           Finnish
fo           fao  Latn  fao           Faroese
fr           fra  Latn  fra           French, Français
frm          frm  Latn  frm           Middle French
fy           fry  Latn  fry           Western Frisian, Frisian
ga           gle  Latn  gle           Irish
gd           gla  Latn  gla           Scottish Gaelic
gl           glg  Latn  glg           Galician
grc          grc  Grek  grc           Ancient Greek
gu           guj  Gujr  guj           Gujarati
he           heb  Hebr  heb           Hebrew
hi           hin  Deva  hin           Hindi
hr           hrv  Latn  hrv           Croatian
ht           hat  Latn  hat           Haitian
hu           hun  Latn  hun           Hungarian
hy           hye  Armn  hye           Armenian
id           ind  Latn  ind           Indonesian
is           isl  Latn  isl           Icelandic
it           ita  Latn  ita           Italian, Italiano
it-old       ita  Latn  ita_old       Old Italian
iu           iku  Cans  iku           Inuktitut
ja           jpn  Jpan  jpn           Japanese
ja-vertical  jpn  Jpan  jpn_vert      Japanese in columns
jv           jav  Latn  jav           Javanese
ka           kat  Geor  kat           Georgian
ka-old       kat  Geor  kat_old       Old Georgian
kk           kaz  Cyrl  kaz           Kazakh
km           khm  Khmr  khm           Khmer
kn           kan  Knda  kan           Kannada
ko           kor  Hang  kor           Korean
ko-vertical  kor  Hang  kor_vert      Korean in columns
ku           kmr  Latn  kmr           Kurdish, Kurmanji
ky           kir  Cyrl  kir           Kyrgyz
la           lat  Latn  lat           Latin
lb           ltz  Latn  ltz           Luxembourgish
lo           lao  Laoo  lao           Lao
lt           lit  Latn  lit           Lithuanian
lv           lav  Latn  lav           Latvian
mi           mri  Latn  mri           Maori
mk           mkd  Cyrl  mkd           Macedonian
ml           mal  Mlym  mal           Malayalam
mn           mon  Cyrl  mon           Mongolian
mr           mar  Deva  mar           Marathi
ms           msa  Latn  msa           Malay
mt           mlt  Latn  mlt           Maltese
my           mya  Mymr  mya           Burmese
ne           nep  Deva  nep           Nepali
nl           nld  Latn  nld           Dutch, Nederlands
no           nor  Latn  nor           Norwegian
oc           oci  Latn  oci           Occitan
or           ori  Orya  ori           Odia, Oriya
pa           pan  Guru  pan           Punjabi
pl           pol  Latn  pol           Polish, Polski
ps           pus  Arab  pus           Pashto
pt           por  Latn  por           Portuguese, Português
qu           que  Latn  que           Quechua
rm           roh  Latn  Latin         Romansh
ro           ron  Latn  ron           Romanian
ru           rus  Cyrl  rus           Russian
sa           san  Deva  san           Sanskrit
sd           snd  Arab  snd           Sindhi
si           sin  Sinh  sin           Sinhala
sk           slk  Latn  slk           Slovak
sl           slv  Latn  slv           Slovenian
sq           sqi  Latn  sqi           Albanian
sr           srp  Cyrl  srp           Serbian
sr-Latn      srp  Latn  srp_latn      Serbian in Latin letters
su           sun  Latn  sun           Sundanese
sv           swe  Latn  swe           Swedish, Svenska
sw           swa  Latn  swa           Swahili
syr          syr  Syrc  syr           Syriac
ta           tam  Taml  tam           Tamil
te           tel  Telu  tel           Telugu
tg           tgk  Cyrl  tgk           Tajik
th           tha  Thai  tha           Thai
ti           tir  Ethi  tir           Tigrinya
tl           fil  Latn  fil           Filipino, Tagalog
to           ton  Latn  ton           Tongan
tr           tur  Latn  tur           Turkish
tt           tat  Cyrl  tat           Tatar
ug           uig  Arab  uig           Uyghur
uk           ukr  Cyrl  ukr           Ukrainian
ur           urd  Arab  urd           Urdu
uz           uzb  Latn  uzb           Uzbek
uz-Cyrl      uzb  Cyrl  uzb_cyrl      Uzbek in Cyrillic
vi           vie  Latn  vie           Vietnamese
yi           yid  Hebr  yid           Yiddish
yo           yor  Latn  yor           Yoruba
zh           zho  Hans  chi_sim       Chinese, Simplified Chinese
zh-vertical  zho  Hans  chi_sim_vert  Chinese in columns
zh-Hant      zho  Hant  chi_tra       Traditional Chinese
zh-Hant-vertical zho Hant chi_tra_vert Traditional Chinese in columns
"""

_SCRIPT_DATA = {
    "Arab": "Arabic",
    "Armn": "Armenian",
    "Beng": "Bengali",
    "Cans": "Canadian_Aboriginal",
    "Cher": "Cherokee",
    "Cyrl": "Cyrillic",
    "Deva": "Devanagari",
    "Ethi": "Ethiopic",
    "Geor": "Georgian",
    "Grek": "Greek",
    "Gujr": "Gujarati",
    "Guru": "Gurmukhi",
    "Hang": "Hangul",
    "Hans": "HanS",
    "Hant": "HanT",
    "Hebr": "Hebrew",
    "Jpan": "Japanese",
    "Khmr": "Khmer",
    "Knda": "Kannada",
    "Laoo": "Lao",
    "Latf": "Fraktur",
    "Latn": "Latin",
    "Mlym": "Malayalam",
    "Mymr": "Myanmar",
    "Orya": "Oriya",
    "Sinh": "Sinhala",
    "Syrc": "Syriac",
    "Taml": "Tamil",
    "Telu": "Telugu",
    "Thaa": "Thaana",
    "Thai": "Thai",
    "Tibt": "Tibetan",
}
"""Tesseract's data for all languages of a script: the fallback where that of the language is missing."""

_ALIASES = {
    "frk": "de-fraktur",
    "nb": "no",
    "nn": "no",
    "nob": "no",
    "nno": "no",
    "tgl": "tl",
    "iw": "he",
    "chi": "zh",
    "cmn": "zh",
    "zh-cn": "zh",
    "zh-sg": "zh",
    "zh-hans": "zh",
    "zh-tw": "zh-Hant",
    "zh-hk": "zh-Hant",
    "zh-mo": "zh-Hant",
    "ger": "de",
    "fre": "fr",
    "dut": "nl",
    "gre": "el",
    "cze": "cs",
    "rum": "ro",
    "slo": "sk",
    "per": "fa",
    "ice": "is",
    "wel": "cy",
    "baq": "eu",
    "arm": "hy",
    "geo": "ka",
    "mac": "mk",
    "may": "ms",
    "bur": "my",
    "alb": "sq",
    "tib": "bo",
}

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
        if best == _SCRIPT_DATA[self.script]:
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
    wanted = lang.strip().lower().replace("_", "-").removeprefix("script/")
    known = _by_name()
    found = known.get(wanted) or _in_fraktur(wanted) or _without_region(wanted)
    if found is None:
        close = difflib.get_close_matches(wanted, known, n=3, cutoff=0.7)
        codes = dict.fromkeys(f"{known[name].code} ({known[name].name})" for name in close)
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
    codes = [code for code, data in _SCRIPT_DATA.items() if data == name]
    found = (one.installed(available) for one in all_languages() if one.script in codes)
    return tuple(dict.fromkeys(data for data in found if data))


def codes_read_with(available: Sequence[str]) -> frozenset[str]:
    """The codes of the languages that these traineddata can read, including those in black letter."""
    latin = (f"{language.code}-fraktur" for language in all_languages() if language.script == "Latn")
    black_letter = [found for code in latin if (found := _in_fraktur(code.lower()))]
    return frozenset(one.code for one in (*all_languages(), *black_letter) if one.installed(available))


def _without_region(wanted: str) -> Language | None:
    """`de-AT` is `de`; a subtag of another length (a script, a variant) that no row has is unknown."""
    base, _, region = wanted.rpartition("-")
    return _by_name().get(base) if base and len(region) in (2, 3) and "-" not in base else None


def _in_fraktur(wanted: str) -> Language | None:
    base, _, variant = wanted.rpartition("-")
    language = _by_name().get(base)
    if language is None or language.script != "Latn" or variant not in ("fraktur", "latf"):
        return None
    german = _by_code()["de-fraktur"]
    if language.code == "de":
        return german
    files = tuple(name for name in german.traineddata if name.endswith(_SCRIPT_DATA["Latf"]))
    return replace(german, code=f"{language.code}-fraktur", name=f"{language.name} in Fraktur", traineddata=files)


@cache
def _by_code() -> Mapping[str, Language]:
    rows = (line.split(maxsplit=4) for line in _TABLE.strip().splitlines())
    return {code: _language(code, script, files, names) for code, _, script, files, names in rows}


def _language(code: str, script: str, files: str, names: str) -> Language:
    own, whole = files.split(","), _SCRIPT_DATA[script]
    # Debian puts the data of scripts next to that of languages, other distributions into a folder.
    listed = dict.fromkeys([*own, whole, f"script/{whole}"])
    readable = script in _PPOCR_SCRIPTS and code not in _NOT_PPOCR
    return Language(code, names.split(", ")[0], script, tuple(listed), readable)


@cache
def _by_name() -> Mapping[str, Language]:
    """All spellings of a language, in lower case with hyphens. Earlier rows win: `deu` is `de`."""
    known: dict[str, Language] = {}
    for line in _TABLE.strip().splitlines():
        code, three, script, files, names = line.split(maxsplit=4)
        ways = [code, three, f"{code}-{script}", f"{three}-{script}", *files.split(","), *names.split(", ")]
        for way in ways:
            known.setdefault(way.lower().replace("_", "-"), _by_code()[code])
    for alias, code in _ALIASES.items():
        known.setdefault(alias, _by_code()[code])
    return known
