"""The smaller correctors."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from quire.core.engine import ReadBlock, Recognition
from quire.core.errors import ConfigurationError
from quire.core.types import BBox
from quire.pipelines import correct
from quire.pipelines.correct.confidence import plausibility
from tests.unit.pipelines.correct.readings import line, reading


def test_white_space_is_as_one_would_type_it():
    read = reading("  two \u00a0 spaces\t", "soft\u00adhyphen\u200b", "   ", "日 本 語 and 日本")
    assert correct.whitespace().correct(read).text == "two spaces\nsofthyphen\n日本語 and 日本"


def test_correcting_white_space_keeps_the_words():
    (fixed,) = correct.whitespace().correct(reading("a  b")).lines
    assert [word.text for word in fixed.words] == ["a", "b"]


def test_lines_are_cut_where_a_rule_matches():
    splitter = correct.rule_splitter([r"\s*;\s*", r"(?<=\d)(?=[A-Z])"])
    lines = splitter.correct(reading("abcd; ef", "12Total", "plain")).lines
    assert [one.text for one in lines] == ["abcd", "ef", "12", "Total", "plain"]
    assert lines[0].bbox.width == pytest.approx(4 / 6)
    assert lines[1].bbox.right == pytest.approx(1.0)
    block = Recognition("test", blocks=(ReadBlock("paragraph", "a; b"),))
    assert splitter.correct(block).text == "a\nb"


@pytest.mark.parametrize("rules", [[], ["("]])
def test_rules_that_are_none_are_refused(rules):
    with pytest.raises(ConfigurationError):
        correct.rule_splitter(rules)


@pytest.mark.parametrize(
    ("read", "kept"),
    [
        (reading("[blank]"), False),
        (reading("(no text)"), False),
        (reading("blank"), True),  # a word like any other
        (reading("- .", confidence=0.3), False),
        (reading("- .", confidence=0.9), True),
        (reading("-"), True),  # no confidence is known
        (reading("a", confidence=0.1), True),
    ],
)
def test_what_says_that_there_is_nothing_is_emptied(read, kept):
    assert bool(correct.blank_suppress().correct(read).text) == kept


def test_a_filter_keeps_what_the_predicate_likes():
    sure = correct.filter(lambda part: (part.confidence or 0) > 0.5, name="sure")
    read = Recognition("test", (line("a", confidence=0.9), line("b", confidence=0.2)))
    assert sure.correct(read).text == "a"
    assert sure.profile.digest() != correct.filter(len, name="sure", version="2").profile.digest()


@pytest.mark.parametrize(
    ("text", "less_than"),
    [
        ("Total amount due", None),
        ("Kapitel 1 ........... 7", None),
        ("t0tAL am0unt", 0.9),
        ("|~ ^ {} <", 0.3),
        ("aaaaaaaaaaaaa", 0.6),
        ("I see I see I see I see I see I see", 0.7),
    ],
)
def test_what_does_not_look_like_text_scores_less(text, less_than):
    assert plausibility(text) > 0.9 if less_than is None else plausibility(text) < less_than


def test_confidence_is_that_of_the_engine_times_how_much_it_looks_like_text():
    score = correct.confidence_score()
    (sure,) = score.correct(reading("Total", confidence=0.9)).lines
    (unknown,) = score.correct(reading("Total")).lines
    (noise,) = score.correct(reading("|~^|", confidence=0.9)).lines
    assert (sure.confidence, unknown.confidence, noise.confidence) == (0.9, 0.8, 0.0)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The harbour office keeps a ledger of every vessel that enters the bay."),
        ("de", "Das Hafenamt führt ein Buch über jedes Schiff, das in die Bucht einläuft."),
        ("fr", "Le bureau du port tient un registre de tous les navires qui entrent dans la baie."),
        ("es", "La oficina del puerto lleva un registro de todos los barcos que entran en la bahía."),
        ("it", "L'ufficio del porto tiene un registro di tutte le navi che entrano nella baia."),
        ("pt", "O escritório do porto mantém um registo de todos os navios que entram na baía."),
        ("nl", "Het havenkantoor houdt een register bij van elk schip dat de baai binnenvaart."),
        ("pl", "Biuro portowe prowadzi rejestr wszystkich statków, które wpływają do zatoki."),
        ("cs", "Přístavní úřad vede záznam o každé lodi, která vpluje do zátoky, a je to tak."),
        ("sv", "Hamnkontoret för en liggare över varje fartyg som kommer in i viken och inte stannar."),
        ("da", "Havnekontoret fører en protokol over hvert skib, der kommer ind i bugten af havet."),
        ("fi", "Satamatoimisto pitää kirjaa jokaisesta aluksesta, joka saapuu lahteen, ja se on tärkeää."),
        ("hu", "A kikötői hivatal nyilvántartást vezet minden hajóról, és az öbölbe is csak egy fut be."),
        ("tr", "Liman ofisi, körfeze giren her gemi için bir kayıt tutar ve bu çok önemli olarak görülür."),
        ("ro", "Biroul portului ține un registru pentru toate navele care intră în golf și nu este singur."),
        ("ru", "Портовая контора ведёт журнал всех судов, которые входят в бухту, и это не всё."),
        ("uk", "Портова контора веде журнал усіх суден, що входять у бухту, і це ще не все."),
        ("el", "Το λιμεναρχείο τηρεί μητρώο"),
        ("he", "משרד הנמל מנהל רישום"),
        ("ar", "يحتفظ مكتب الميناء بسجل"),
        ("ja", "港の事務所は記録をつけている"),
        ("zh", "港务办公室记录每艘船"),
        ("ko", "항만 사무소는 기록을 보관한다"),
        ("th", "สำนักงานท่าเรือ"),
        ("hi", "बंदरगाह कार्यालय"),
    ],
)
def test_the_language_of_a_sentence_is_told(language, text):
    assert correct.language_of(text) == language


@pytest.mark.parametrize("text", ["", "4711", "Total", "GmbH 12/3"])
def test_a_text_that_does_not_tell_has_no_language(text):
    assert correct.language_of(text) is None


def test_a_language_that_the_engine_told_is_kept():
    detector = correct.language_detector()
    read = reading("The harbour office keeps a ledger of every vessel that enters the bay.")
    assert detector.correct(read).language == "en"
    assert detector.correct(replace(read, language="nl")).language == "nl"


def test_correctors_in_a_row_are_one():
    chain = correct.pipe(correct.whitespace(), correct.dictionary({"Tota1": "Total"}))
    assert chain.correct(reading("  Tota1 ")).text == "Total"
    other = correct.pipe(correct.dictionary({"Tota1": "Total"}), correct.whitespace())
    assert chain.profile.digest() != other.profile.digest()
    assert isinstance(chain, correct.Corrector)


@pytest.mark.parametrize(
    "corrector",
    [
        correct.whitespace(),
        correct.dictionary(["Total"]),
        correct.vocabulary(["total"]),
        correct.rule_splitter([";"]),
        correct.language_detector(),
        correct.blank_suppress(),
        correct.confidence_score(),
        correct.pipe(correct.whitespace()),
    ],
    ids=lambda corrector: corrector.name,
)
def test_a_corrector_is_pure_travels_and_has_a_digest(corrector):
    read = Recognition("test", (line("Totl ; a"),), (ReadBlock("figure", "", BBox(0, 0, 1, 1)),))
    once = corrector.correct(read)
    again = pickle.loads(pickle.dumps(corrector))
    assert again.correct(read) == once
    assert again.profile.digest() == corrector.profile.digest()
    assert corrector.correct(Recognition("test")) == Recognition("test")
