"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from quire.core import lazy_patterns
from quire.core.lazy_patterns import lazy_pattern


def test_a_pattern_matches_like_one_that_was_compiled_at_once():
    pattern = lazy_pattern(r"(?P<name>[a-z]+)", re.IGNORECASE)
    assert pattern.fullmatch("Total")["name"] == "Total"
    assert [found[0] for found in pattern.finditer("a 1 b")] == ["a", "b"]
    assert pattern.sub("x", "1 ab 2") == "1 x 2"
    assert pattern.pattern == r"(?P<name>[a-z]+)"


def test_a_pattern_is_compiled_by_its_first_use_and_once(monkeypatch):
    compiled = []
    monkeypatch.setattr(lazy_patterns.re, "compile", lambda *arguments: compiled.append(arguments) or re.Pattern)
    pattern = lazy_pattern("a+")
    assert not compiled
    assert pattern.match is re.Pattern.match
    assert pattern.search is re.Pattern.search
    assert compiled == [("a+", re.NOFLAG)]


def test_an_error_of_a_pattern_is_raised_by_its_use():
    pattern = lazy_pattern("(")
    with pytest.raises(re.error):
        pattern.match("")
