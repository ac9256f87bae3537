"""Enrichments of a document by a vision model: its pictures are asked about through the asker, and answers recorded.

Nothing that goes wrong here fails a document: it is left out, and a fault of the task says what and why.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from quire.asking import Ask, TooSlow
from quire.core.context import Json
from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, EngineError, InputError, UsageError
from quire.core.events import reason_of
from quire.core.fetch_policy import FetchPolicy
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_bytes, digest_of
from quire.durable.reads.read_steps import EXPORT_S, DocumentSteps
from quire.durable.steps.archives import parts_of
from quire.durable.tasks import task_jobs as jobs
from quire.evidence.extract.language_model.recorded_calls import each_answered
from quire.net.model_server import PASSING, Broken, ModelServer
from quire.net.transport import Deadline
from quire.net.urls import sendable
from quire.output.export.docling_enrichments import Addition, EnrichmentKind, request_about, understood
from quire.pages.recognize.engine_registry import make
from quire.pages.recognize.vision import VisionEngine
from quire.pages.recognize.vision.reply import written
from quire.reading.messages import DocumentReference, EnrichArgument, TaskEnrichment, TaskFault
from quire.retrieval.embed.families import quiet_asker
from quire.system.workers import JobFailed, WorkerError

STAGE, VERSION = "enrich", "1"
NO_VISION = "no vision model is configured on this server (QUIRE_VISION_URL and QUIRE_VISION_MODEL)"
NO_REMOTE = "models that a request names are not asked on this server (DOCLING_SERVE_ENABLE_REMOTE_SERVICES)"
TOO_LATE = "the time for this document was over"
NO_PICTURE = "there is no picture of it"


@dataclass(frozen=True, slots=True)
class PictureModel:
    """A model that is asked about pictures: that of this server, or one that a request names.

    `identity` is part of the keys of its answers; `body` is the part of a request that is the same for all pictures.
    """

    name: str
    called: str
    server: ModelServer
    url: str
    identity: Digest
    body: Mapping[str, Json]
    timeout_s: float
    max_concurrency: int
    limit_name: str
    policy: Policy = "io"

    def ask(self, kind: EnrichmentKind, request: bytes) -> bytes:
        """The answer of the server. Raises EngineError, also for one that means nothing: it is not worth keeping."""
        deadline = Deadline.after(self.timeout_s)
        answer = self.server.post(self.name, self.url, request, deadline, retried=PASSING, mended=True)
        self.said(kind, answer)
        return answer

    def said(self, kind: EnrichmentKind, answer: bytes) -> str:
        try:
            return understood(kind, written(answer, engine=self.name))
        except ValueError as error:
            raise EngineError(self.name, str(error)) from error


def vision_model() -> PictureModel:
    """That of this server. Raises ConfigurationError without one."""
    try:
        engine = make("vision")
    except ConfigurationError as error:
        raise ConfigurationError(NO_VISION) from error
    assert isinstance(engine, VisionEngine)
    model = engine.profile.model
    return PictureModel(
        engine.name,
        model,
        engine.server,
        engine.endpoint,
        digest_of({"model": model}),
        {"model": model, "temperature": 0, "stream": False},
        engine.timeout_s,
        engine.max_concurrency,
        engine.limit_name,
    )


def named_model(api: Mapping[str, Json], policy: FetchPolicy) -> PictureModel:
    """The one of a request, at the exact URL, with the headers and parameters that it gives."""
    called = str(api["params"].get("model") or "picture_description_api")
    headers = tuple(sendable(api["headers"]).items())
    server = ModelServer(str(api["url"]), headers=headers, model="picture_description_api", policy=policy)
    return PictureModel(
        f"picture_description_api {called}",
        called,
        server,
        server.url,
        digest_of({"url": server.url}),
        api["params"],
        min(float(api["timeout"]), policy.timeout_s),
        int(api["concurrency"]),
        f"picture_description_api@{server.address}",
    )


class Enriching:
    """The enrichments of one document. `until` is on the clock of `time.monotonic`."""

    def __init__(
        self,
        steps: DocumentSteps,
        reference: DocumentReference,
        asked: EnrichArgument,
        policy: FetchPolicy,
        until: float,
    ) -> None:
        self._steps, self._reference, self._asked, self._until = steps, reference, asked, until
        self._document = reference["source"]["id"]
        self._models: dict[EnrichmentKind, PictureModel] = {}
        self._reasons: dict[str, str] = {}
        """The reasons why enrichments, or some of their items, are left out."""
        self._away: set[str] = set()
        """URLs of models that did not answer."""
        for kind in asked["kinds"]:
            api = asked.get("api") if kind == "picture_description" else None
            try:
                self._models[kind] = named_model(api, policy) if api else vision_model()
            except (ConfigurationError, UsageError) as error:
                refused = kind == "picture_description" and asked.get("api_refused", False)
                self._reasons[kind] = NO_REMOTE if refused else str(error)

    def run(self) -> TaskEnrichment:
        """Blocks until every item was asked about, or the model does not answer, or the time is over."""
        store, key = self._steps.store, self._key()
        if not self._reasons and (found := store.find(key)) is not None:
            return {"enrichment": found, "faults": []}
        additions: list[Addition] = []
        try:
            faults = self._faults(self._collected(additions), Counter(one["kind"] for one in additions))
        except (InputError, JobFailed, WorkerError) as error:
            faults = [_fault("the enrichments were left out", reason_of(error))]
        if not additions and faults:
            return {"faults": faults}
        data = json.dumps(additions).encode()
        if faults:  # under a key of its own: the next request tries again
            key = artifact_key(f"{STAGE}/failed", VERSION, (key, digest_bytes(data)), digest_of({}))
        saved = store.save(key, data, stage=STAGE, document=self._document)
        store.flush()
        return {"enrichment": saved, "faults": faults}

    def _collected(self, additions: list[Addition]) -> Mapping[str, int]:
        """Append what was said about the items, and return how many items there are for each enrichment."""
        start = 0
        while True:
            with self._steps.requested(self._reference) as read:
                kinds, models = tuple(self._asked["kinds"]), tuple(self._models)
                job = jobs.Pictured(read, kinds, models, self._asked["least_area"], start)
                reply = self._steps.work("quire.durable.tasks.task_jobs:pictured", job, EXPORT_S)
            total, start = cast("dict[str, int]", reply.header["total"]), cast(int, reply.header["next"])
            said = self._said(cast("list[tuple[str, EnrichmentKind, int]]", reply.header["items"]), reply.data)
            additions += said
            if not start or not said:  # a model that said nothing about many items is not asked about more
                return total
            if time.monotonic() >= self._until:
                self._reasons = dict.fromkeys(self._models, TOO_LATE) | self._reasons
                return total

    def _said(self, items: Sequence[tuple[str, EnrichmentKind, int]], data: bytes) -> list[Addition]:
        contents = [part.decode() for part in parts_of(data, [size for _, _, size in items])]
        said: list[Addition] = []
        for kind, model in self._models.items():
            mine = {item: content for (item, of, _), content in zip(items, contents, strict=True) if of == kind}
            shown = [item for item, content in mine.items() if content]
            if len(shown) < len(mine):
                self._reasons.setdefault(kind, NO_PICTURE)
            for item, answer in zip(shown, self._answers(kind, model, [mine[item] for item in shown]), strict=True):
                if isinstance(answer, EngineError):
                    self._reasons.setdefault(kind, reason_of(answer))
                else:
                    said.append({"item": item, "kind": kind, "said": model.said(kind, answer), "by": model.called})
        return said

    def _answers(
        self, kind: EnrichmentKind, model: PictureModel, contents: Sequence[str]
    ) -> Sequence[bytes | EngineError]:
        asker = quiet_asker(self._steps.store, self._document)
        requests = [
            json.dumps({**request_about(kind, content, self._asked["prompt"]), **model.body}).encode()
            for content in contents
        ]

        def one(request: bytes) -> bytes:
            if model.url in self._away:
                raise EngineError(model.name, "did not answer, and was not asked again")
            if time.monotonic() >= self._until:
                raise EngineError(model.name, TOO_LATE)
            key = artifact_key(STAGE, VERSION, (digest_bytes(request),), model.identity)
            try:
                return asker.ask(Ask(key, model, lambda: model.ask(kind, request))).data
            except (TooSlow, Broken):
                self._away.add(model.url)
                raise

        return each_answered(one, requests, model.max_concurrency)

    def _faults(self, total: Mapping[str, int], done: Counter[EnrichmentKind]) -> list[TaskFault]:
        faults = []
        for kind, count in total.items():
            missing = count - done[cast(EnrichmentKind, kind)]
            if missing:
                what = "blocks of code" if kind == "code_enrichment" else "pictures"
                said = f"do_{kind} was left out for {missing} of {count} {what}"
                faults.append(_fault(said, self._reasons.get(kind, ""), missing=kind not in self._models))
        return faults

    def _key(self) -> ArtifactKey:
        reference, asked = self._reference, self._asked
        inputs = reference["document"], reference["index"], self._document
        settings = {"kinds": list(asked["kinds"]), "prompt": asked["prompt"], "least_area": asked["least_area"]}
        models = {kind: [model.identity, dict(model.body)] for kind, model in self._models.items()}
        return artifact_key(STAGE, VERSION, inputs, digest_of({**settings, "models": models}))


def _fault(what: str, reason: str, *, missing: bool = False) -> TaskFault:
    """`missing`: there is no model for it."""
    message = f"{what}: {reason}" if reason else what
    return {"message": message, "category": "config" if missing else "transient", "page": None, "phase": "enrich"}
