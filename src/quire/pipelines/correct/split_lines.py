"""Splits lines that are several, by rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.errors import ConfigurationError
from quire.core.keys import Profile
from quire.lexicon.rewritten import split_box


@dataclass(frozen=True, slots=True)
class SplitProfile(Profile):
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleSplitter:
    """Splits lines where a rule matches; the match is removed, so look-arounds split without loss."""

    profile: SplitProfile
    name: str = "rule_splitter"
    version: str = "1"

    def correct(self, recognition: Recognition) -> Recognition:
        rules = re.compile("|".join(f"(?:{rule})" for rule in self.profile.rules))
        lines = tuple(piece for line in recognition.lines for piece in _pieces(line, rules))
        blocks = (replace(block, text=_cut(block, rules)) for block in recognition.blocks)
        return replace(recognition, lines=lines, blocks=tuple(blocks))


def rule_splitter(rules: Iterable[str]) -> RuleSplitter:
    """Regular expressions at which a line becomes several: `rule_splitter([r"\\s*;\\s*", r"(?<=\\d)(?=[A-Z])"])`."""
    listed = tuple(rules)
    try:
        for rule in listed:
            re.compile(rule)
    except re.error as error:
        raise ConfigurationError(f"{rule!r} is not a regular expression: {error}") from error
    if not listed:
        raise ConfigurationError("rule_splitter needs at least one rule")
    return RuleSplitter(SplitProfile(listed))


def _pieces(line: ReadLine, rules: re.Pattern[str]) -> list[ReadLine]:
    texts = [text.strip() for text in rules.split(line.text) if text and text.strip()]
    if len(texts) < 2:
        return [replace(line, text=texts[0])] if texts and texts[0] != line.text else [line]
    boxes = split_box(line.bbox, [len(text) for text in texts], upright=line.angle % 180 == 90)
    return [replace(line, text=text, bbox=box, words=()) for text, box in zip(texts, boxes, strict=True)]


def _cut(block: ReadBlock, rules: re.Pattern[str]) -> str:
    if block.table is not None:
        return block.text
    return "\n".join(text.strip() for text in rules.split(block.text) if text and text.strip())
