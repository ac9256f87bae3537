"""One attempt of a runner without a workflow: real documents, real tools, and a model that is scripted or recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import quire
from quire.core.errors import EngineError
from quire.core.keys import Digest, digest_bytes
from quire.core.runner import BriefDocument, Budget, Role, Runner, TaskBrief, TimelineEntry
from quire.core.types import BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import asked_schema
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.tools.toolbox import SolveTools

WORKSPACE = Digest("0" * 64)
Answer = bytes | EngineError | Callable[[Mapping[str, Any]], bytes]
"""What a model answers: bytes, an error, or a function of the request that makes bytes."""


def catalog_of(content: bytes, name: str = "document.pdf", **options: Any) -> SourceCatalog:
    return quire.read(quire.Document(content, name=name), **options).catalog()


def brief_of(
    documents: JoinedCatalog, schema: Mapping[str, Any], *, task: str = "Fill in the values.", role: Role = "solver"
) -> TaskBrief:
    listed = [
        BriefDocument(short, one.name, f"input/{short or 'document'}.pdf", len(one.pages))
        for short, one in zip(documents.shorts, documents.catalogs, strict=True)
    ]
    return TaskBrief(role, task, schema, listed)


@dataclass
class FakeWork:
    """An attempt. `answers` are given in turn, the last one for all requests that follow; `recorded` are kept by the
    digests of the requests, as a store would: with those of another attempt nothing is asked."""

    runner: Runner
    brief: TaskBrief
    documents: JoinedCatalog
    answers: list[Answer] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)
    recorded: dict[Digest, bytes] = field(default_factory=dict)
    picture: Callable[[int, int, BBox | None], bytes] | None = None
    folder: Path = Path("not-there")
    workspace: Digest = WORKSPACE
    sent: list[bytes] = field(default_factory=list)
    asked: int = 0
    told: list[TimelineEntry] = field(default_factory=list)

    @property
    def role(self) -> Role:
        return self.brief.role

    @property
    def prompt(self) -> str:
        return self.runner.prompt(self.brief)

    @property
    def catalog(self) -> SourceCatalog:
        return self.documents.whole

    @cached_property
    def tools(self) -> SolveTools:
        schema = asked_schema(self.brief.schema, ())
        return SolveTools(self.documents, schema, role=self.role, by=self.runner.name, picture=self.picture)

    @property
    def requests(self) -> list[Any]:
        return [json.loads(one) for one in self.sent]

    def ask(self, request: bytes) -> bytes:
        self.sent.append(request)
        key = digest_bytes(request)
        if key not in self.recorded:
            self.asked += 1
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if isinstance(answer, EngineError):
                raise answer
            self.recorded[key] = answer if isinstance(answer, bytes) else answer(json.loads(request))
        return self.recorded[key]

    def tell(self, entry: TimelineEntry) -> None:
        self.told.append(entry)


def completion(
    content: str | None = None,
    calls: Sequence[tuple[str, object]] = (),
    *,
    finish: str | None = None,
    usage: tuple[int, int] | None = (100, 10),
    **message: Any,
) -> bytes:
    """A chat completion. Arguments of calls may be a text: what a model wrote that is no JSON."""
    listed = [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(calls)
    ]
    said = {"role": "assistant", "content": content, **({"tool_calls": listed} if listed else {}), **message}
    ended = finish or ("tool_calls" if calls else "stop")
    body: dict[str, Any] = {"choices": [{"index": 0, "message": said, "finish_reason": ended}]}
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return json.dumps(body).encode()


def calls(*made: tuple[str, object], **options: Any) -> bytes:
    """A turn in which a model calls tools."""
    return completion(None, made, **options)
