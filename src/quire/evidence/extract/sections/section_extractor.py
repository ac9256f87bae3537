"""`SectionExtractor`: the title, the abstract, and the lists of a paper or a CV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from quire.core.context import Json
from quire.core.types import Block
from quire.evidence.catalog.block_places import span_places
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, ObjectSpec, SchemaNode
from quire.evidence.extract.sections.authors import authors_of
from quire.evidence.extract.sections.document_sections import DocumentSection, Topic, sections_of
from quire.evidence.extract.sections.entries import NAMED, SectionEntry, entries_of, items_of, works_of
from quire.evidence.extract.values import Proposal
from quire.lexicon.words import phrase_patterns

SURE = 0.7
_WRITTEN: Mapping[str, re.Pattern[str]] = {
    r"e ?mails?|email addresses": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    r"phones?|phone numbers?|telephones?|mobile": re.compile(
        r"(?<![\w/.-])(?!(?:19|20)\d\d\W+(?:19|20)\d\d(?!\d))\+?\(?\d[\d \t().-]{6,16}\d(?![\w/@-])"
    ),
    r"(?:social )?links|urls|websites|profiles": re.compile(
        r"(?:https?://|www\.)[^\s,;]+|\b(?:linkedin|github|twitter|orcid)\.\w+/[^\s,;]+"
    ),
}
_BY_COMMA: frozenset[Topic] = frozenset({"languages", "skills", "keywords"})
_WHOLE_NAME = re.compile(r"full name|candidate name|name of (?:the )?candidate|applicant name")
_NAME = re.compile(
    r"^(?:(?:Dr|Prof|Mr|Ms|Mrs)\.? )*[A-Z][\w’'.-]+(?: [A-Z][\w’'.-]*){1,3}(?=$|\n| [\d(+•|]|,? [A-Z]{2,4}$)"
)
_CV = frozenset({"experience", "education", "skills"})
_TOP = 5
"""Blocks at the beginning of a document, among which its title and a name stand."""


class SectionExtractor:
    """Proposes for fields that are named after a usual section; nothing in documents without one."""

    name = "sections"

    @property
    def version(self) -> str:
        return code_version()

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        wanted = [(node, found) for node in _nodes(schema.root) if (found := _topic(node)) is not None]
        sections = sections_of(catalog.blocks)
        if not sections:
            return []
        proposed: list[Proposal] = []
        for node, topic in wanted:
            those = [one for one in sections if one.topic == topic]
            if isinstance(node, ListSpec):
                proposed += self._listed(node, topic, those)
            elif those:
                proposed += self._text(node.path, those[0])
        is_cv = len(_CV & {one.topic for one in sections}) > 1
        for node in _nodes(schema.root):
            if isinstance(node, ListSpec) and not is_cv and _spaced(node.path) == "authors":
                proposed += self._authors(node, catalog.blocks)
            elif isinstance(node, ListSpec) and isinstance(node.items, LeafSpec) and is_cv:
                proposed += self._written(node, catalog.blocks)
            elif isinstance(node, LeafSpec):
                proposed += self._of_top(node, catalog.blocks, is_cv=is_cv)
        return proposed

    def _listed(self, node: ListSpec, topic: Topic, sections: Sequence[DocumentSection]) -> Iterator[Proposal]:
        number = 0
        for section in sections:
            if isinstance(node.items, LeafSpec):
                for entry in items_of(section, by_comma=topic in _BY_COMMA):
                    block, span = entry.parts["whole"]
                    yield self._proposal(f"{node.path}[{number}]", block, span)
                    number += 1
            elif isinstance(node.items, ObjectSpec):
                for entry in _entries(topic, section):
                    found = list(self._object(node.items, f"{node.path}[{number}]", entry))
                    yield from found
                    number += bool(found)

    def _object(self, items: ObjectSpec, path: str, entry: SectionEntry) -> Iterator[Proposal]:
        for name, child in items.properties.items():
            if not isinstance(child, LeafSpec):
                continue
            here, spaced = f"{path}.{name}", _spaced(name)
            part = next((part for part, words in NAMED.items() if re.search(rf"\b(?:{words})\b", spaced)), None)
            if part == "current" and child.type == "boolean" and "from" in entry.parts:
                block, span = entry.parts["current" if entry.is_current else "from"]
                yield self._proposal(here, block, span, value=entry.is_current)
            elif part == "texts" and (entry.texts or "whole" in entry.parts):
                yield self._whole(here, entry)
            elif part in ("date", "year") and (at := entry.parts.get(part) or entry.parts.get("year")):
                yield self._proposal(here, *at)
            elif part is not None and part in entry.parts:
                yield self._proposal(here, *entry.parts[part])

    def _whole(self, path: str, entry: SectionEntry) -> Proposal:
        if not entry.texts or "whole" in entry.parts:
            return self._proposal(path, *entry.parts["whole"])
        text = "\n".join(block.text for block in entry.texts)
        first = entry.texts[0]
        records = tuple(block.id for block in entry.texts)
        return Proposal(path, " ".join(text.split()), records, text, SURE, self.name, first.places)

    def _text(self, path: str, section: DocumentSection) -> Iterator[Proposal]:
        texts = [(block, first) for block, first in section.texts() if block.kind != "heading"]
        if texts:
            text = "\n".join(block.text[first:].strip() for block, first in texts)
            records = tuple(block.id for block, _ in texts)
            yield Proposal(path, " ".join(text.split()), records, text, SURE, self.name, texts[0][0].places)

    def _authors(self, node: ListSpec, blocks: Sequence[Block]) -> Iterator[Proposal]:
        for number, entry in enumerate(authors_of(blocks)):
            path = f"{node.path}[{number}]"
            if isinstance(node.items, ObjectSpec):
                yield from self._object(node.items, path, entry)
            else:
                yield self._proposal(path, *entry.parts["name"])

    def _written(self, node: ListSpec, blocks: Sequence[Block]) -> Iterator[Proposal]:
        """E-mail addresses, telephone numbers and links of a CV."""
        named = _spaced(node.path.rpartition(".")[2])
        pattern = next((one for words, one in _WRITTEN.items() if re.fullmatch(words, named)), None)
        if pattern is None:
            return
        known: set[str] = set()
        for block in blocks:
            for found in pattern.finditer(block.text) if block.page == blocks[0].page else ():
                if found[0] not in known:
                    yield self._proposal(f"{node.path}[{len(known)}]", block, found.span())
                    known.add(found[0])

    def _of_top(self, leaf: LeafSpec, blocks: Sequence[Block], *, is_cv: bool) -> Iterator[Proposal]:
        """The title of a document, the name at the head of a CV, and what a CV says below it."""
        top = [block for block in blocks if block.kind not in ("header", "footer", "page_number", "figure")][:_TOP]
        named = _spaced(leaf.name)
        if named == "title" and "." not in leaf.path and not is_cv:
            heads = [block for block in top if block.kind == "title"] or [b for b in top if b.kind == "heading"]
            for block in heads[:1]:
                yield self._proposal(leaf.path, block, (0, len(block.text)))
        elif is_cv and _WHOLE_NAME.fullmatch(named):
            for block in top:
                if found := _NAME.match(block.text):
                    yield self._proposal(leaf.path, block, found.span())
                    return
        elif is_cv and _named_topic(named) == "statement":
            for block in top:
                if block.kind == "paragraph" and len(block.text.split()) > 12:
                    yield self._proposal(leaf.path, block, (0, len(block.text)))
                    return

    def _proposal(self, path: str, block: Block, span: tuple[int, int], value: Json = None) -> Proposal:
        quote = block.text[slice(*span)]
        said = " ".join(quote.split()) if value is None else value
        return Proposal(path, said, (block.id,), quote, SURE, self.name, span_places(block, span))


def _entries(topic: Topic, section: DocumentSection) -> list[SectionEntry]:
    if topic in ("publications", "references"):
        return works_of(section)
    return items_of(section) if topic in ("awards", "media", "languages", "skills") else entries_of(section)


def _nodes(node: SchemaNode) -> Iterator[SchemaNode]:
    """The leaves and lists that are in no list."""
    if isinstance(node, ObjectSpec):
        for child in node.properties.values():
            yield from _nodes(child)
    else:
        yield node


def _topic(node: SchemaNode) -> Topic | None:
    if isinstance(node, LeafSpec) and node.type != "string":
        return None
    return _named_topic(_spaced(node.path.rpartition(".")[2]))


def _named_topic(name: str) -> Topic | None:
    """The topic of the section that the name of a field is the name of."""
    patterns = phrase_patterns("section_fields").items()
    return next((cast("Topic", topic) for topic, pattern in patterns if pattern.fullmatch(name)), None)


def _spaced(name: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip().casefold()
