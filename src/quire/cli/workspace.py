"""`quire workspace`: a task and its documents as a folder for an agent, with one digest."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import group, print_report, reporting_errors
from quire.cli.each_document import DocumentsRequest, Written, read_each
from quire.cli.extract_options import SchemaFile, load_schema
from quire.cli.progress import ProgressBar
from quire.cli.settings import reading_configuration
from quire.cli.solve_options import TaskFile, task_text
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, StoreError
from quire.durable.folders.output_names import NamedSource

if TYPE_CHECKING:
    from quire.reading.result import DocumentResult
    from quire.solving.workspace.folder import Workspace

EXAMPLES = """\b
Examples:
  quire workspace build task.md report.pdf -o work
  quire workspace build task.md 2023.pdf 2024.pdf --schema values.json --template form.xlsx -o work --store cache
  quire workspace verify work
  quire workspace show work
"""

_Folder = Annotated[Path, Argument(metavar="DIR", help="The folder of the workspace.")]


def build(
    task: TaskFile,
    files: options.Files,
    *,
    output: Annotated[Path, Option("-o", "--output", metavar="DIR", help="The folder of the workspace.")],
    schema: SchemaFile = None,
    template: Annotated[Path | None, Option(metavar="FILE", help="An Excel workbook that the task fills.")] = None,
    reading: options.ReadingOptions,
    cache: options.CacheOptions,
    as_json: options.Json = False,
) -> int:
    """Read documents and make the folder in which an agent solves a task over them. The same inputs are the same bytes,
    with the same digest, on every machine."""
    from quire.solving.build_call import build_workspace, load_template
    from quire.store.opening import open_store

    configuration = reading_configuration(locals(), "task", "output", "schema", "template", "as_json")
    settings = configuration.settings
    text = task_text(task)
    asked = None if schema is None else load_schema(schema)
    filled = None if template is None else load_template(template)
    read: list[DocumentResult] = []

    def keep(result: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        read.append(result)
        return (), ()

    code = read_each(
        files, DocumentsRequest(keep, None, reading.pages, configuration, quiet=cache.quiet, collects=True)
    )
    if code not in (EXIT_COMPLETE, EXIT_PARTIAL):
        return code
    kept = nullcontext() if settings.store is None else open_store(settings.store, settings.facts)
    with kept as store:
        made = build_workspace(output, text, read, schema=asked, template=filled, store=store)
    _print(made, as_json=as_json)
    return code


def verify(folder: _Folder, as_json: options.Json = False) -> int:
    """Check that the input of a workspace is as it was made, file by file. Exits with 9 if it is not."""
    from quire.solving.workspace.folder import Workspace

    found = Workspace.open(folder)
    faults = found.faults()
    lines = [f"{one.path}: {one.fault}" for one in faults] or [f"{len(found.manifest.files)} files  {found.digest}"]
    print_report({"digest": found.digest, "faults": [asdict(one) for one in faults]}, lines, as_json=as_json)
    return StoreError.exit_code if faults else EXIT_COMPLETE


def show(folder: _Folder, as_json: options.Json = False) -> int:
    """Show the digest and the files of a workspace, and what a runner wrote."""
    from quire.solving.workspace.folder import Workspace

    _print(Workspace.open(folder), as_json=as_json, all_files=True)
    return EXIT_COMPLETE


def _print(workspace: Workspace, *, as_json: bool, all_files: bool = False) -> None:
    from quire.solving.workspace.collection import collect_output

    manifest = workspace.manifest
    collected = collect_output(workspace.output)
    report = {
        "folder": str(workspace.folder),
        "digest": workspace.digest,
        "files": [asdict(one) for one in manifest.files],
        "output": {name: len(content) for name, content in collected.files.items()},
        "refused": dict(collected.refused),
    }
    lines = [f"{one.digest[:12]}  {one.size:>11,}  {one.path}" for one in manifest.files] if all_files else []
    lines += [f"{'output':12}  {len(content):>11,}  output/{name}" for name, content in collected.files.items()]
    lines += [f"{'refused':12}  {'':>11}  output/{name}: {reason}" for name, reason in collected.refused.items()]
    lines.append(f"{workspace.folder}: {len(manifest.files)} files, {manifest.size:,} bytes, digest {workspace.digest}")
    print_report(report, lines, as_json=as_json)


app = group("workspace", "A task and its documents as a folder for an agent.")
app.command("build", short_help="Read documents into a workspace.", epilog=EXAMPLES)(reporting_errors(build))
app.command("verify", short_help="Check the input of a workspace.", epilog=EXAMPLES)(reporting_errors(verify))
app.command("show", short_help="Show a workspace and its output.", epilog=EXAMPLES)(reporting_errors(show))
