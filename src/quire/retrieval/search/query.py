"""Queries as people type them: words, "phrases", -not, filters: `page:12`, `kind:table`, `in:folder`, `doc:name`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import get_args

from quire.core.errors import UsageError
from quire.core.page_ranges import check_pages
from quire.core.types import BlockKind
from quire.lexicon.terms import query_terms, terms
from quire.retrieval.search.questions import Intent, understood

_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_PART = re.compile(r'(?P<minus>-)?(?:(?P<name>[a-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """The conditions on hits. All that are set must hold; of several values of one field, any.

    `folders` are paths of folders or files, or parts of them at a slash; `documents` are ids (sha256) or names of
    files; `pages` are like 1-3,7; `statements` are financial statements (`search.statements`). `since` and
    `until` are dates like 2024-01-31 of the files. `metadata` holds values that were given when a document was added.
    """

    documents: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    pages: str | None = None
    since: str | None = None
    until: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    statements: tuple[str, ...] = ()
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A query, taken apart: `intent` is what it asks for, without filters and excluded words."""

    intent: Intent
    terms: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    filter: SearchFilter = field(default_factory=SearchFilter)


def parse_query(text: str, given: SearchFilter | None = None) -> Query:
    """Take a query apart. Filters in the text are added to those given. Raises UsageError, with what to write."""
    filters = given or SearchFilter()
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[tuple[str, ...]] = []
    for match in _PART.finditer(text):
        name, part = match["name"], match["phrase"] if match["phrase"] is not None else match["word"]
        if name in _FILTERS and part:
            filters = _FILTERS[name](filters, part)
            continue
        part = f"{name}:{part}" if name else part
        found = tuple(terms(part))
        if match["minus"] and found:
            excluded.append(found)
        elif found:
            words.append(part)
            if match["phrase"] is not None and len(found) > 1:
                phrases.append(part)
        elif words and not match["minus"]:
            words[-1] += part  # the mark at the end of a question
    plain = " ".join(words)
    if not plain:
        raise UsageError(f"the query {text!r} has no words to look for; write some, like: gross margin 2022 kind:table")
    intent = understood(plain)
    quoted = tuple(tuple(terms(phrase)) for phrase in phrases if phrase in intent.text)
    return Query(intent, tuple(query_terms(intent.text)), quoted, tuple(excluded), filters)


def _of_pages(filters: SearchFilter, pages: str) -> SearchFilter:
    check_pages(pages)
    return replace(filters, pages=f"{filters.pages},{pages}" if filters.pages else pages)


def _of_kind(filters: SearchFilter, kind: str) -> SearchFilter:
    if kind not in _KINDS:
        raise UsageError(f"there is no kind of block {kind!r}; choose from {', '.join(_KINDS)}")
    return replace(filters, kinds=(*filters.kinds, kind))


_FILTERS: dict[str, Callable[[SearchFilter, str], SearchFilter]] = {
    "page": _of_pages,
    "kind": _of_kind,
    "in": lambda filters, said: replace(filters, folders=(*filters.folders, said)),
    "doc": lambda filters, said: replace(filters, documents=(*filters.documents, said)),
    "since": lambda filters, said: replace(filters, since=said),
    "until": lambda filters, said: replace(filters, until=said),
}
