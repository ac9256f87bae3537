"""Solves as JSON: how far a run is, from its events, and its answer, from the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.core.context import Json, RunStatus
from quire.core.events import Event
from quire.core.types import BBox
from quire.durable.solves.solve_request import SolveRequest
from quire.durable.solves.solve_trace import solve_trace
from quire.evidence.extract.extraction_json import decode_extraction, value_json
from quire.evidence.extract.values import Alternative, EvidenceConflict, Extraction, LeafEvidence
from quire.output.place_crops import around
from quire.reading.messages import SolveResult
from quire.service.api.errors import ApiError
from quire.service.api.tenant_views import RunFinder
from quire.service.service import Service
from quire.solving.findings import Finding, decode_findings
from quire.solving.joined_catalog import short_names
from quire.solving.trace.trace_file import encode_trace

FILES = {
    "answer.json": "application/json",
    "answer.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "evidence.jsonl": "application/jsonl",
    "findings.jsonl": "application/jsonl",
    "notes.md": "text/markdown; charset=utf-8",
}
"""The files of an answer with their media types."""
DPI = 150
SUMMED = ("turns", "input_tokens", "output_tokens", "tool_calls", "cost", "seconds")


class SolveFinder:
    """Finds solves, and describes them. Its methods block: call them in a thread. They raise ApiError for what a
    tenant does not have, and for what has not ended."""

    def __init__(self, service: Service, finder: RunFinder) -> None:
        self._service, self._finder = service, finder

    def view(self, run: str, tenant: str) -> dict[str, Json]:
        """A `SolveView`."""
        status = self._found(run, tenant)
        request, result = SolveRequest.from_json(status.inputs["solve"]), self._result(status)
        going = _Progress(self._service.tallies.of(run, status.last_event).solving)
        attempts = list(going.attempts if result is None else map(going.timed, result["attempts"]))
        about: dict[str, Json] = {
            "run": run,
            **{name: getattr(status, name) for name in ("state", "error", "category")},
            **{name: getattr(request, name) for name in ("task", "schema", "reviewer", "review")},
            "runners": list(request.runners),
            "template": request.template and request.template["name"],
            "phases": going.phases,
            "attempts": attempts,
            "usage": _used(attempts),
            "reviews": going.reviews if result is None else result["reviews"],
        }
        return {**about, **(_NOTHING if result is None else self._answer(status, result))}

    def file(self, run: str, name: str, tenant: str) -> bytes:
        """A file of the answer."""
        result = self._ended(run, tenant)
        if name not in FILES or name not in result["files"]:
            raise ApiError(404, f"the answer has no file {name[:50]!r}; it has {', '.join(_named(result))}")
        return self._service.store_of(tenant).load(result["files"][name])

    def trace(self, run: str, tenant: str) -> bytes:
        self._ended(run, tenant)
        return encode_trace(solve_trace(self._service.runtime, self._service.store, run))

    def _found(self, run: str, tenant: str) -> RunStatus:
        status = self._finder.status(run, tenant)
        if status.inputs["type"] != "solve":
            raise ApiError(404, f"the run {run[:100]} solves nothing: its type is {status.inputs['type']}")
        if status.inputs.get("deleted"):
            raise ApiError(404, "a document of the solve was deleted, and its answer with it; solve it again")
        return status

    def _result(self, status: RunStatus) -> SolveResult | None:
        """The result of a run that has finished, as long as its answer is in the store."""
        if status.state != "finished":
            return None
        result: SolveResult = status.result["solve"]
        if not self._service.store.has_contents([result["answer"]]):
            raise ApiError(404, "the answer was deleted from the store; solve it again", category="input")
        return result

    def _ended(self, run: str, tenant: str) -> SolveResult:
        status = self._found(run, tenant)
        result = self._result(status)
        if result is None:
            reason = f": {status.error}" if status.error else "; wait for its end"
            raise ApiError(409, f"the run is {status.state}{reason}", category=status.category)
        return result

    def _answer(self, status: RunStatus, result: SolveResult) -> dict[str, Json]:
        store = self._service.store_of(status.inputs["tenant"])
        answer = decode_extraction(store.load(result["answer"]))
        places = _Places(status.run, len(status.inputs["sources"]))
        path = f"/api/runs/{status.run}/solve"
        sizes = {name: len(store.load(result["files"][name])) for name in _named(result)}
        return {
            "status": result["status"],
            "values": answer.values,
            **places.answer(answer),
            "findings": [places.finding(one) for one in decode_findings(store.load(result["files"]["findings.jsonl"]))],
            "rounds": [sum(one.open for one in decode_findings(store.load(digest))) for digest in result["rounds"]],
            "coverage": dict(result["coverage"]),
            "workspace": result["workspace"],
            "files": [
                {"name": name, "bytes": size, "path": f"{path}/files/{name}"} for name, size in sizes.items() if size
            ],
            "trace": f"{path}/trace",
        }


_NOTHING: Mapping[str, Json] = {
    "status": None,
    "values": None,
    "evidence": {},
    "conflicts": [],
    "not_found": [],
    "findings": [],
    "rounds": [],
    "coverage": None,
    "workspace": None,
    "files": [],
    "trace": None,
}
"""The answer of a run that has not finished."""


class _Places:
    """Places of a solve as those of documents of its run."""

    def __init__(self, run: str, count: int) -> None:
        self._run = run
        self._numbers = {short: number for number, short in enumerate(short_names(count), start=1)}

    def answer(self, answer: Extraction) -> dict[str, Json]:
        return {
            "evidence": {path: self._evidence(one) for path, one in answer.evidence.items()},
            "conflicts": [self._conflict(one) for one in answer.conflicts],
            "not_found": [value_json(one) for one in answer.not_found],
        }

    def finding(self, one: Finding) -> dict[str, Json]:
        shown = ("path", "kind", "reason", "open", "value", "other", "by")
        return {**self._place(one), **{name: getattr(one, name) for name in shown}}

    def _evidence(self, one: LeafEvidence) -> dict[str, Json]:
        shown = ("status", "probability", "match", "reason", "label", "extractor", "crop_verified")
        return {
            **self._place(one),
            **{name: getattr(one, name) for name in shown},
            "confidence": dict(one.confidence),
            "derivation": one.derivation and value_json(one.derivation),
            "alternatives": [self._alternative(other) for other in one.alternatives],
        }

    def _conflict(self, one: EvidenceConflict) -> dict[str, Json]:
        return {"path": one.path, "reason": one.reason, "values": [self._alternative(other) for other in one.values]}

    def _alternative(self, one: Alternative) -> dict[str, Json]:
        shown = ("value", "confidence", "extractor")
        return {**self._place(one), **{name: getattr(one, name) for name in shown}}

    def _place(self, one: LeafEvidence | Alternative | Finding) -> dict[str, Json]:
        number = self._numbers.get(one.document) if one.page is not None else None
        document = None if number is None else f"{self._run}.{number}"
        return {
            "number": number,
            "document": document,
            "page": one.page,
            "bboxes": [value_json(box) for box in one.bboxes],
            "blocks": list(getattr(one, "blocks", ())),
            "quote": one.quote,
            "crop": document and _crop(document, one.page, one.bboxes),
        }


class _Progress:
    """The phases and attempts of a solve so far. After a crash some events were emitted again: the first counts."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.reviews: list[str] = []
        self._phases: dict[str, dict[str, Json]] = {}
        self._attempts: dict[tuple[Any, ...], dict[str, Json]] = {}
        for event in events:
            if "runner" in event.payload:
                self._attempt(event)
            else:
                self._phase(event)

    @property
    def phases(self) -> list[dict[str, Json]]:
        return list(self._phases.values())

    @property
    def attempts(self) -> Iterator[dict[str, Json]]:
        for one in self._attempts.values():
            yield _attempt(one, one["usage"], _seconds(one))

    def timed(self, one: Mapping[str, Any]) -> dict[str, Json]:
        """An attempt of the result, with the time that it took."""
        known = self._attempts.get(_place_of(one, one["number"]), {})
        return _attempt(one, one["usage"], _seconds(known))

    def _phase(self, event: Event) -> None:
        name = str(event.payload["phase"])
        row = self._phases.setdefault(name, {"phase": name, "state": "started", "started": None, "finished": None})
        if event.kind in ("started", "finished"):
            row["state"] = event.kind if row["state"] == "started" else row["state"]
            row[event.kind] = row[event.kind] or event.at
        reviews: Any = event.payload.get("reviews")
        self.reviews = list(reviews) if reviews else self.reviews

    def _attempt(self, event: Event) -> None:
        payload: Mapping[str, Any] = event.payload
        row = self._attempts.setdefault(
            _place_of(payload, payload["attempt"]),
            {
                **{name: payload[name] for name in ("role", "round", "runner")},
                "number": payload["attempt"],
                "outcome": None,
                "reason": "",
                "usage": {},
                "started": event.at,
            },
        )
        if event.kind == "attempt":
            ended = {name: payload[name] for name in ("outcome", "reason", "usage")}
            row |= {**ended, "finished": row.get("finished", event.at)}


def _place_of(one: Mapping[str, Any], number: int) -> tuple[Any, ...]:
    return one["role"], one["round"], one["runner"], number


def _attempt(one: Mapping[str, Any], usage: Mapping[str, Json], seconds: float | None) -> dict[str, Json]:
    shown = ("role", "round", "runner", "number", "outcome", "reason")
    return {**{name: one[name] for name in shown}, "usage": {**_UNUSED, **usage, "seconds": seconds}}


_UNUSED: Mapping[str, Json] = {"turns": 0, "input_tokens": 0, "output_tokens": 0, "tool_calls": 0, "cost": None}


def _seconds(one: Mapping[str, Any]) -> float | None:
    return round(max(0.0, one["finished"] - one["started"]), 3) if "finished" in one else None


def _used(attempts: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """What all attempts have used; None where no attempt says so."""
    used: dict[str, Json] = {}
    for name in SUMMED:
        known = [one["usage"][name] for one in attempts if one["usage"][name] is not None]
        used[name] = sum(known) if known or (name in _UNUSED and _UNUSED[name] is not None) else None
    return used


def _named(result: SolveResult) -> list[str]:
    return [name for name in FILES if name in result["files"]]


def _crop(document: str, page: int | None, boxes: Sequence[BBox]) -> str | None:
    box = around(boxes)
    if box is None:
        return None
    part = ",".join(f"{value:.5f}" for value in (box.left, box.top, box.width, box.height))
    return f"/api/documents/{document}/pages/{page}/crop?box={part}&dpi={DPI}"
