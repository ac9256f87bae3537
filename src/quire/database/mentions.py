"""Finds where runs, their events and journals name documents, so that no trace of a deleted document remains."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from quire.core.context import Json
from quire.core.keys import Digest
from quire.database.database import Database, change_in, in_portions, rows_in
from quire.database.leases import ALIVE
from quire.database.paths import path_text
from quire.database.runs import ENDED, forget_invocations, forget_runs
from quire.database.scopes import scope_in
from quire.database.task_sources import REMOVED, TASK, delete_sources, ids_of, solved_contents, sources_of

BATCH = "batch"
"""The flow whose runs are about many documents: only what is about a deleted one is removed from them."""
INDEX = "index"
"""The flow that puts a document into a search index. Its runs go with the document, also unfinished ones: they look
whether it is still there, before and after."""
AT_ONCE = 2000
"""Rows fetched at a time."""

_LENGTH = 64
_ID = re.compile(rf"[0-9a-f]{{{_LENGTH}}}")
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_START = 32
"""Length of the prefix of a document id in the keys of invocations."""


class TaskContents(NamedTuple):
    """Contents about all documents of a task: the list of them, the archive of their files. They are recorded under
    one of the ids, in the scope."""

    scope: str
    digests: list[Digest]
    ids: set[str]


class Mentions:
    """Everything in some scopes that names some documents: by id, or by a path that no other document has.

    Every table is read once, regardless of the number of documents. All in the caller's transaction. `load` loads a
    content of the store.
    """

    def __init__(
        self,
        database: Database,
        documents: Collection[str],
        *,
        scopes: Collection[str],
        load: Callable[[Digest], bytes],
    ) -> None:
        self._database, self._load = database, load
        self._documents, self._scopes = frozenset(documents), frozenset(scopes)
        self._starts = {document[:_START]: document for document in documents}
        self.paths = {document: _paths(database, document) if "" in scopes else [] for document in documents}
        self._of_path = {path: document for document, paths in self.paths.items() for path in paths}
        self.ended: Mapping[str, set[str]] = defaultdict(set)
        """The ended runs about each document, which are removed with it."""
        self.unfinished: Mapping[str, set[str]] = defaultdict(set)
        """The unfinished ones: resumed, they would read the document again."""
        self.contents: list[TaskContents] = []
        """The contents of tasks that `remove` leaves to the caller, who knows the ids of documents in a scope."""
        self._tasks: set[str] = set()
        self._indexing: set[str] = set()
        self._batches: dict[str, set[str]] = {}  # the names of the documents in each
        self._find_runs()

    def remove(self) -> None:
        """Remove runs, invocations, events and claims about the documents, and their names from what remains."""
        whole = {run for runs in self.ended.values() for run in runs} - self._tasks | self._indexing
        for some, marks in in_portions(sorted(whole)):
            forget_runs(self._database, f"run IN ({marks})", some)
        for run in sorted(self._tasks):
            self._clean_task(run)
        for run in sorted(self._batches):
            self._clean_batch(run)
        for document, runs in self.unfinished.items():
            about = [(run, document) for run in sorted(runs)]
            self._database.change_many("DELETE FROM events WHERE run = ? AND document = ?", about)
        self._remove_invocations()
        self._remove_claims()

    def _find_runs(self) -> None:
        named: dict[str, set[str]] = defaultdict(set)
        query = "SELECT DISTINCT run, document FROM events WHERE document IN ({})"
        for run, document in rows_in(self._database, query, sorted(self._documents)):
            named[str(run)].add(str(document))
        for run, flow, state, inputs, result in self._each("runs", "run", "flow, state, inputs, result"):
            if flow == BATCH:
                if "" in self._scopes:
                    self._batches[str(run)] = set()
                continue
            found = self._named(inputs) | self._named(result) | named[str(run)]
            if not found or scope_in(json.loads(str(inputs))) not in self._scopes:
                continue
            if flow == INDEX:
                self._indexing.add(str(run))
                continue
            into = self.ended if state in ENDED else self.unfinished
            if flow == TASK and state in ENDED:
                self._tasks.add(str(run))
            for document in found:
                into[document].add(str(run))

    def _clean_task(self, run: str) -> None:
        """Remove the documents from a task, which may have others."""
        ((inputs, result),) = self._database.rows("SELECT inputs, result FROM runs WHERE run = ?", (run,))
        argument, ended = json.loads(str(inputs)), json.loads(str(result or "null")) or {"documents": []}
        listed, shared = ended["documents"], [ended["archive"]] if "archive" in ended else []
        shared += solved_contents(ended["solve"]) if "solve" in ended else []
        if isinstance(listed, str):
            shared.append(listed)
            listed = json.loads(self._load(Digest(listed)))
        if shared:
            ids = {id for _, id in ids_of(argument["sources"], listed)} | {*shared}
            self.contents.append(TaskContents(scope_in(argument), shared, ids))
        delete_sources(self._database, run, sources_of(argument["sources"], listed, self._documents), listed)

    def _clean_batch(self, run: str) -> None:
        """Remove the documents from a batch run; one about deleted documents only is removed completely."""
        names = self._batches[run] = self._remove_events(run)
        columns = "inputs, result, error"
        ((inputs, *others),) = self._database.rows(f"SELECT {columns} FROM runs WHERE run = ?", (run,))
        cleaned = [self._cleaned(text, names) for text in (inputs, *others)]
        if cleaned == [inputs, *others]:
            return
        if not json.loads(str(cleaned[0])).get("paths", True):
            forget_runs(self._database, "run = ?", (run,))
            return
        self._database.change("UPDATE runs SET inputs = ?, result = ?, error = ? WHERE run = ?", (*cleaned, run))

    def _remove_events(self, run: str) -> set[str]:
        """Remove the events of a batch about the documents; returns their names and paths in it.

        Older batches identify documents by name, and record the id only in the last event of each.
        """
        about: set[int] = set()
        names: set[str] = set()
        others: set[str] = set()
        called: dict[str, list[tuple[int, set[str]]]] = defaultdict(list)
        for sequence, name, payload in self._events(run):
            fields = json.loads(payload)
            known = {path_text(one) for one in (name, fields.get("name"), fields.get("input_path")) if one}
            if name in self._documents or self._named(payload):
                about.add(sequence)
                names |= known
            elif fields.get("input_hash"):
                others |= known
            elif name:
                called[name].append((sequence, known))
        for sequence, known in [row for name in names & called.keys() for row in called[name]]:
            about.add(sequence)
            names |= known
        self._database.change_many(
            "DELETE FROM events WHERE run = ? AND sequence = ?", [(run, sequence) for sequence in sorted(about)]
        )
        return names - others

    def _events(self, run: str) -> Iterator[tuple[int, str, str]]:
        query = (
            "SELECT sequence, document, payload FROM events WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?"
        )
        after = -1
        while rows := self._database.rows(query, (run, after, AT_ONCE)):
            for sequence, name, payload in rows:
                after = int(str(sequence))
                yield after, str(name or ""), str(payload)

    def _remove_invocations(self) -> None:
        gone: list[str] = []
        for key, run, state, *texts in self._each("invocations", "key", "run, state, argument, result, error"):
            if run in self._batches:
                cleaned = [self._cleaned(text, self._batches[str(run)]) for text in texts]
                if cleaned != texts:
                    changed = "UPDATE invocations SET argument = ?, result = ?, error = ? WHERE key = ?"
                    self._database.change(changed, (*cleaned, key))
            elif (
                state in ENDED
                and (self._has_start(str(key)) or any(map(self._named, texts)))
                and scope_in(json.loads(str(texts[0]))) in self._scopes
            ):
                gone.append(str(key))
        for some, marks in in_portions(gone):
            forget_invocations(self._database, f"key IN ({marks})", some)

    def _remove_claims(self) -> None:
        held = f"SELECT owner FROM owners WHERE {ALIVE}"
        values = (self._database.now(), self._database.epoch)
        rows = self._database.rows(f"SELECT key FROM claims WHERE owner NOT IN ({held})", values)
        gone = [str(key) for (key,) in rows if self._has_start(str(key))]
        change_in(self._database, "DELETE FROM claims WHERE key IN ({})", gone)

    def _each(self, table: str, key: str, columns: str) -> Iterator[tuple[object, ...]]:
        """Every row of a table, in portions."""
        query, after = f"SELECT {key}, {columns} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?", ""
        while rows := self._database.rows(query, (after, AT_ONCE)):
            yield from rows
            after = str(rows[-1][0])

    def _has_start(self, key: str) -> bool:
        return any(part[:_START] in self._starts for part in key.split("/"))

    def _named(self, text: object) -> set[str]:
        """The documents that a JSON text names. For a source with an id and a path, the id counts."""
        if text is None:
            return set()
        found: set[str] = set()
        for string in _STRING.findall(str(text)):
            if len(string) >= _LENGTH:
                found |= self._documents.intersection(_ID.findall(string))
            document = self._of_path.get(_plain(string))
            if document is not None and f'"path": "{string}"' not in str(text):
                found.add(document)
        return found

    def _cleaned(self, text: object, names: Collection[str]) -> object:
        """A JSON text without what is about the documents."""
        if text is None:
            return None
        value = json.loads(str(text))
        cleaned = self._without(value, names)
        return text if cleaned == value else json.dumps(cleaned)

    def _without(self, value: Json, names: Collection[str]) -> Json:
        match value:
            case str():
                return REMOVED if self._says(value, names) else value
            case list():
                return [self._without(one, names) for one in value if not self._is_about(one, names)]
            case dict():
                return {name: self._without(one, names) for name, one in value.items()}
        return value

    def _is_about(self, item: Json, names: Collection[str]) -> bool:
        """Whether an item of a list is about one of the documents, so that the whole item is removed."""
        parts = item.values() if isinstance(item, dict) else item if isinstance(item, list) else [item]
        return any(isinstance(part, str) and self._says(part, names) for part in parts)

    def _says(self, text: str, names: Collection[str]) -> bool:
        plain = path_text(text)
        if plain in self._of_path or plain in names or not self._documents.isdisjoint(_ID.findall(plain)):
            return True
        return " " in plain and any(_is_word(term, plain) for term in (*self._of_path, *names))


def _paths(database: Database, document: str) -> list[str]:
    """The paths of a document at which no other document is known."""
    places = {"files": ("path", "digest"), "outputs": ("source", "document"), "quarantine": ("source", "document")}

    def known(condition: str, values: Sequence[object]) -> set[str]:
        query = " UNION ".join(
            f"SELECT {path} FROM {table} WHERE {condition.format(path=path, of=of)}"
            for table, (path, of) in places.items()
        )
        return {str(path) for (path,) in database.rows(query, [*values] * len(places))}

    own = known("{of} = ?", (document,))
    return sorted(path for path in own if not known("{path} = ? AND {of} <> ?", (path, document)))


def _plain(string: str) -> str:
    """A JSON string as path text (`path_text`)."""
    return path_text(json.loads(f'"{string}"')) if "\\" in string else string


def _is_word(term: str, text: str) -> bool:
    """Whether a text contains a path or name as a whole, not as part of a longer one."""
    return re.search(rf"(?<![\w/.-]){re.escape(term)}(?![\w/-]|\.\w)", text) is not None
