"""docling-mcp: its converter for a remote service. Settings come from the environment, as in its documentation."""

from __future__ import annotations

import os

import calls


def configured(url, key):
    """The module reads its settings once, when it is imported."""
    from docling_mcp.settings.service_client import settings

    settings.service_url, settings.service_api_key = url, key


def convert(url, source, key=None):
    os.environ["DOCLING_MCP_CONVERSION_MODE"] = "remote"
    configured(url, key)
    from docling_mcp.shared import local_document_cache
    from docling_mcp.tools.converters.remote import RemoteDocumentConverter

    output = RemoteDocumentConverter().convert_document(source)
    document = local_document_cache[output.document_key]
    return [output.from_cache, document.name, document.export_to_markdown()]


def convert_directory(url, folder):
    configured(url, None)
    from docling_mcp.shared import local_document_cache
    from docling_mcp.tools.converters.remote import RemoteDocumentConverter

    converted = RemoteDocumentConverter().convert_directory(folder)
    return sorted(local_document_cache[output.document_key].name for output in converted)


calls.make(convert, convert_directory)
