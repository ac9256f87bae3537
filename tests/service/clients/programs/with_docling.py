"""docling's own client, `docling.service_client` of docling-client: synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

import calls
import httpx
from docling.datamodel.base_models import OutputFormat
from docling.datamodel.service.options import ConvertDocumentsOptions
from docling.datamodel.service.requests import HttpSourceRequest
from docling.datamodel.service.targets import InBodyTarget, S3Target, ZipTarget
from docling.service_client import AsyncDoclingServiceClient, ConversionItem, DoclingServiceClient
from docling.service_client.client import ChunkerKind
from docling_core.types.io import DocumentStream

TIMEOUT_S = 60.0
ALL = [OutputFormat.MARKDOWN, OutputFormat.JSON, OutputFormat.HTML, OutputFormat.TEXT, OutputFormat.DOCTAGS]


def opened(url, *, api_key="", watcher="websocket", fallback=False, options=None):
    return DoclingServiceClient(
        url,
        api_key,
        options=ConvertDocumentsOptions(**(options or {})),
        status_watcher=watcher,
        ws_fallback_to_poll=fallback,
        poll_server_wait=2.0,
        poll_client_interval=0.05,
        job_timeout=TIMEOUT_S,
        http_retries=0,
    )


def summary(result):
    document = result.document
    return {
        "status": result.status.value,
        "name": document.name,
        "file": result.input.file.name,
        "markdown": document.export_to_markdown(),
        "pages": sorted(document.pages),
        "boxed": [item.prov[0].page_no for item in document.texts if item.prov],
        "errors": [[error.error_message, error.category.value] for error in result.errors],
    }


def about(url):
    with opened(url) as client:
        return {"health": client.health().status, "version": client.version()}


def convert(url, source, headers=None, raises=True, **settings):
    with opened(url, **settings) as client:
        source = source if "://" in source else Path(source)
        return summary(client.convert(source, headers=headers, raises_on_error=raises))


def convert_stream(url, name, text):
    with opened(url) as client:
        return summary(client.convert(DocumentStream(name=name, stream=io.BytesIO(text.encode()))))


def convert_all(url, sources):
    with opened(url) as client:
        return [summary(result) for result in client.convert_all([Path(source) for source in sources])]


def submit_zip(url, source, **options):
    with opened(url, options=options) as client:
        raw = client.submit(Path(source), output_formats=ALL, target=ZipTarget()).result(TIMEOUT_S)
    with zipfile.ZipFile(io.BytesIO(raw.content)) as archive:
        return {"type": raw.content_type, "filename": raw.filename, "names": sorted(archive.namelist())}


def watch(url, source, **settings):
    """The states that the client saw, over a WebSocket unless the settings say otherwise."""
    with opened(url, **settings) as client:
        job = client.submit(Path(source), target=InBodyTarget())
        return [update.task_status.value for update in job.watch(TIMEOUT_S)], summary(job.result(TIMEOUT_S))


def poll(url, source):
    """A long poll by hand."""
    with opened(url) as client:
        job = client.submit(Path(source), target=InBodyTarget())
        return job.poll(wait=30.0).model_dump(mode="json")


def fetch_cleared(url, source):
    """The result of a task after the results were cleared."""
    with opened(url) as client:
        job = client.submit(Path(source), target=InBodyTarget())
        job.result(TIMEOUT_S)
        httpx.get(f"{url}/v1/clear/results", params={"older_then": 0}).raise_for_status()
        job.result(TIMEOUT_S)


def fetch_early(url, source):
    """The result of a task that is not finished: the client must say so."""
    with opened(url) as client:
        job = client.submit(Path(source), target=InBodyTarget())
        return client._fetch_convert_result_payload(job.task_id, last_status=None)


def chunk(url, source, chunker):
    with opened(url) as client:
        answer = client.chunk(Path(source), ChunkerKind(chunker))
    return answer.model_dump(mode="json")


def batch(url, source, **bucket):
    """Several documents by URL into a bucket."""
    with opened(url) as client:
        job = client.submit_batch(
            [HttpSourceRequest(url=one) for one in source],
            S3Target(**bucket),
            output_formats=[OutputFormat.MARKDOWN, OutputFormat.JSON],
        )
        return job.result(TIMEOUT_S).model_dump(mode="json")


def convert_concurrently(url, sources, watcher):
    """Several documents at once with the asynchronous client."""

    async def run():
        async with AsyncDoclingServiceClient(
            url, status_watcher=watcher, ws_fallback_to_poll=False, poll_client_interval=0.05, http_retries=0
        ) as client:
            items = [ConversionItem(Path(source), metadata=index) for index, source in enumerate(sources)]
            each = client.submit_and_retrieve_each(items, max_in_flight=3, ordered=True, target=InBodyTarget())
            return [[item.metadata, answer.document.filename, answer.status.value] async for item, answer in each]

    return asyncio.run(run())


def convert_async(url, source):
    async def run():
        async with AsyncDoclingServiceClient(url, ws_fallback_to_poll=False, http_retries=0) as client:
            job = await client.submit(Path(source))
            states = [update.task_status.value async for update in job.watch(TIMEOUT_S)]
            return states, summary(await job.result(TIMEOUT_S))

    return asyncio.run(run())


calls.make(
    about,
    convert,
    convert_stream,
    convert_all,
    submit_zip,
    watch,
    poll,
    fetch_cleared,
    fetch_early,
    chunk,
    batch,
    convert_concurrently,
    convert_async,
)
