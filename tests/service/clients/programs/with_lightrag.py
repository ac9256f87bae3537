"""LightRAG (lightrag-hku): the client of its docling parser, and the blocks that it builds from the bundle."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import calls


def parse(url, source, folder, force_ocr=False):
    os.environ["DOCLING_ENDPOINT"] = url
    os.environ["DOCLING_POLL_INTERVAL_SECONDS"] = "1"
    from lightrag.parser.external.docling.client import DoclingRawClient
    from lightrag.parser.external.docling.ir_builder import DoclingIRBuilder

    raw, path = Path(folder), Path(source)
    client = DoclingRawClient(overrides={"force_ocr": force_ocr})
    asyncio.run(client.download_into(raw, path))
    built = DoclingIRBuilder().normalize_from_workdir(raw, document_name=path.name)
    return {
        "files": sorted(str(file.relative_to(raw)) for file in raw.rglob("*") if file.is_file()),
        "blocks": [block.content_template for block in built.blocks],
    }


calls.make(parse)
