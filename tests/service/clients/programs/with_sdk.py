"""docling-serve-client (imported as `docling_serve_sdk`), a client by others."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import calls
from docling_serve_sdk import DoclingClient
from docling_serve_sdk.models import (
    ConvertDocumentsRequest,
    ConvertDocumentsRequestOptions,
    FileSourceRequest,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)


def opened(url, key=None):
    return DoclingClient(url, api_key=key, max_retries=0, timeout=60)


def about(url):
    with opened(url) as client:
        return [client.health_check().status, client.version_info()["docling-serve"], client.clear_converters().status]


def convert_file(url, path, key=None, **options):
    with opened(url, key) as client:
        answer = client.convert_file(path, options=ConvertDocumentsRequestOptions(**options))
    return answer.model_dump(mode="json")


def convert_source(url, path, **options):
    text = base64.b64encode(Path(path).read_bytes()).decode()
    source = FileSourceRequest(base64_string=text, filename=Path(path).name)
    request = ConvertDocumentsRequest(sources=[source], options=ConvertDocumentsRequestOptions(**options))
    with opened(url) as client:
        return client.convert_source(request).model_dump(mode="json")


def convert_file_async(url, path):
    async def run():
        async with opened(url) as client:
            return (await client.convert_file_async(path)).model_dump(mode="json")

    return asyncio.run(run())


def wait_for_task(url, path, key=None):
    with opened(url, key) as client:
        task = client.convert_file_async_task(path)
        client.wait_for_task(task.task_id, poll_interval=0.1)
        status = client.task_status_poll(task.task_id)
        return [task.model_dump(mode="json"), status.model_dump(mode="json"), client.task_result(task.task_id)]


def poll(url, task):
    with opened(url) as client:
        return client.task_status_poll(task).model_dump(mode="json")


def chunk(url, path, chunker, **options):
    with opened(url) as client:
        if chunker == "hybrid":
            answer = client.chunk_hybrid_file(path, chunking_options=HybridChunkerOptions(**options))
        else:
            answer = client.chunk_hierarchical_file(path, chunking_options=HierarchicalChunkerOptions(**options))
        return answer.model_dump(mode="json")


def clear(url):
    with opened(url) as client:
        return client.clear_results(older_than=0).status


calls.make(about, convert_file, convert_source, convert_file_async, wait_for_task, poll, chunk, clear)
