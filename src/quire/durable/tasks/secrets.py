"""The secrets of a request, apart from the rest of the argument of its task.

The task needs it: URLs with the signatures in their queries, headers, credentials of buckets. Under `secrets` it is in
no answer, list or log, and is removed from the database when the run has ended.
"""

from __future__ import annotations

from quire.core.context import Json
from quire.net.urls import shown_url
from quire.reading.messages import TaskArgument, TaskSource

OPEN = ("inbody", "zip")
"""Kinds of targets that have no secrets."""


def sealed(argument: TaskArgument) -> TaskArgument:
    """The argument with its secrets under `secrets`."""
    secrets: dict[str, Json] = {}
    for number, source in enumerate(argument["sources"], start=1):
        if "url" in source or "bucket" in source:
            secrets[f"source {number}"] = source
    if argument["target"]["kind"] not in OPEN:
        secrets["target"] = argument["target"]
    if argument["callbacks"]:
        secrets["callbacks"] = argument["callbacks"]
    if "api" in argument.get("enrich", {}):
        secrets["api"] = argument["enrich"]["api"]
    if not secrets:
        return argument
    shown: list[TaskSource] = [
        {"uri": source.get("uri", "")} if f"source {number}" in secrets else source
        for number, source in enumerate(argument["sources"], start=1)
    ]
    made: TaskArgument = {
        **argument,
        "sources": shown,
        "target": {"kind": argument["target"]["kind"]},
        "callbacks": [{"url": shown_url(str(callback["url"]))} for callback in argument["callbacks"]],
        "secrets": secrets,
    }
    if "api" in secrets:
        made["enrich"] = {**argument["enrich"], "api": {"url": shown_url(str(secrets["api"]["url"]))}}
    return made


def unsealed(argument: TaskArgument) -> TaskArgument:
    """The argument as it was before `sealed`."""
    secrets = argument.get("secrets")
    if secrets is None:
        return argument
    sources: list[TaskSource] = [
        secrets.get(f"source {number}", source) for number, source in enumerate(argument["sources"], start=1)
    ]
    target, callbacks = secrets.get("target", argument["target"]), secrets.get("callbacks", ())
    made: TaskArgument = {**argument, "sources": sources, "target": target, "callbacks": callbacks}
    if "api" in secrets:
        made["enrich"] = {**argument["enrich"], "api": secrets["api"]}
    return made
