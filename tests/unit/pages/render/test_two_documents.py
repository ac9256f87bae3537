"""Two documents at the same time: PDFium has one state for a process."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from quire.core.document import Document
from quire.pages.render._pure import PureReader
from tests import documents


@pytest.mark.slow
def test_two_threads_read_with_the_pure_reader_at_once():
    content = documents.many_pages(20)
    together = Barrier(2)

    def read(at_once: bool) -> list[object]:
        if at_once:
            together.wait()
        reader = PureReader(Document(content))
        try:
            return list(reader.text(range(1, reader.page_count + 1)))
        finally:
            reader.close()

    alone = read(False)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as threads:
            for _ in range(3):
                assert list(threads.map(read, [True, True])) == [alone, alone]
    finally:
        sys.setswitchinterval(usual)
