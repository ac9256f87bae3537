"""Places at an engine, over processes that share a store."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import pytest

from quire.asking import take_place
from quire.store.files import FileStore
from quire.store.temporary import TemporaryStore
from tests.fakes.engines import NumberEngine


class GivenUp(Exception):
    """Nobody wants the place any more."""


def give_up():
    raise GivenUp


@pytest.fixture
def stores(tmp_path):
    """Two owners of claims, as two processes would be."""
    with FileStore(tmp_path / "store") as first, FileStore(tmp_path / "store") as second:
        yield first, second


@contextmanager
def place_at(who, store, check):
    place = take_place(who, store, check)
    try:
        yield
    finally:
        place.release()


def engine(name, most):
    return replace(NumberEngine(name), max_concurrency=most)


def test_an_engine_that_takes_two_questions_takes_two_of_all_processes(stores):
    # The last one has room in this process, so that it is the store that says no.
    first, second = stores
    asked = [
        place_at(engine("paid", 2), first, give_up),
        place_at(engine("paid", 2), second, give_up),
        place_at(engine("paid", 3), first, give_up),
    ]
    with asked[0], asked[1], asked[2], pytest.raises(GivenUp), place_at(engine("paid", 3), second, give_up):
        pytest.fail("four questions at a time")
    with place_at(engine("paid", 1), second, give_up):
        pass


def test_a_place_is_free_again_when_the_question_failed(stores):
    first, second = stores
    with pytest.raises(ZeroDivisionError), place_at(engine("broken", 1), first, give_up):
        raise ZeroDivisionError
    with place_at(engine("broken", 1), second, give_up):
        pass


def test_engines_on_our_own_processors_and_stores_of_one_read_need_no_place(stores):
    first, second = stores
    with place_at(engine("local", 64), first, give_up), place_at(engine("local", 64), second, give_up):
        pass
    with place_at(engine("alone", 2), TemporaryStore(), give_up), place_at(engine("alone", 2), first, give_up):
        pass
