"""Flows for callers: load one, run it in this process, use its output."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from quire.core.context import Json, Store
from quire.core.errors import RunError, UsageError
from quire.core.events import Sink
from quire.core.keys import Digest
from quire.durable.flows.workflow import flow_argument, flow_output
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.flow.component_registry import ComponentRegistry
from quire.flow.definition import FlowDefinition
from quire.flow.flow_files import FlowFile, find_flow, load_flow, parse_flow
from quire.flow.validation import input_problems
from quire.reading.messages import ArtifactFile, FlowOutcome
from quire.runtime.local import LocalRuntime, inline
from quire.store.opening import open_store
from quire.store.temporary import TemporaryStore
from quire.system.atomic_files import output_stem, write_files

FOLDER = Path("flows")
"""The folder in which custom flows are looked up by name."""
WAIT_S = 0.1


class PassingStore(TemporaryStore):
    """A temporary store for the runs of one process: later steps find what a step has made."""

    lasting = True


class Flow:
    """Steps wired by references, from YAML: `Flow.load("read").run("report.pdf").save("out")`.

    Its components may be custom functions, by import path: a file is trusted like the program that loads it.
    """

    def __init__(self, definition: FlowDefinition, *, folder: Path | None = None) -> None:
        self.definition = definition
        self.folder = folder
        """The folder for relative paths in its test cases, and for modules of its components."""

    @classmethod
    def load(cls, name_or_path: str | Path) -> Flow:
        """The flow of that name, from the folder `flows` or built in, or in that file.

        Raises UsageError with every mistake in it and its line.
        """
        found = find_flow(name_or_path, FOLDER)
        return cls.of_file(found)

    @classmethod
    def of_file(cls, found: FlowFile) -> Flow:
        folder = found.path.absolute().parent
        return cls(load_flow(found, registry_for(folder)), folder=folder)

    @classmethod
    def from_yaml(cls, text: str) -> Flow:
        """The flow that a text describes. Raises UsageError with every mistake in it and its line."""
        return cls(parse_flow(text, "flow", registry_for(None)))

    @cached_property
    def components(self) -> ComponentRegistry:
        """The registry of its components, by import path too: its file is trusted like the program that loads it."""
        return registry_for(self.folder)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def description(self) -> str:
        return self.definition.description

    def run(
        self,
        source: str | Path | None = None,
        *,
        inputs: Mapping[str, Json] | None = None,
        store: str | Path | Store | None = None,
        workers: int | None = None,
        password: str | None = None,
        on_event: Sink | None = None,
    ) -> FlowResult:
        """Run it in this process, and wait. `source` is its first input that is a document, `inputs` are the others.

        What is already in the `store` is not made again. Raises UsageError for inputs that do not fit, RunError when a
        step fails.
        """
        given = self.inputs_for(source, inputs or {})
        with ExitStack() as stack:
            if isinstance(store, (str, Path)):
                opened: Store = stack.enter_context(open_store(store))  # artifacts can be loaded from a closed store
            else:
                opened = store or PassingStore()  # closed when the last result that uses it is garbage-collected
            known = workflows_on(opened, workers=workers, password=password, import_paths=True)
            runtime = stack.enter_context(inline(known, pools=pools_for(workers)))
            run = runtime.submit("flow", flow_argument(self.definition, given))
            output = flow_output(opened, _awaited(runtime, run, on_event))
        return FlowResult(self.definition.name, output, opened, self._stem(given))

    def inputs_for(self, source: str | Path | None, inputs: Mapping[str, Json]) -> dict[str, Json]:
        """The inputs of a run as JSON, checked. Raises UsageError."""
        given = dict(inputs)
        if source is not None:
            if not self._documents:
                raise UsageError(f"the flow {self.name!r} takes no document")
            given[self._documents[0]] = str(source)
        if problems := input_problems(self.definition.inputs, given):
            raise UsageError(f"flow {self.name!r}: {'; '.join(problems)}")
        return given

    def _stem(self, inputs: Mapping[str, Json]) -> str:
        """The stem of file names: that of the first document."""
        given = [inputs[name] for name in self._documents if name in inputs]
        paths = [one if isinstance(one, str) else one.get("name") or one["path"] for one in given]
        return output_stem(Path(paths[0]).name) if paths else "document"

    @property
    def _documents(self) -> list[str]:
        return [name for name, one in self.definition.inputs.items() if one.type.name == "document"]

    def __repr__(self) -> str:
        return f"<Flow {self.name}: {len(self.definition.steps)} steps>"


class FlowResult:
    """The result of a flow: `output` as JSON, and the files in it."""

    def __init__(self, flow: str, output: Json, store: Store, stem: str) -> None:
        self.flow = flow
        self.output = output
        self._store = store
        self._stem = stem

    @property
    def files(self) -> dict[str, bytes]:
        """Every file in the output by its name; one whose name begins with a dot is named after the document."""
        return {name: self.content(entry) for name, entry in self._named().items()}

    def content(self, entry: Mapping[str, Json]) -> bytes:
        """The bytes of an entry of the output that has a digest."""
        return self._store.load(Digest(entry["digest"]))

    def save(self, folder: str | Path, *, stem: str | None = None) -> list[Path]:
        """Write the files into a folder, each atomically; returns their paths."""
        paths = {Path(folder) / name: self.content(entry) for name, entry in self._named(stem).items()}
        write_files(paths)
        return list(paths)

    def _named(self, stem: str | None = None) -> dict[str, ArtifactFile]:
        return named_files(self.output, stem or self._stem)

    def __repr__(self) -> str:
        return f"<FlowResult of {self.flow}>"


def file_name(name: str, stem: str) -> str:
    """The name of a file of a flow: `.md` becomes `report.md`, `chart.png` becomes `report.chart.png`."""
    return f"{stem}{name}" if name.startswith(".") else f"{stem}.{name}"


def named_files(output: Json, stem: str) -> dict[str, ArtifactFile]:
    """Every file in an output by its file name.

    Raises RunError for a name that leads out of the folder, and when two different files would get the same name.
    """
    named: dict[str, ArtifactFile] = {}
    for entry in _files_in(output):
        given = entry["name"]
        if not isinstance(given, str) or not given or any(sign in given for sign in "/\\\0"):
            raise RunError(f"{given!r} is not a file name; a component names files without folders", category="config")
        name = file_name(given, stem)
        if name in named and named[name]["digest"] != entry["digest"]:
            raise RunError(f"the flow returns two files {name}; leave one of them out of `output`", category="config")
        named[name] = entry
    return named


def registry_for(folder: Path | None) -> ComponentRegistry:
    """Components for a custom flow: also by import path, next to its file or in the current folder."""
    places = [] if folder is None else [folder, folder.parent]
    return ComponentRegistry(import_paths=True, folders=tuple(str(place) for place in (*places, Path.cwd())))


def _files_in(output: Json) -> Iterator[ArtifactFile]:
    """Files anywhere in an output."""
    if _is_file(output):
        yield output
        return
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, list):
        for one in output:
            yield from _files_in(one)


def _is_file(output: Json) -> TypeGuard[ArtifactFile]:
    return isinstance(output, dict) and {"name", "digest", "size"} <= output.keys()


def _awaited(runtime: LocalRuntime, run: str, on_event: Sink | None) -> FlowOutcome:
    """Wait for the result of a run, and emit its events meanwhile."""
    emitted = 0
    while True:
        try:
            result: FlowOutcome = runtime.result(run, timeout_s=WAIT_S if on_event else None)
        except TimeoutError:
            emitted = _emit(runtime, run, on_event, emitted)
            continue
        except BaseException:
            _emit(runtime, run, on_event, emitted)
            raise
        _emit(runtime, run, on_event, emitted)
        return result


def _emit(runtime: LocalRuntime, run: str, on_event: Sink | None, after: int) -> int:
    if on_event is None:
        return after
    for event in runtime.events(run, after=after):
        try:
            on_event(event)
        except Exception:
            logging.getLogger("quire").exception("an event callback raised; the run continues")
        after = event.sequence
    return after
