"""Building a workspace in one call: `quire.build_workspace`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from quire.core.context import Json
from quire.core.document import Document, RenderOptions, Source
from quire.core.errors import InputError, UsageError
from quire.core.opened import DiskCopy, Opened
from quire.reading.call import read
from quire.reading.result import DocumentResult
from quire.reading.worker_rendering import draw
from quire.solving.workspace.folder import Workspace
from quire.solving.workspace.tree import SolveTask, WorkspaceDocument
from quire.store.images import PageImages

if TYPE_CHECKING:
    from quire.store.artifacts import ArtifactStore


def build_workspace(
    folder: str | Path,
    task: str,
    documents: Sequence[Source | Document | DocumentResult],
    *,
    schema: Mapping[str, Json] | None = None,
    template: str | Path | bytes | None = None,
    store: ArtifactStore | None = None,
) -> Workspace:
    """Make a folder in which an agent can solve a task over documents; the same inputs are always the same bytes.

    `task` is the text of the task, `schema` the JSON Schema of the values that it asks for, `template` a workbook to
    fill. Documents that were not read yet are read. With a `store` pages are drawn once, and found there afterwards.

    Raises UsageError for a folder that holds something else, InputError when a document cannot be opened.
    """
    filled = load_template(template) if isinstance(template, (str, Path)) else template
    with ExitStack() as closed:
        entered = [closed.enter_context(_Entering(one, store)) for one in documents]
        return Workspace.build(folder, SolveTask(task, schema, filled), entered)


class _Entering:
    """A document while it is copied into a workspace: open, and at a path for the worker that draws its pages."""

    def __init__(self, source: Source | Document | DocumentResult, store: ArtifactStore | None) -> None:
        self._source = source
        self._store = store
        self._closed = ExitStack()

    def __enter__(self) -> WorkspaceDocument:
        result = self._source if isinstance(self._source, DocumentResult) else read(self._source, store=self._store)
        with self._closed:
            document = self._closed.enter_context(result.reopened())
            copy = self._closed.enter_context(closing(DiskCopy(document))).opened()
            self._closed = self._closed.pop_all()
        return WorkspaceDocument(result.catalog(), copy.path, lambda pages: _drawn(copy, pages, self._store))

    def __exit__(self, *error: object) -> None:
        self._closed.close()


def _drawn(copy: Opened, pages: Sequence[int], store: ArtifactStore | None) -> Iterator[bytes | InputError]:
    """The pictures of pages, drawn in a worker because the file is not trusted; from the store where it has them."""
    options = RenderOptions()
    if store is None:
        with closing(draw(copy, pages, options, fit=True)) as drawn:
            for image in drawn:
                yield image if isinstance(image, InputError) else image.png
        return
    images = PageImages(store)
    names = images.save_drawn(copy.id, pages, options, lambda missing: draw(copy, missing, options, fit=True))
    for page, name in zip(pages, names, strict=True):
        yield name if isinstance(name, InputError) else images.load(copy.id, page, options)


def load_template(path: str | Path) -> bytes:
    """The bytes of a workbook to fill. Raises UsageError if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"the template {path} cannot be read: {error.strerror}") from error
