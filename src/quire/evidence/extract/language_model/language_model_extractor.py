"""An extractor that asks a language model: over the whole document in parts, with a citation for each value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from quire.core import prompts
from quire.core.errors import ConfigurationError, EngineError, UsageError
from quire.core.keys import digest_of
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.agreement import is_same, settled
from quire.evidence.extract.extractor import PartlyFailed, code_version
from quire.evidence.extract.language_model.certainty import certainties
from quire.evidence.extract.language_model.form import answer_schema, described, proposals_in
from quire.evidence.extract.language_model.passages import halved, parts_of
from quire.evidence.extract.language_model.recorded_calls import current_answers, current_language_model, tree_in
from quire.evidence.extract.schema import ExtractSchema, ObjectSpec
from quire.evidence.extract.values import Proposal
from quire.net.language_model import KEY, MODEL, URL, LanguageModel
from quire.net.model_server import Refused
from quire.pages.recognize.vision.reply import CutOff

PART_CHARACTERS = 24_000
MOST_PARTS = 12
LEAST_CHARACTERS = 500
MOST_HALVINGS = 3
"""The most divisions of a part whose answers are cut off: a model that goes on without end does so for any part."""
_FINAL = (401, 403, 404)
"""HTTP status codes that the same request gets again: the key, the address or the name of the model is wrong."""
_ID = re.compile(r"^\[(\S+)\]$", re.MULTILINE)
_INDEX = re.compile(r"\[(\d+)\]")


_Place: TypeAlias = tuple[int, ...]
"""The place of a part in the document: its number, then the numbers of its halves."""


@dataclass(frozen=True, slots=True)
class _Asked:
    place: _Place
    part: str
    constrained: bool = True


@dataclass(frozen=True)
class LanguageModelExtractor:
    """Asks a model for the values of a schema, and for the record and the quote of each.

    A document is sent in parts of at most `part_characters`; of one that needs more than `most_parts`, the chunks that
    say most about the leaves. Parts that fail are asked once more, without a constraint of the form where that is what
    the server refuses; a part whose answer is cut off is asked again in two halves. What it returns is proposed, never
    trusted: the check is that of all extractors.
    """

    model: LanguageModel
    part_characters: int = PART_CHARACTERS
    most_parts: int = MOST_PARTS

    def __post_init__(self) -> None:
        if self.part_characters < LEAST_CHARACTERS or self.most_parts < 1:
            raise UsageError(
                f"a part for a language model has at least {LEAST_CHARACTERS} characters, and there is one"
            )

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def version(self) -> str:
        decides = [
            code_version(),
            self.model.model,
            prompts.load("extract").digest,
            self.part_characters,
            self.most_parts,
        ]
        return digest_of(decides)[:12]

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        """Raises EngineError if no part was answered, and PartlyFailed with the proposals of the others."""
        parts = parts_of(catalog, schema, self.part_characters, self.most_parts)
        answered, failed = self._answered(catalog, schema, parts)
        if failed and not answered:
            raise failed[min(failed)]
        found = _joined([proposals for _, proposals in sorted(answered.items())], schema, catalog)
        if failed:
            reasons = "; ".join(dict.fromkeys(_reason(error) for _, error in sorted(failed.items())))
            numbers = ", ".join(_numbered(place) for place in sorted(failed))
            raise PartlyFailed(self.name, f"no answer for part {numbers} of {len(parts)}: {reasons}", found)
        return found

    def _answered(
        self, catalog: SourceCatalog, schema: ExtractSchema, parts: Sequence[str]
    ) -> tuple[dict[_Place, list[Proposal]], dict[_Place, EngineError]]:
        """The proposals of the parts by their places in the document, and the errors of the others."""
        answers = current_answers()
        answered: dict[_Place, list[Proposal]] = {}
        failed: dict[_Place, EngineError] = {}
        wanted = [_Asked((at,), part) for at, part in enumerate(parts)]
        while wanted:
            requests = [self._request(schema, one.part, catalog if one.constrained else None) for one in wanted]
            replies = answers(self.model, catalog.document, requests)
            again: list[_Asked] = []
            for one, answer in zip(wanted, replies, strict=True):
                try:
                    answered[one.place] = self._proposals(answer, schema, catalog)
                except EngineError as error:
                    more = _asked_again(one, error, catalog)
                    again += more
                    if not more:
                        failed[one.place] = error
            wanted = again
        return answered, failed

    def _proposals(self, answer: bytes | EngineError, schema: ExtractSchema, catalog: SourceCatalog) -> list[Proposal]:
        if isinstance(answer, EngineError):
            raise answer
        tree = tree_in(self.model, answer)
        known = schema.root.properties if isinstance(schema.root, ObjectSpec) else ()
        if known and tree and not (isinstance(tree, dict) and any(name in tree for name in known)):
            raise EngineError(self.name, "the answer has none of the values that were asked for")
        return proposals_in(tree, schema, catalog, self.name, certainties(answer))

    def _request(self, schema: ExtractSchema, part: str, catalog: SourceCatalog | None) -> bytes:
        """About a part. With the catalog the form of the answer is constrained, with the ids that can be cited."""
        shown = [one for one in _ID.findall(part) if one in catalog.by_id] if catalog else []
        form = answer_schema(schema, list(dict.fromkeys(shown)))
        asked = f"Values:\n{described(schema)}\n\n{prompts.as_data('records', part)}"
        if catalog is None:
            asked += (
                f"\n\nReply with JSON of this JSON Schema, in a code fence:\n{json.dumps(form, ensure_ascii=False)}"
            )
        messages = [
            {"role": "system", "content": prompts.load("extract").text},
            {"role": "user", "content": asked},
        ]
        request: dict[str, Any] = {"model": self.model.model, "messages": messages, "temperature": 0, "stream": False}
        if catalog is not None:
            named = {"name": "values", "strict": True, "schema": form}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        return json.dumps(request).encode()


def model_extractor(part_characters: str = "") -> LanguageModelExtractor:
    """The extractor of the model that the environment names. Raises ConfigurationError without one."""
    model = current_language_model()
    if model is None:
        raise ConfigurationError(
            f"there is no language model; set {URL} to an OpenAI-compatible server such as http://127.0.0.1:8000/v1 "
            f"and {MODEL} to the name of a model there (and {KEY} if it needs a key)"
        )
    if not part_characters:
        return LanguageModelExtractor(model)
    if not part_characters.isdecimal():
        raise UsageError(f"model:{part_characters[:50]} should be the characters of a part, as in model:6000")
    return LanguageModelExtractor(model, int(part_characters[:9]))


def _asked_again(one: _Asked, error: EngineError, catalog: SourceCatalog) -> list[_Asked]:
    """The requests after an answer that failed: the halves of a part whose answer was cut off, else the same part
    without a constraint of the form; nothing where that would not help."""
    if _is_final(error):
        return []
    if isinstance(error, CutOff) and len(one.place) <= MOST_HALVINGS and (parts := halved(one.part, catalog)):
        return [_Asked((*one.place, at), part, one.constrained) for at, part in enumerate(parts)]
    return [replace(one, constrained=False)] if one.constrained else []


def _numbered(place: _Place) -> str:
    """The number of a part; of the first half of the second half of part 3 it is 3.2.1."""
    return ".".join(str(at + 1) for at in place)


def _is_final(error: EngineError) -> bool:
    return isinstance(error, Refused) and error.status in _FINAL


def _reason(error: EngineError) -> str:
    return str(error).removeprefix(f"{error.engine}: ")


def _joined(parts: Sequence[Sequence[Proposal]], schema: ExtractSchema, catalog: SourceCatalog) -> list[Proposal]:
    """One proposal for each path: of several parts the best supported, with the others beside it. Rows of a list go on
    from part to part."""
    single: dict[str, list[Proposal]] = {}
    rows: list[Proposal] = []
    begun: dict[str, int] = {}
    for proposals in parts:
        ends: dict[str, int] = {}
        for one in proposals:
            found = _INDEX.search(one.path)
            if found is None:
                single.setdefault(one.path, []).append(one)
                continue
            outer, at = one.path[: found.start()], int(found[1]) + begun.get(one.path[: found.start()], 0)
            ends[outer] = max(ends.get(outer, 0), at + 1)
            rows.append(replace(one, path=f"{outer}[{at}]{one.path[found.end() :]}"))
        begun |= ends
    return [_best(listed, schema, catalog) for listed in single.values()] + rows


def _best(listed: Sequence[Proposal], schema: ExtractSchema, catalog: SourceCatalog) -> Proposal:
    """The first that the document supports; others that it supports contradict it, the rest are alternatives."""
    if len(listed) == 1:
        return listed[0]
    leaf = schema.leaf(listed[0].path)
    assert leaf is not None
    supported: list[Proposal] = []
    weak: list[Proposal] = []
    for one in listed:
        outcome, _ = settled(one.path, leaf, (one,), catalog)
        (supported if outcome is not None and outcome.evidence.supported else weak).append(one)
    first, *more = supported + weak
    different = [one for one in more if not is_same(one.value, first.value, leaf.kind)]
    rivals = [one for one in different if one in supported]
    return replace(first, others=tuple(rivals), alternatives=tuple(one for one in different if one in weak))
