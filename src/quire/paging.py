"""The pages of one document, found or made: native text and blocks page by page, then what crosses pages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quire.artifacts import encode_page
from quire.document import Document
from quire.engine import Attempt
from quire.errors import ConfigurationError, InputError, RecognitionError, StoreError, UsageError
from quire.events import reason_of
from quire.keys import Digest, digest_bytes
from quire.layout.quality import judge
from quire.opened import on_disk
from quire.pagetext import PageText
from quire.recognize.options import RecognizeOptions
from quire.recognize.routing import Needs, needs_of
from quire.recognize.structured import is_structured
from quire.runtime.staged import StagedRun
from quire.stage import Artifact
from quire.stages import (
    Assembled,
    AssembleDocument,
    Gathered,
    NativeText,
    PageBlocks,
    RecognisedText,
    StructuredBlocks,
    Texts,
    text_of_page,
)
from quire.types import PageInfo, PageResult, PageStatus

if TYPE_CHECKING:
    from concurrent.futures import Future

    from quire.recognizing import Recognised, Recognizer


@dataclass(slots=True)
class _Pending:
    """A page that was begun: `done`, or waiting for its recognition."""

    number: int
    done: Artifact[PageResult] | None = None
    recognised: Future[Recognised] | None = None

    @property
    def ready(self) -> bool:
        return self.done is not None or (self.recognised is not None and self.recognised.done())


class PageFlow:
    """The stages wired for one document: native text and blocks page by page, then what crosses pages."""

    def __init__(
        self, document: Document, run: StagedRun, numbers: Sequence[int], threads: int, recognition: RecognizeOptions
    ) -> None:
        self._document, self._run, self._numbers = document, run, numbers
        self.path: dict[int, tuple[Attempt, ...]] = {}
        self._recognition = recognition
        self._recognizer: Recognizer | None = None
        self._open = ExitStack()
        self._texts = Texts(run.store)
        self._recognised = RecognisedText(figures=recognition.figures)
        self._structured = StructuredBlocks(self._texts)
        self._native = NativeText(document.reader, threads=threads)
        self._blocks = PageBlocks(self._texts)

    def text_of(self, number: int) -> Digest:
        """The digest of the text that the blocks of a page were made of."""
        return self._texts.digest(number)

    def pages(self) -> Iterator[Artifact[PageResult]]:
        """Each page that was asked for, found or made. Only those whose text is missing are asked of the reader."""
        native, document = self._native, self._document.id
        native.expect([n for n in self._numbers if not self._run.has(native, native.inputs(document, n))])
        waiting: deque[_Pending] = deque()
        for number in self._numbers:
            waiting.append(self._begin(number))
            while waiting and (waiting[0].ready or len(waiting) > self._ahead):
                yield self._finish(waiting.popleft())
        while waiting:
            yield self._finish(waiting.popleft())

    def assemble(self, pages: Sequence[Artifact[PageResult]]) -> Assembled:
        gathered = Gathered(pages, self._document.reader.outline())
        inputs = (self._document.id, *gathered.inputs())
        return self._run.do(AssembleDocument(self._texts), gathered, inputs).value

    def close(self) -> None:
        if self._recognizer is not None:
            self._recognizer.close()
        self._open.close()
        self._native.close()

    def _begin(self, number: int) -> _Pending:
        """Read the native text of a page, and begin with its recognition if it needs some."""
        run, native = self._run, self._native
        if run.cancelled:
            return _Pending(number, done=self._without_blocks(number, "skipped", "cancelled"))
        with self._kept_going(_Pending(number)) as page:
            text = run.do(native, number, native.inputs(self._document.id, number), page=number)
            shown = text_of_page(text.value, number)
            needs = needs_of(shown, judge(shown), self._recognition)
            if needs is None:
                page.done = self._blocks_of(number, text, shown)
            else:
                page.recognised = self._begin_recognition(number, text, needs)
            text.release()
        return page

    def _begin_recognition(self, number: int, text: Artifact[bytes], needs: Needs) -> Future[Recognised]:
        if self._recognizer is None:
            from quire.recognizing import Recognizer  # workers and engines only for those who have scans

            source = self._open.enter_context(on_disk(self._document))
            self._recognizer = Recognizer(source, self._document.reader.name, self._run, self._recognition)
        return self._recognizer.start(number, text.value, text.digest, needs)

    @property
    def _ahead(self) -> int:
        return self._recognizer.ahead if self._recognizer is not None else 0

    def _finish(self, page: _Pending) -> Artifact[PageResult]:
        """The page, when it is ready."""
        if page.done is None and page.recognised is not None and self._recognizer is not None:
            with self._kept_going(page):
                recognised = self._recognizer.wait(page.recognised)
                if recognised is None:
                    return self._without_blocks(page.number, "skipped", "cancelled")
                self._note_path(page.number, recognised.inputs[-1], recognised.path)
                page.done = self._recognised_blocks(page.number, recognised)
        assert page.done is not None
        return page.done

    def _recognised_blocks(self, number: int, recognised: Recognised) -> Artifact[PageResult]:
        reading, inputs = recognised.reading, (self._document.id, *recognised.inputs)
        if reading.whole and is_structured(reading.readings):
            return self._run.do(self._structured, reading, inputs, page=number)
        text = self._run.do(self._recognised, reading, inputs, page=number)
        blocks = self._blocks_of(number, text, text_of_page(text.value, number))
        text.release()
        return blocks

    def _note_path(self, number: int, reading: str, path: Sequence[Attempt]) -> None:
        """Remember how a page was read; finding what was read before does not change that."""
        store, document = self._run.store, self._document.id
        known = store.path(document, number, reading) if all(a.outcome == "hit" for a in path) else ()
        if not known:
            store.note_path(document, number, reading, path)
        self.path[number] = known or tuple(path)

    def _blocks_of(self, number: int, text: Artifact[bytes], shown: PageText) -> Artifact[PageResult]:
        self._texts.add(number, text.digest, shown)
        return self._run.do(self._blocks, number, (self._document.id, text.digest), page=number)

    @contextmanager
    def _kept_going(self, page: _Pending) -> Iterator[_Pending]:
        """One bad page never loses the document: its error becomes its ledger entry."""
        try:
            yield page
        except (UsageError, ConfigurationError, StoreError):
            raise  # not the fault of this page
        except RecognitionError as error:
            self._note_path(page.number, "", error.path)
            page.done = self._without_blocks(page.number, "failed", reason_of(error))
        except Exception as error:
            page.done = self._without_blocks(page.number, "failed", reason_of(error))

    def _without_blocks(self, number: int, status: PageStatus, reason: str) -> Artifact[PageResult]:
        """A page of which only the ledger knows: the next run tries it again."""
        try:
            info = replace(self._document.reader.info(number), status=status, reason=reason)
        except InputError:
            info = PageInfo(number, 0.0, 0.0, status=status, reason=reason)
        page = PageResult(info)
        return Artifact(digest_bytes(encode_page(page)), lambda: page)
