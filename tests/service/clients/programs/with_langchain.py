"""langchain-docling: its loader with docling's client as the converter."""

from __future__ import annotations

import calls
from docling.chunking import HierarchicalChunker
from docling.service_client import DoclingServiceClient
from langchain_docling import DoclingLoader
from langchain_docling.loader import ExportType


def load(url, paths, export, key=""):
    """Sources are URLs: the loader passes on strings, and a string is a URL to the client."""
    with DoclingServiceClient(url, key, http_retries=0) as client:
        loader = DoclingLoader(
            paths,
            converter=client,
            export_type=ExportType(export),
            chunker=HierarchicalChunker() if export == "doc_chunks" else None,
        )
        return [[document.page_content, document.metadata] for document in loader.lazy_load()]


calls.make(load)
