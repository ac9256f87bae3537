"""Keys are promises to every store on disk: the ones in `tests/data/keys.txt` change only on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quire.core.keys import Digest, Profile, artifact_key, digest_bytes, digest_of

KEYS = Path(__file__).parents[2] / "data" / "keys.txt"


@dataclass(frozen=True, slots=True)
class Rendering(Profile):
    dpi: int = 150
    grey: bool = False
    limits: tuple[int, ...] = (1, 2)


@dataclass(frozen=True, slots=True)
class Nested(Profile):
    inner: Rendering = Rendering()
    words: tuple[str, ...] = ("Ä", "日本")


def test_keys_are_the_ones_that_stores_already_hold():
    page = digest_bytes(b"a page")
    made = {
        "digest of bytes": page,
        "digest of a value": digest_of({"b": [1, 2.5, None, True], "a": "Ä"}),
        "empty profile": Profile().digest(),
        "profile": Rendering().digest(),
        "nested profile": Nested().digest(),
        "key without inputs": artifact_key("render", "1", [], Profile().digest()),
        "key": artifact_key("render", "1", [page, "3"], Rendering().digest()),
    }
    lines = "".join(f"{value}  {name}\n" for name, value in made.items())
    assert lines == KEYS.read_text(encoding="utf-8")


def test_the_order_of_a_dictionary_does_not_count():
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})


def test_names_of_files_that_are_no_text_have_keys_too():
    names = ["a\udcff.pdf", "a\udcfe.pdf"]
    assert len({digest_of({"name": name}) for name in names}) == 2
    assert len({artifact_key("read", "1", [name], Digest("p")) for name in names}) == 2


def test_every_part_of_a_key_counts():
    profile, other = Rendering().digest(), Rendering(dpi=151).digest()
    keys = [
        artifact_key("render", "1", ["a", "b"], profile),
        artifact_key("text", "1", ["a", "b"], profile),
        artifact_key("render", "2", ["a", "b"], profile),
        artifact_key("render", "1", ["b", "a"], profile),
        artifact_key("render", "1", ["ab"], profile),
        artifact_key("render", "1", ["a", "b"], other),
    ]
    assert len(set(keys)) == len(keys)


def test_two_profiles_with_equal_settings_differ_by_name():
    @dataclass(frozen=True, slots=True)
    class Drawing(Profile):
        dpi: int = 150
        grey: bool = False
        limits: tuple[int, ...] = (1, 2)

    assert Drawing().digest() != Rendering().digest()


def test_a_list_and_a_tuple_are_the_same_setting():
    @dataclass(frozen=True)
    class Listed(Profile):
        values: object

    assert Listed([1, 2]).digest() == Listed((1, 2)).digest()


def test_bytes_of_any_kind_have_one_digest():
    assert digest_bytes(b"x") == digest_bytes(bytearray(b"x")) == digest_bytes(memoryview(b"x"))
    assert digest_bytes(b"") == Digest("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
