"""Engines made of engines, and engines made of functions."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from quire import recognize
from quire.core.engine import Engine, Question, ReadBlock, ReadLine, Recognition, answer_key
from quire.core.errors import ConfigurationError, EngineError
from quire.core.picture import Picture
from quire.core.types import BBox, Cell, GridCell, Region, Table, Word
from quire.pages.recognize.codec import decode_recognitions, encode_recognitions
from quire.pages.recognize.plain import from_function

PICTURE = Picture(100, 100, "L", bytes(10_000), 72.0)
PAGE = Question((100, 100), 72.0)
REGIONS = replace(PAGE, regions=(Region("a", BBox(0.0, 0.0, 0.5, 0.5)), Region("b", BBox(0.5, 0.5, 0.5, 0.5))))


def at(row: int, *, left: float = 0.1, width: float = 0.5) -> BBox:
    return BBox(left, row / 10, width, 0.05)


def saying(name: str, *lines: str | tuple[str, float | None] | ReadLine, **options) -> Engine:
    """An engine that reads these lines, one below the other."""
    rows = [(line, None) if isinstance(line, str) else line for line in lines]
    read = [row if isinstance(row, ReadLine) else ReadLine(row[0], at(i), row[1]) for i, row in enumerate(rows)]
    return from_function(name, lambda picture, question: read, **options)


def broken(name: str, error: Exception) -> Engine:
    def fail(picture: Picture, question: Question) -> str:
        raise error

    return from_function(name, fail)


def lost(name: str) -> Engine:
    """Answers in pixels instead of fractions."""
    return saying(name, ReadLine("far away", BBox(10, 20, 300, 20)))


def read(engine: Engine, question: Question = PAGE) -> list[Recognition]:
    return list(engine.interpret(engine.ask(PICTURE, question), question))


class TestFunctions:
    def test_text_is_enough(self):
        [one] = read(from_function("mine", lambda picture, question: "first\nsecond"))
        assert (one.engine, one.text) == ("mine", "first\nsecond")

    def test_lines_get_words(self):
        [one] = read(saying("mine", ("two words", 0.5)))
        assert [word.text for word in one.lines[0].words] == ["two", "words"]

    def test_a_function_that_knows_nothing_of_regions_gets_them_cut_out(self):
        sizes = []

        def look(picture: Picture, question: Question) -> list[ReadLine]:
            sizes.append((picture.size, question.size, question.regions))
            return [ReadLine("x", BBox(0.0, 0.0, 1.0, 0.5))]

        first, second = read(from_function("mine", look), REGIONS)
        assert sizes == [((50, 50), (50, 50), ())] * 2
        assert (first.region, first.lines[0].bbox) == ("a", BBox(0.0, 0.0, 0.5, 0.25))
        assert (second.region, second.lines[0].words[0].bbox) == ("b", BBox(0.5, 0.5, 0.5, 0.25))

    def test_a_function_that_takes_regions_gets_them(self):
        def look(picture: Picture, question: Question) -> list[Recognition]:
            return [Recognition("mine", (ReadLine(r.id, r.bbox),), region=r.id) for r in question.regions]

        assert [one.text for one in read(from_function("mine", look, capabilities=["text", "regions"]), REGIONS)] == [
            "a",
            "b",
        ]

    def test_other_things_are_refused(self):
        with pytest.raises(EngineError, match="neither text, lines nor recognitions"):
            read(from_function("mine", lambda picture, question: [7]))  # type: ignore[list-item]

    def test_recognitions_travel_as_bytes(self):
        word = Word("a", at(0), 0.5)
        cell = Cell(0, 0, "x", 1, at(1), column_span=2, header=True)
        blocks = (ReadBlock("table", "x", at(1), None, 2, Table(1, 2, (cell,))), ReadBlock("title", "\ud800"))
        one = Recognition("e", (ReadLine("a", at(0), 0.5, (word,), 90),), blocks, "r", "de", GridCell(1, 2), "why")
        assert decode_recognitions(encode_recognitions([one]), engine="e") == [one]

    @pytest.mark.parametrize("answer", [b"", b"{", b"[7]", b'[{"lines": 1}]', b"\xff", b"[" * 100_000])
    def test_other_bytes_are_garbage(self, answer):
        with pytest.raises(EngineError, match="e: the answer is not a list"):
            decode_recognitions(answer, engine="e")


class TestFallback:
    def test_the_first_that_answers_is_taken_and_named(self):
        [one] = read(recognize.fallback(broken("one", ValueError("boom")), lost("two"), saying("three", "text")))
        assert (one.engine, one.text) == ("three", "text")

    def test_those_after_it_are_not_asked(self):
        called = []
        last = from_function("last", lambda picture, question: called.append(1) or "late")
        assert read(recognize.fallback(saying("first", "text"), last))[0].engine == "first"
        assert called == []

    def test_all_reasons_are_told_when_all_fail(self):
        engine = recognize.fallback(broken("one", EngineError("one", "no memory")), lost("two"))
        with pytest.raises(EngineError, match=r"one: no memory; two: 1 of 1 boxes lie outside") as caught:
            engine.ask(PICTURE, PAGE)
        assert caught.value.engine == "fallback(one,two)"

    def test_its_traits_follow_from_its_children(self):
        fast = saying("fast", "a", capabilities=["text", "regions"], policy="io", timeout_s=2, languages=["de", "en"])
        slow = saying("slow", "a", capabilities=["text", "handwriting"], timeout_s=5, max_concurrency=3)
        engine = recognize.fallback(fast, slow)
        assert (engine.capabilities, engine.languages) == ({"text"}, {"de", "en"})
        assert (engine.policy, engine.timeout_s, engine.max_concurrency) == ("cpu", 7, 1)
        assert recognize.fallback(fast).policy == "io"

    def test_a_new_version_of_a_child_is_a_new_question(self):
        keys = {
            answer_key(recognize.fallback(saying("a", "x", version=version)), PICTURE.digest, PAGE)
            for version in ("1", "2", "1")
        }
        assert len(keys) == 2

    def test_it_travels_to_workers(self):
        engine = recognize.fallback(recognize.echo("a"), recognize.consensus(recognize.echo("b")))
        assert pickle.loads(pickle.dumps(engine)) == engine

    def test_nothing_to_fall_back_on_is_refused(self):
        with pytest.raises(ConfigurationError, match="at least one engine"):
            recognize.fallback()

    @pytest.mark.parametrize("answer", [b"", b"{}", b'{"children": [1], "asked": null}'])
    def test_an_answer_of_somebody_else_is_garbage(self, answer):
        with pytest.raises(EngineError):
            recognize.fallback(recognize.echo()).interpret(answer, PAGE)


class TestConsensus:
    def test_the_majority_wins_line_by_line(self):
        one = saying("one", ("Total 12", 0.9), "Tax 3")
        two = saying("two", ("Total 17", 0.99), "Tax 3")
        three = saying("three", ("Total 12", 0.7), "Tax 8")
        [page] = read(recognize.consensus(one, two, three))
        assert page.engine == "consensus(one,two,three)"
        assert page.text == "Total 12\nTax 3"

    def test_confidence_says_how_many_agree(self):
        alike, apart = ReadLine("same", at(0), 0.8), ReadLine("abc", at(1))
        other = saying("other", ("same", 0.6), ("xyz", None))
        [page] = read(recognize.consensus(saying("one", alike, apart), other))
        assert [line.confidence for line in page.lines] == [0.7, 0.5]

    def test_between_two_the_more_confident_wins(self):
        [page] = read(recognize.consensus(saying("one", ("l0t", 0.4)), saying("two", ("lot", 0.9))))
        assert page.text == "lot"

    def test_a_line_that_only_one_of_three_saw_is_left_out(self):
        one, two = saying("one", "text"), saying("two", "text")
        assert read(recognize.consensus(one, two, saying("three", "text", "speck")))[0].text == "text"

    def test_a_line_that_the_first_did_not_see_is_found(self):
        both = saying("two", "first", "second"), saying("three", "first", "second")
        assert read(recognize.consensus(saying("one", "first"), *both))[0].text == "first\nsecond"

    def test_pieces_of_a_line_count_as_the_line(self):
        pieces = [ReadLine("left", at(0, width=0.2)), ReadLine("right", at(0, left=0.35, width=0.2))]
        [page] = read(recognize.consensus(saying("one", "left right"), saying("two", *pieces)))
        assert [(line.text, line.confidence) for line in page.lines] == [("left right", 1.0)]

    def test_those_who_fail_do_not_vote(self):
        [page] = read(recognize.consensus(broken("one", OSError("gone")), lost("two"), saying("three", "text")))
        assert (page.text, page.lines[0].confidence) == ("text", 1.0)

    def test_it_fails_when_all_do(self):
        with pytest.raises(EngineError, match="one: gone; two: 1 of 1 boxes"):
            read(recognize.consensus(broken("one", OSError("gone")), lost("two")))

    def test_regions_are_voted_on_one_by_one(self):
        engines = [recognize.echo("x", confidence=0.9), recognize.echo("x", confidence=0.7)]
        assert [(one.region, one.text, one.confidence) for one in read(recognize.consensus(*engines), REGIONS)] == [
            ("a", "x", 0.8),
            ("b", "x", 0.8),
        ]


class TestUncertaintyFirst:
    lines = (("sure", 0.99), ("d0ubtful", 0.3), ("fine", 0.9))

    def test_the_least_certain_lines_are_read_again(self):
        engine = recognize.uncertainty_first(saying("cheap", *self.lines), recognize.echo("doubtful"), k=1)
        [page] = read(engine)
        assert page.engine == "uncertainty_first(cheap,echo)"
        assert page.text == "sure\ndoubtful\nfine"
        assert page.lines[1].bbox == at(1)

    def test_a_share_of_the_lines_is_rounded_up(self):
        engine = recognize.uncertainty_first(saying("cheap", *self.lines), recognize.echo("x"), k=0.5)
        assert read(engine)[0].text == "sure\nx\nx"

    def test_an_oracle_that_takes_only_pictures_gets_the_lines_cut_out(self):
        sizes = []
        oracle = from_function("oracle", lambda picture, question: sizes.append(picture.size) or "better")
        [page] = read(recognize.uncertainty_first(saying("cheap", *self.lines), oracle, k=1))
        assert page.text == "sure\nbetter\nfine"
        assert sizes == [(52, 7)]

    def test_what_is_uncertain_can_be_decided_by_a_function(self):
        engine = recognize.uncertainty_first(
            saying("cheap", *self.lines), recognize.echo("x"), by=lambda unit: -len(unit.text), k=1
        )
        assert read(engine)[0].text == "x\nd0ubtful\nfine"

    def test_regions_of_the_question_are_asked_again_as_they_are(self):
        def look(picture: Picture, question: Question) -> list[Recognition]:
            sure = {"a": 0.9, "b": 0.2}
            return [Recognition("cheap", (ReadLine(r.id, r.bbox, sure[r.id]),), region=r.id) for r in question.regions]

        cheap = from_function("cheap", look, capabilities=["text", "regions"])
        found = read(recognize.uncertainty_first(cheap, recognize.echo("x"), k=1), REGIONS)
        assert [(one.region, one.text) for one in found] == [("a", "a"), ("b", "x")]

    @pytest.mark.parametrize("oracle", [broken("bad", OSError("gone")), lost("bad"), saying("bad", "")])
    def test_an_oracle_that_fails_changes_nothing(self, oracle):
        engine = recognize.uncertainty_first(saying("cheap", *self.lines), oracle, k=2)
        assert read(engine)[0].text == "sure\nd0ubtful\nfine"

    def test_nothing_is_asked_of_the_oracle_on_an_empty_page(self):
        engine = recognize.uncertainty_first(saying("cheap"), broken("bad", OSError("gone")))
        assert read(engine)[0].text == ""

    def test_it_fails_with_its_primary(self):
        with pytest.raises(EngineError, match="one: gone"):
            read(recognize.uncertainty_first(broken("one", OSError("gone")), recognize.echo()))

    @pytest.mark.parametrize("k", [-1, 1.5, float("nan")])
    def test_a_number_that_is_none_is_refused(self, k):
        with pytest.raises(ConfigurationError, match="k is"):
            recognize.uncertainty_first(recognize.echo(), recognize.echo(), k=k)
