"""The identity of an engine's answer."""

from __future__ import annotations

from dataclasses import replace

from quire import recognize
from quire.core.engine import Question, answer_key
from quire.core.keys import Digest
from quire.pages.recognize.echo import EchoEngine
from tests.fakes.engines import NumberEngine

PICTURE = Digest("0" * 64)
PLAIN = Question((100, 100), 72.0)
HINTED = replace(PLAIN, hints=("Invoice 42",))


def keys(engine):
    return [answer_key(engine, PICTURE, question) for question in (PLAIN, HINTED)]


def test_hints_change_no_key_of_an_engine_that_ignores_them():
    plain, hinted = keys(NumberEngine())
    assert plain == hinted


def test_hints_are_part_of_the_key_of_an_engine_that_uses_them():
    plain, hinted = keys(EchoEngine())
    assert plain != hinted


def test_hints_are_part_of_the_key_of_several_engines_when_one_of_them_uses_them():
    for engine in (
        recognize.fallback(EchoEngine(), NumberEngine()),
        recognize.consensus(NumberEngine(), EchoEngine()),
        recognize.uncertainty_first(NumberEngine(), EchoEngine()),
    ):
        plain, hinted = keys(engine)
        assert plain != hinted, engine.name
    plain, hinted = keys(recognize.fallback(NumberEngine(), NumberEngine("other")))
    assert plain == hinted
