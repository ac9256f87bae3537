"""A request from whichever route it came, JSON or form, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quire.docling_serve.contract.policy import STORAGE, Policy, check_allowed
from quire.docling_serve.contract.refusals import refuse
from quire.docling_serve.contract.request_options import (
    ConvertDocumentsOptions,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)
from quire.docling_serve.contract.requests import (
    AnySource,
    AnyTarget,
    BatchConvertSourcesRequest,
    CallbackSpec,
    ChunkRequest,
    ConvertSourcesRequest,
    PresignedUrlTarget,
)

NO_STORAGE = (
    "Presigned URL target requires artifact storage to be configured and enabled on the server. This server has none: "
    "send the target inbody or zip, or a bucket."
)
"""The official client looks for the first sentence before it asks for another target."""


@dataclass(frozen=True, slots=True)
class Order:
    """A request, from whichever route: JSON or form. `uploads` counts the files of a form, `targets` may be empty."""

    route: Literal["convert", "chunk", "batch"]
    options: ConvertDocumentsOptions
    targets: tuple[AnyTarget, ...]
    sources: tuple[AnySource, ...] = ()
    uploads: int = 0
    callbacks: tuple[CallbackSpec, ...] = ()
    chunking: HybridChunkerOptions | HierarchicalChunkerOptions | None = None
    include_converted_doc: bool = False

    @classmethod
    def of_convert(cls, request: ConvertSourcesRequest) -> Order:
        return cls("convert", request.options, (request.target,), tuple(request.sources), 0, tuple(request.callbacks))

    @classmethod
    def of_batch(cls, request: BatchConvertSourcesRequest) -> Order:
        targets = request.targets or ([request.target] if request.target else [])
        sources = tuple(request.sources)
        return cls("batch", request.options, tuple(targets), sources, 0, tuple(request.callbacks))

    @classmethod
    def of_chunk(cls, request: ChunkRequest, chunking: HybridChunkerOptions | HierarchicalChunkerOptions) -> Order:
        return cls(
            "chunk",
            request.convert_options,
            (request.target,),
            tuple(request.sources),
            0,
            tuple(request.callbacks),
            chunking,
            request.include_converted_doc,
        )


def check_kinds(order: Order, policy: Policy) -> None:
    for source in order.sources:
        if order.route == "batch":  # `file` and `http` are what the other routes are for
            check_allowed("source kind", source.kind, policy.sources)
    presigned = any(isinstance(target, PresignedUrlTarget) for target in order.targets)
    if presigned and order.route == "chunk":
        raise refuse("presigned_url target is not supported for chunk endpoints.")
    many = sorted({source.kind for source in order.sources} & STORAGE)
    for target in order.targets:
        if many and target.kind not in STORAGE:
            raise refuse(
                f"sources of kind {many} can expand into multiple documents and require a storage target with "
                f"artifact result mode; got target kind '{target.kind}'."
            )
    if presigned:
        raise refuse(NO_STORAGE)
    for target in order.targets:
        check_allowed("target kind", target.kind, policy.targets)
    if (number := len(order.sources)) > policy.max_sources:
        raise refuse(f"Too many sources: {number} exceeds the maximum of {policy.max_sources}.")
    if order.uploads > policy.max_sources:
        raise refuse(f"Too many files: {order.uploads} exceeds the maximum of {policy.max_sources}.")
    elsewhere = [target.kind for target in order.targets if target.kind not in ("inbody", "zip")]
    if elsewhere and order.route == "chunk":
        raise refuse(f"{elsewhere[0]} target is not supported for chunk endpoints; use inbody or zip.")
    if any(callback.ca_cert for callback in order.callbacks):
        raise refuse("ca_cert of callbacks is not supported: the server must trust the certificate (SSL_CERT_FILE).")
