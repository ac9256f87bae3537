"""docling-serve-haystack: the converter component of Haystack."""

from __future__ import annotations

import asyncio
import logging

import calls
from haystack.dataclasses import ByteStream
from haystack.utils import Secret
from haystack_integrations.components.converters.docling_serve import DoclingServeConverter


class Warnings(logging.Handler):
    """Keeps what the component warns of: it skips documents that fail."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


def convert(url, sources, awaited=False, key=None, text=None, **settings):
    converter = DoclingServeConverter(
        base_url=url, poll_interval=0.2, api_key=Secret.from_token(key) if key else None, **settings
    )
    if text is not None:
        sources = [*sources, ByteStream(text.encode(), meta={"file_name": "stream.md"}, mime_type="text/markdown")]
    warnings = Warnings()
    logging.getLogger().addHandler(warnings)
    try:
        done = asyncio.run(converter.run_async(sources)) if awaited else converter.run(sources)
    finally:
        logging.getLogger().removeHandler(warnings)
    return [document.content for document in done["documents"]], warnings.said


calls.make(convert)
