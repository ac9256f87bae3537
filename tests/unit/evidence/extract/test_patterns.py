"""Patterns of schemas: as `re` says it, and never for long."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from random import Random

import pytest

from quire.core.errors import UsageError
from quire.evidence.extract.patterns import ValuePattern
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.schema_fit import Unfit, fitted

PATIENCE_S = 20
PATTERNS = (
    r"^\d{1,3}(,\d{3})*(\.\d{2})?$",
    r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$",  # how pydantic writes a decimal
    r"[^@\s]+@[^@\s]+\.[^@\s]+",
    r"(?i)inv-\d+|ab{2,}?c*",
    r"(\w+\s?)+",
    r"(?:a|ab|b)*(?<!b)\b",
    r"(?i:x)[^x-z\d]*?(?=b)(?<=a).",
    r"\A(?:(a*)*b?)+\Z",
    r"(?:a{2}){1,3}\B|^$",
    r"(?s)a.b$",
    r"(?i)a(?-i:b)[^\d,]?(?a:\w)*",
)
HOSTILE = (
    r"(a+)+b",
    r"(a|a)*b",
    r"(a|aa)+$b",
    r"a*a*a*a*a*a*a*b",
    r"(\w+\s?)+!",
    r"((((a*)*)*)*)*b",
    r"(?=(a+)+b)a",
    r"(?:(?:(?:(?:){65535}){65535}){65535}){65535}b",
    r"(?:a?){60}a{60}b",
    "(a|b|ab)" * 100 + "!",
    r"(?:(?:\b){65535}){65535}b",
    r"(?:(?:(?:a|\b){100}){100}){100}b",  # ends the process in the package `regex`
)


@pytest.fixture
def alarm() -> Iterator[None]:
    """Ends what takes too long: `re` hears signals while it works."""

    def ended(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_it_matches_in_python(pattern):
    made, expected = ValuePattern(pattern), re.compile(pattern)
    random = Random(pattern)
    texts = ["", "INV-7", "1,234.50", "a@b.c", "aab", "a\nb", "0.", "x y"]
    texts += ["".join(random.choices("ab1 .,-@xX\n", k=random.randint(0, 12))) for _ in range(60)]
    for text in texts:
        assert made.occurs_in(text) == (expected.search(text) is not None), text
        assert made.is_all_of(text) == (expected.fullmatch(text) is not None), text


def test_any_pattern_matches_what_it_matches_in_python():
    random, compared = Random(7), 0
    pieces = ("a", "b", ".", "[ab]", "(a|ab)", "(?:b?)", "\\b", "*", "+", "?", "{1,2}", "|", "(?=a)", "(?<=b)", "$")
    for _ in range(400):
        pattern = "".join(random.choices(pieces, k=random.randint(1, 6)))
        try:
            expected, made = re.compile(pattern), ValuePattern(pattern)
        except (re.error, ValueError):
            continue
        for text in ("".join(random.choices("ab\n", k=random.randint(0, 8))) for _ in range(10)):
            compared += 1
            assert made.occurs_in(text) == (expected.search(text) is not None), (pattern, text)
            assert made.is_all_of(text) == (expected.fullmatch(text) is not None), (pattern, text)
    assert compared > 1000


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.usefixtures("alarm")
def test_a_hostile_pattern_is_compared_in_a_moment(pattern):
    leaf = ExtractSchema.of({"properties": {"code": {"type": "string", "pattern": pattern}}}).leaves[0]
    for text in ("a" * 40, "ac " * 200):
        with pytest.raises(Unfit, match="does not match"):
            fitted(text, leaf)
        assert not ValuePattern(pattern).is_all_of(text)


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?>a)", "a*+", "(?P<x>a)(?(x)b|c)", "a" * 1001, "("])
def test_a_pattern_that_cannot_be_compared_is_refused_with_the_schema(pattern):
    with pytest.raises(UsageError, match="the pattern of code is no regular expression"):
        ExtractSchema.of({"properties": {"code": {"pattern": pattern}}})


def test_a_long_text_is_compared_with_a_pattern_of_many_parts():
    assert fitted("x" * 5000 + " INV-77", LeafSpec("code", "code", pattern=r"\b[A-Z]{3}-\d+$"))
    assert ValuePattern(".{100}").occurs_in("x" * 5000)
