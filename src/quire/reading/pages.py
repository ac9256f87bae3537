"""The pages of one document, cached or made: native text and blocks page by page, then what spans pages.

Every way to read a document uses this module: `read` and `stream`, the steps of durable runs, and so batches. They
differ in where the pages are parsed (`NativePages`) and in what requests the next page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quire.core.encoding import encode_page
from quire.core.errors import ChangedError, ConfigurationError, RecognitionError, StoreError, UsageError, log_traceback
from quire.core.events import reason_of
from quire.core.keys import Digest, digest_bytes
from quire.core.types import OutlineEntry, PageInfo, PageResult, PageStatus
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.routing import Needs
from quire.reading.native_pages import NativePages, text_of_page
from quire.reading.page_stages import (
    Assembled,
    AssembleDocument,
    Gathered,
    NativeText,
    PageBlocks,
    RecognisedText,
    StructuredBlocks,
    Texts,
)
from quire.reading.stage import Artifact, Encoded
from quire.reading.stage_run import StagedRun

if TYPE_CHECKING:
    from concurrent.futures import Future

    from quire.core.engine import Attempt
    from quire.core.pagetext import PageText
    from quire.reading.page_recognition import Recognised
    from quire.reading.recognizer import Recognizer


@dataclass(slots=True)
class PageMade:
    """A page in progress. In the end it has blocks, or `needs` an engine where none may be asked."""

    number: int
    blocks: Artifact[PageResult] | None = None
    left_out: PageInfo | None = None
    """The ledger entry of a page that failed or was cancelled: it has no artifact, so the next run retries it."""
    needs: Needs | None = None
    recognised: Future[Recognised] | None = None

    @property
    def ready(self) -> bool:
        return self.recognised is None or self.recognised.done()


class PageFlow:
    """The stages wired for one document. `document` is its id; `engines=False` leaves OCR to the caller."""

    def __init__(
        self, document: str, pages: NativePages, run: StagedRun, options: RecognizeOptions, *, engines: bool = True
    ) -> None:
        self._document, self._native, self._run, self._options = document, pages, run, options
        self.path: dict[int, tuple[Attempt, ...]] = {}
        self._asks = engines
        self._recognizer: Recognizer | None = None
        self._texts = Texts(run.store)
        self._text = NativeText(pages)
        self._blocks = PageBlocks(self._texts, pages, options.tables)

    def text_of(self, number: int) -> Digest:
        """The digest of the text that the blocks of a page were made from."""
        return self._texts.digest(number)

    def info_of(self, page: Artifact[PageResult], number: int) -> PageInfo:
        """The ledger entry of a page, without decoding one that was just made."""
        return self._blocks.infos.pop(number, None) or page.value.info

    def pages(self, numbers: Sequence[int]) -> Iterator[PageMade]:
        """The pages, cached or made. Only pages without stored text are read from the file."""
        text, run, document = self._text, self._run, self._document
        keys = {number: run.key(text, text.inputs(document, number)) for number in numbers}
        found = run.store.find_many(list(keys.values()))
        self._native.expect([number for number, key in keys.items() if key not in found])
        waiting: deque[PageMade] = deque()
        for number in numbers:
            waiting.append(self._begin(number))
            while waiting and (waiting[0].ready or len(waiting) > self._ahead):
                yield self._finish(waiting.popleft())
        while waiting:
            yield self._finish(waiting.popleft())

    def assemble(self, pages: Sequence[Artifact[PageResult]]) -> Assembled:
        native = self._native
        return assemble_document(self._run, self._texts, pages, native.outline(), structured=native.structured).value

    def close(self) -> None:
        if self._recognizer is not None:
            self._recognizer.close()
        self._native.close()

    def _begin(self, number: int) -> PageMade:
        """Read the native text of a page, and start OCR if it needs some."""
        run, stage = self._run, self._text
        page = PageMade(number)
        if run.cancelled:
            self._leave_out(page, "skipped", "cancelled")
            return page
        with self._kept_going(page):
            text = run.do(stage, number, stage.inputs(self._document, number), page=number)
            self._texts.add(number, text.digest)
            page.needs = self._native.needs(number, text.value)
            if page.needs is None:
                page.blocks = self._laid_out(number, number, text.digest)
            elif self._asks:
                page.recognised = self._begin_recognition(number, text, page.needs)
            text.release()
        return page

    def _begin_recognition(self, number: int, text: Artifact[bytes], needs: Needs) -> Future[Recognised]:
        if self._recognizer is None:
            from quire.reading.recognizer import Recognizer  # lazy: workers and engines only for documents with scans

            self._recognizer = Recognizer(self._native.opened(), self._native.reader, self._run, self._options)
        return self._recognizer.start(number, text.value, text.digest, needs)

    @property
    def _ahead(self) -> int:
        return self._recognizer.ahead if self._recognizer is not None else 0

    def _finish(self, page: PageMade) -> PageMade:
        """Wait for the page."""
        if page.recognised is not None and self._recognizer is not None:
            with self._kept_going(page):
                recognised = self._recognizer.wait(page.recognised)
                if recognised is None:
                    self._leave_out(page, "skipped", "cancelled")
                else:
                    self._note_path(page.number, recognised.inputs[-1], recognised.path)
                    page.blocks = self._recognised_blocks(page.number, recognised)
        return page

    def _recognised_blocks(self, number: int, recognised: Recognised) -> Artifact[PageResult]:
        from quire.pages.recognize.structured import is_structured

        run, reading, inputs = self._run, recognised.reading, (self._document, *recognised.inputs)
        if reading.whole and is_structured(reading.readings):
            return run.do(StructuredBlocks(self._texts), reading, inputs, page=number)
        text = run.do(RecognisedText(), reading, inputs, page=number)
        shown = text_of_page(text.value, number)
        self._texts.add(number, text.digest, shown)
        text.release()
        return self._laid_out(shown, number, text.digest)

    def _laid_out(self, text: PageText | int, number: int, digest: Digest) -> Artifact[PageResult]:
        return self._run.do(self._blocks, text, self._blocks.inputs(self._document, number, digest), page=number)

    def _note_path(self, number: int, reading: str, path: Sequence[Attempt]) -> None:
        """Record how a page was read; a cache hit does not change that."""
        store, document = self._run.store, self._document
        known = store.path(document, number, reading) if all(a.outcome == "hit" for a in path) else ()
        if not known:
            store.note_path(document, number, reading, path)
        self.path[number] = known or tuple(path)

    @contextmanager
    def _kept_going(self, page: PageMade) -> Iterator[None]:
        """One bad page never loses the document: its error becomes its ledger entry."""
        try:
            yield
        except (UsageError, ConfigurationError, StoreError, ChangedError):
            raise  # not the fault of this page
        except Exception as error:
            log_traceback(f"page {page.number}", error)
            if isinstance(error, RecognitionError):
                self._note_path(page.number, "", error.path)
            self._leave_out(page, "failed", reason_of(error))

    def _leave_out(self, page: PageMade, status: PageStatus, reason: str) -> None:
        page.left_out = replace(self._size_of(page), status=status, reason=reason)
        page.needs, page.recognised = None, None
        page.blocks = page_without_blocks(page.left_out)

    def _size_of(self, page: PageMade) -> PageInfo:
        """Size and rotation of a page without blocks; from its text if it needed an engine."""
        if page.needs is None:
            return self._native.info(page.number)
        text = self._texts(page.number)
        return PageInfo(text.number, text.width, text.height, text.rotation)


def page_without_blocks(info: PageInfo) -> Artifact[PageResult]:
    """A failed or skipped page, as an input of the document."""
    page = PageResult(info)
    return Artifact(digest_bytes(encode_page(page)), lambda: page)


def assemble_document(
    run: StagedRun,
    texts: Texts,
    pages: Sequence[Artifact[PageResult]],
    outline: Sequence[OutlineEntry],
    elsewhere: Callable[[Gathered], Encoded] | None = None,
    *,
    structured: bool = False,
) -> Artifact[Assembled]:
    """The document from its pages, cached or made; `elsewhere` makes it in another process."""
    gathered = Gathered(pages, outline, structured)
    return run.do(AssembleDocument(texts, elsewhere), gathered, (run.document, *gathered.inputs()))
