"""The engine that looks at nothing, and the door through which engines come."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from quire import recognize
from quire.core.engine import Question, answer_key
from quire.core.picture import Picture
from quire.core.types import BBox, Region
from quire.pages.recognize import engine_registry as registry

PICTURE = Picture(4, 4, "L", bytes(16), 72.0)
PAGE = Question((4, 4), 72.0)


def test_it_says_its_text_on_the_page():
    engine = recognize.echo("first line\nsecond", confidence=0.5)
    [one] = engine.interpret(engine.ask(PICTURE, PAGE), PAGE)
    assert (one.engine, one.text, one.confidence) == ("echo", "first line\nsecond", 0.5)
    assert [word.text for word in one.lines[0].words] == ["first", "line"]


def test_it_says_its_text_in_each_region_but_not_in_blank_ones():
    boxes = {"a": BBox(0.0, 0.0, 0.5, 0.5), "b": BBox(0.5, 0.5, 0.5, 0.5)}
    regions = (*(Region(name, box) for name, box in boxes.items()), Region("c", BBox(0, 0, 1, 1), "blank"))
    question = Question((4, 4), 72.0, regions=regions)
    engine = recognize.echo()
    answers = engine.interpret(engine.ask(PICTURE, question), question)
    assert [(one.region, one.text, one.error) for one in answers] == [
        ("a", "echo", None),
        ("b", "echo", None),
        ("c", "", None),
    ]
    assert answers[1].lines[0].bbox.left == 0.5


def test_it_streams():
    said: list[str] = []
    recognize.echo("a\nb").ask(PICTURE, PAGE, said.append)
    assert said == ["a", "a\nb"]


def test_it_comes_through_the_door_of_strangers():
    engine = registry.make("echo", effort="fast", languages=["de"])
    assert engine == recognize.echo()
    assert pickle.loads(pickle.dumps(engine)) == engine


def test_what_it_says_is_part_of_the_key():
    digest = PICTURE.digest
    assert answer_key(recognize.echo("a"), digest, PAGE) != answer_key(recognize.echo("b"), digest, PAGE)


def test_importing_an_engines_module_does_not_hide_its_factory():
    import quire.pages.recognize.echo
    import quire.recognize

    assert quire.recognize.echo("text").name == "echo"


@pytest.mark.processes
def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, quire.pages.recognize; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not {"numpy", "json", "http.client", "quire.core.engine"} & set(run.stdout.split())
