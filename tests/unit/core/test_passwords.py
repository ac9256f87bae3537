"""Passwords by pattern."""

from __future__ import annotations

import pytest

from quire.core.config import configure
from quire.core.errors import QuireError, UsageError
from quire.core.passwords import Passwords, password_of

PATTERNS = ("contracts/*.pdf=one", "*.tiff=two=2", "/data/x/*.pdf=three")


@pytest.mark.parametrize(
    ("path", "password"),
    [
        ("/home/me/contracts/a.pdf", "one"),
        ("contracts/a.pdf", "one"),
        ("/home/contracts/deep/a.pdf", "usual"),
        ("/home/me/scan.tiff", "two=2"),
        ("/data/x/a.pdf", "three"),
        ("/other/data/x/a.pdf", "usual"),
    ],
)
def test_the_first_pattern_that_fits_counts_and_the_rest_have_the_usual_one(path, password):
    assert Passwords.parse("usual", PATTERNS).of(path) == password


def test_one_password_is_for_all():
    assert password_of("one", "a.pdf") == "one"
    assert password_of(None, "a.pdf") is None
    assert password_of(Passwords(), "a.pdf") is None


def test_a_password_is_shown_nowhere(tmp_path):
    assert "usual" not in repr(Passwords.parse("usual", PATTERNS)) and "one" not in repr(Passwords.parse("", PATTERNS))
    with pytest.raises(UsageError) as raised:
        Passwords.parse(None, ["swordfish"])
    assert "swordfish" not in str(raised.value)
    (tmp_path / "quire.toml").write_text('[quire]\npassword_for = "*.pdf=swordfish"\n')
    with pytest.raises(QuireError) as wrong:
        configure({}, environment={}, folder=tmp_path)
    assert "password_for must be a list of texts" in str(wrong.value) and "swordfish" not in str(wrong.value)
