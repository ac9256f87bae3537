"""What a model has proposed so far, each value checked when it is proposed, and what it has found wrong."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from quire.core.context import Json
from quire.core.types import shortened
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.language_model.form import tightest
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, ObjectSpec, SchemaNode
from quire.evidence.extract.schema_fit import Unfit, fitted
from quire.evidence.extract.value_paths import field_of, rows_of, with_value
from quire.evidence.extract.values import Derivation, LeafEvidence, Missing, Proposal
from quire.evidence.extract.verification import checked
from quire.solving.answers import CONFIDENCE, LONGEST_QUOTE, MOST_VALUES, claimed_files
from quire.solving.findings import FINDING_KINDS, Finding, FindingKind, encode_findings
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.tools.arguments import BadCall, ToolArguments
from quire.solving.tools.tool_specs import RULES

FINDINGS = "findings.jsonl"
MOST_ROWS = 5000
MOST_FINDINGS = 500
MOST_NOTES = 20_000
"""Characters of all remarks together."""
_PARTS = 20
_POSITION = re.compile(r"\.(\d+)(?=\.|$)")


class Proposals:
    """The values of an attempt by their paths: the last proposal for a path counts."""

    def __init__(self, documents: JoinedCatalog, schema: ExtractSchema, by: str) -> None:
        self._documents = documents
        self._catalog: SourceCatalog = documents.whole
        self._schema = schema
        self._by = by
        self._leaves = {leaf.path: leaf for leaf in schema.leaves}
        self._paths = {one for node in _nodes(schema.root) for one in (node.path, f"{node.path}[]")}
        self._values: dict[str, Json] = {}
        self._filled: Counter[str] = Counter()
        self._lines: dict[str, dict[str, Json]] = {}
        self._missing: dict[str, Missing] = {}
        self._findings: list[Finding] = []
        self._notes: list[str] = []

    def propose(self, given: ToolArguments) -> tuple[LeafEvidence, Json]:
        """Check a value and keep it, also where nothing supports it: it is marked then. Raises BadCall if not."""
        path, leaf = self._leaf(given.needed("path"))
        quote = given.text("quote", most=LONGEST_QUOTE)
        try:
            value = fitted(given.value("value"), leaf, quote)
        except Unfit as error:
            raise BadCall(f"{error}, and {leaf.path} is of the type {leaf.kind or leaf.type}") from None
        derivation = _derivation(given.mapping("derivation"))
        record = given.text("record").strip(" []")
        if path not in self._values and len(self._values) >= MOST_VALUES:
            raise BadCall(f"there are {MOST_VALUES:,} values, and no more are taken")
        records = () if derivation or not record else (tightest(self._catalog, record, quote),)
        proposal = Proposal(path, value, records, quote, CONFIDENCE, self._by, derivation=derivation)
        self._filled[leaf.path] += path not in self._values
        self._values[path] = value
        self._lines[path] = _line(proposal)
        self._missing.pop(path, None)
        return checked(proposal, leaf, self._catalog), value

    def give_up(self, given: ToolArguments) -> str:
        """Keep that a value was not found, instead of what was proposed for it, or below it."""
        path = self._known(given.needed("path"))
        reason = given.needed("reason", most=LONGEST_QUOTE)
        if path not in self._missing and len(self._missing) >= MOST_VALUES:
            raise BadCall(f"there are {MOST_VALUES:,} paths without a value, and no more are taken")
        for one in [one for one in self._values if _is_below(one, path)]:
            self._filled[self._leaf(one)[1].path] -= 1
            del self._values[one], self._lines[one]
        self._missing[path] = Missing(path, given.numbers("pages"), reason)
        return path

    def find(self, given: ToolArguments) -> Finding:
        """Keep a finding of a reviewer. Raises BadCall for a kind, path or quote that is not there."""
        kind = given.needed("kind")
        if kind not in get_args(FindingKind):
            raise BadCall(f"there is no kind {shortened(kind)!r}; choose from {', '.join(FINDING_KINDS)}")
        if len(self._findings) >= MOST_FINDINGS:
            raise BadCall(f"there are {MOST_FINDINGS} findings, and no more are taken")
        path = self._known(given.needed("path"))
        reason = given.needed("reason", most=LONGEST_QUOTE)
        place = self.cited(given) if given.has("record") or given.has("quote") else None
        if place is None:
            found = Finding(path, kind, reason, by=self._by)  # type: ignore[arg-type]
        else:
            at, page = self._documents.place_of(place.page or 1)
            short = self._documents.shorts[at]
            found = Finding(
                path,
                kind,  # type: ignore[arg-type]
                reason,
                document=short,
                page=page,
                bboxes=place.bboxes,
                quote=place.quote,
                record=place.records[0].removeprefix(f"{short}/"),
                by=self._by,
            )
        self._findings.append(found)
        return found

    def cited(self, given: ToolArguments) -> LeafEvidence:
        """The place of a quote in a record. Raises BadCall that says what stands there, or where the quote does."""
        name, quote = given.needed("record").strip(" []"), given.needed("quote", most=LONGEST_QUOTE)
        record = self._catalog.by_id.get(name)
        leaf = LeafSpec("quote", "quote", kind="text")
        found = checked(
            Proposal("quote", quote, (tightest(self._catalog, name, quote),), quote, 1.0, self._by), leaf, self._catalog
        )
        if found.status == "found":
            return found
        if found.status == "repaired":
            raise BadCall(f"the quote is not in {shortened(name)}; it stands in {found.records[0]}")
        if record is None:
            raise BadCall(f"there is no record {shortened(name)!r}; take ids from search, read_page or read_table")
        raise BadCall(f"{found.reason}; {name} says {shortened(record.text, 400)!r}")

    def note(self, text: str) -> None:
        if sum(map(len, self._notes)) + len(text) > MOST_NOTES:
            raise BadCall(f"the remarks have more than {MOST_NOTES:,} characters")
        self._notes.append(text)

    @property
    def open_paths(self) -> list[str]:
        """The leaves for which there is neither a value nor that it was not found."""
        empty = [path for path in self._leaves if not self._filled[path]]
        missing = {field_of(path) for path in self._missing} if empty else ()
        return [path for path in empty if not any(_is_below(path, one) for one in missing)]

    def answer_files(self) -> dict[str, bytes]:
        values: Json = [] if isinstance(self._schema.root, ListSpec) else {}
        for path, value in self._values.items():
            values = with_value(values, path, value)
        notes = "".join(f"{note}\n" for note in self._notes)
        return claimed_files(values, self._lines, list(self._missing.values()), notes)

    def finding_files(self) -> dict[str, bytes]:
        notes = "".join(f"{note}\n" for note in self._notes)
        return {FINDINGS: encode_findings(self._findings), "notes.md": notes.encode("utf-8", "backslashreplace")}

    def _leaf(self, given: str) -> tuple[str, LeafSpec]:
        path = _plain(given)
        leaf = self._leaves.get(field_of(path)) or self._leaves.get(field_of(path).removesuffix("[]"))
        if leaf is None:
            raise BadCall(self._advice(given))
        if "[]" in path:
            raise BadCall(f"{path} is a list; name the row, counted from 0: {path.replace('[]', '[0]')}")
        self._check_rows(path)
        return path, leaf

    def _known(self, given: str) -> str:
        """A path of a leaf, a list or an object of the schema, or of a row of one."""
        path = _plain(given)
        field = field_of(path)
        if field not in self._paths or not path:
            raise BadCall(self._advice(given))
        self._check_rows(path)
        return path

    def _check_rows(self, path: str) -> None:
        if any(row >= MOST_ROWS for row in rows_of(path)):
            raise BadCall(f"{shortened(path)} is beyond row {MOST_ROWS}, and no more are taken")

    def _advice(self, given: str) -> str:
        near = difflib.get_close_matches(field_of(_plain(given))[:100], list(self._leaves)[:1000], n=5, cutoff=0.4)
        there = near or list(self._leaves)[:12]
        return f"the schema has no path {shortened(given)!r}; did you mean {', '.join(there)}?"


def _plain(path: str) -> str:
    """A path as models write it, `$.items.0.price`, in our form."""
    return _POSITION.sub(r"[\1]", path.removeprefix("$").removeprefix(".")[:400])


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))


def _nodes(node: SchemaNode) -> list[SchemaNode]:
    inside = (
        [node.items]
        if isinstance(node, ListSpec)
        else list(node.properties.values())
        if isinstance(node, ObjectSpec)
        else []
    )
    return [node, *(one for child in inside for one in _nodes(child))]


def _line(proposal: Proposal) -> dict[str, Json]:
    if proposal.derivation is not None:
        parts = [{"text": text, "record": record} for text, record in proposal.derivation.parts]
        return {"derivation": {"rule": proposal.derivation.rule, "parts": parts}}
    cited = {"record": proposal.records[0]} if proposal.records else {}
    return {**cited, "quote": proposal.quote}


def _derivation(given: Mapping[str, Any] | None) -> Derivation | None:
    if given is None:
        return None
    rule, parts = given.get("rule"), given.get("parts")
    if rule not in RULES:
        raise BadCall(f"the rule of a derivation is one of {', '.join(RULES)}")
    if not isinstance(parts, list) or not 1 <= len(parts) <= _PARTS:
        raise BadCall(f"a derivation has a list of 1 to {_PARTS} parts, each with text and record")
    listed = []
    for part in parts:
        if not isinstance(part, Mapping):
            raise BadCall("a part of a derivation is an object with text and record")
        each = ToolArguments(part)
        listed.append((each.needed("text", most=LONGEST_QUOTE), each.needed("record").strip(" []")))
    return Derivation(rule, tuple(listed))
