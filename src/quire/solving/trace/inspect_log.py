"""Traces as a log of inspect-ai: one sample for each run, with its messages, calls, scores and usage.

The format is that of `inspect log schema`. A log has no place for files, workspaces or evidence: those are in the
metadata of a sample by their digests, and in the trace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from quire.core.context import Json
from quire.core.keys import digest_of
from quire.core.runner import RunnerUsage
from quire.solving.trace.trace_file import Trace, TracedAttempt
from quire.solving.trace.trace_process import is_cost, usage

VERSION = 2
NO_MODEL = "none/none"
SCORES = ("value", "page", "box")


def encode_inspect_log(traces: Mapping[str, Trace], report: Mapping[str, Any]) -> bytes:
    """The log of some runs by the names of their fixtures, with the scores of their report."""
    graded = {one["name"]: one for one in report["fixtures"]}
    times = sorted(one.at for trace in traces.values() for one in trace.events)
    began, ended = (_time(times[0]), _time(times[-1])) if times else (_time(0), _time(0))
    models = {name: _model(trace) for name, trace in traces.items()}
    used = _usages(traces, models)
    log = {
        "version": VERSION,
        "status": "success",
        "eval": _spec(report["key"], sorted(traces), began, next(iter(models.values()), NO_MODEL)),
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": _results(report, len(traces)),
        "stats": {
            "started_at": began,
            "completed_at": ended,
            "model_usage": used,
            "role_usage": {},
            "connection_limit_history": [],
        },
        "invalidated": False,
        "tags": [],
        "metadata": {},
        "samples": [_Sample(name, trace, models[name]).json(graded.get(name)) for name, trace in traces.items()],
    }
    return f"{json.dumps(log, ensure_ascii=False, indent=1)}\n".encode("utf-8", "backslashreplace")


def _spec(key: str, names: Sequence[str], created: str, model: str) -> dict[str, Json]:
    return {
        "eval_id": key[:22],
        "run_id": key[22:44],
        "created": created,
        "task": "quire",
        "task_id": key[:22],
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "task_args_passed": {},
        "dataset": {"name": "fixtures", "samples": len(names), "sample_ids": list(names), "shuffled": False},
        "model": model,
        "model_generate_config": {},
        "model_args": {},
        "config": {"epochs": 1},
        "packages": {},
    }


def _results(report: Mapping[str, Any], samples: int) -> dict[str, Json]:
    known = [(name, report["overall"][name]) for name in SCORES if report["overall"][name]["f1"] is not None]
    scores = [
        {
            "name": f"{name}_f1",
            "scorer": f"{name}_f1",
            "params": {},
            "metrics": {
                metric: {"name": metric, "value": one[metric], "params": {}}
                for metric in ("f1", "precision", "recall", "mean_f1")
                if one[metric] is not None
            },
        }
        for name, one in known
    ]
    return {"total_samples": samples, "completed_samples": samples - len(report["failures"]), "scores": scores}


class _Sample:
    """Makes the sample of one run."""

    def __init__(self, name: str, trace: Trace, model: str) -> None:
        self._name, self._trace, self._model = name, trace, model
        times = [one.at for one in trace.events] + [at for one in trace.attempts for at in one.times]
        self._began, self._ended = min(times, default=0.0), max(times, default=0.0)

    def json(self, graded: Mapping[str, Any] | None) -> dict[str, Json]:
        trace = self._trace
        answered = next((one for one in reversed(trace.attempts) if one.attempt.succeeded), None)
        completion = "" if trace.answer is None else json.dumps(trace.answer.values, ensure_ascii=False)
        last = trace.attempts[-1].attempt.reason if trace.attempts else ""
        error = {"message": last, "traceback": "", "traceback_ansi": ""}
        return {
            "id": self._name,
            "epoch": 1,
            "input": trace.task,
            "target": self._target(),
            "messages": [] if answered is None else list(self._messages(answered, completion)),
            "output": _output(self._model, completion),
            "metadata": self._metadata(graded),
            "store": {},
            "scores": None if graded is None else _scores(graded, completion),
            "events": list(self._events()),
            "model_usage": {self._model: _usage(usage(trace))},
            "role_usage": {},
            "attachments": {},
            "started_at": _time(self._began),
            "completed_at": _time(self._ended),
            "total_time": round(self._ended - self._began, 3),
            **({"error": error} if trace.answer is None else {}),
        }

    def _target(self) -> str:
        fixture = self._trace.fixture
        return "" if fixture is None else json.dumps(fixture.content.get("expected"), ensure_ascii=False)

    def _metadata(self, graded: Mapping[str, Any] | None) -> dict[str, Json]:
        trace = self._trace
        known = {"run": trace.run, "execution": trace.key, "workspace": trace.workspace, "status": trace.status}
        version = {} if graded is None else {"fixture_version": graded["version"]}
        documents = [{"name": one.name, "sha256": one.id, "pages": one.pages} for one in trace.documents]
        return {**known, **version, "documents": documents, "notes": trace.notes}

    def _messages(self, one: TracedAttempt, completion: str) -> Iterator[dict[str, Json]]:
        yield {"id": self._id("prompt"), "role": "user", "content": one.prompt}
        for at, entry in enumerate(one.output.timeline):
            if entry.kind == "model" and entry.payload.get("text"):
                yield _said(self._id(f"message {at}"), str(entry.payload["text"]), self._model)
        yield _said(self._id("answer"), completion, self._model)

    def _events(self) -> Iterator[dict[str, Json]]:
        """Each attempt as a span with the turns of its model, its tools, and what it printed."""
        for number, one in enumerate(self._trace.attempts):
            attempt, span = one.attempt, self._id(f"attempt {number}")
            first, last = (one.times[0], one.times[-1]) if one.times else (self._began, self._began)
            name = f"{attempt.role} {attempt.runner}"
            told = {"outcome": attempt.outcome, "reason": attempt.reason, "round": attempt.round}
            begin = {"event": "span_begin", "id": span, "name": name, "type": "agent", "metadata": told}
            yield {**self._at(first, span), **begin}
            for at, entry in enumerate(one.output.timeline):
                time = one.times[at] if at < len(one.times) else last
                made = self._entry(f"{number} {at}", attempt.runner, entry.kind, entry.payload)
                yield {**self._at(time, span), "uuid": self._id(f"event {number} {at}"), **made}
            yield {**self._at(last, span), "event": "span_end", "id": span}

    def _entry(self, place: str, runner: str, kind: str, payload: Mapping[str, Any]) -> dict[str, Json]:
        if kind == "model":
            text = str(payload.get("text") or "")
            used = RunnerUsage(0, _count(payload.get("input_tokens")), _count(payload.get("output_tokens")))
            return {
                "event": "model",
                "model": self._model,
                "input": [],
                "tools": [],
                "tool_choice": "auto",
                "config": {},
                "output": {**_output(self._model, text), "usage": _usage(used)},
            }
        if kind == "tool" and "arguments" in payload:
            arguments = payload["arguments"]
            answer = payload.get("answer", "")
            return {
                "event": "tool",
                "type": "function",
                "id": self._id(f"call {place}"),
                "function": str(payload.get("name", "")),
                "arguments": arguments if isinstance(arguments, dict) else {"arguments": arguments},
                "result": answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str),
                "events": [],
                **(
                    {"error": {"type": "unknown", "message": "the tool refused the call"}}
                    if payload.get("error")
                    else {}
                ),
            }
        text = json.dumps({"kind": kind, **payload}, ensure_ascii=False, default=str)
        return {"event": "info", "source": runner, "data": json.loads(text, parse_constant=str)}

    def _at(self, time: float, span: str) -> dict[str, Json]:
        return {"timestamp": _time(time), "working_start": round(max(0.0, time - self._began), 3), "span_id": span}

    def _id(self, path: str) -> str:
        return digest_of([self._trace.key, self._name, path])[:22]


def _scores(graded: Mapping[str, Any], answer: str) -> dict[str, Json]:
    known = [name for name in SCORES if graded[name]["f1"] is not None]
    told = {"outcomes": graded["outcomes"]}
    return {
        f"{name}_f1": {"value": graded[name]["f1"], "answer": answer, "history": [], "metadata": told} for name in known
    }


def _model(trace: Trace) -> str:
    """The model that the first turn names, or the runner that answered."""
    for one in trace.attempts:
        for entry in one.output.timeline:
            if entry.kind == "model" and isinstance(entry.payload.get("model"), str):
                return str(entry.payload["model"])
    answered = [one.attempt.runner for one in trace.attempts if one.attempt.succeeded]
    return answered[-1] if answered else NO_MODEL


def _usages(traces: Mapping[str, Trace], models: Mapping[str, str]) -> dict[str, Json]:
    found: dict[str, list[RunnerUsage]] = {}
    for name, trace in traces.items():
        found.setdefault(models[name], []).append(usage(trace))
    return {
        model: _usage(RunnerUsage(0, sum(one.input_tokens for one in used), sum(one.output_tokens for one in used)))
        for model, used in found.items()
    }


def _usage(used: RunnerUsage) -> dict[str, Json]:
    tokens = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
    cost = {"total_cost": used.cost} if is_cost(used.cost) else {}
    return {**tokens, "total_tokens": used.input_tokens + used.output_tokens, **cost}


def _output(model: str, text: str) -> dict[str, Json]:
    choice = {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}
    return {"model": model, "choices": [choice], "completion": text}


def _said(name: str, text: str, model: str) -> dict[str, Json]:
    return {"id": name, "role": "assistant", "content": text, "model": model}


def _count(given: object) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) else 0


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
