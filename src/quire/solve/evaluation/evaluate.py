"""Evaluating: the output of every fixture, graded, in one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from quire.core.context import Json
from quire.core.errors import InputError, UsageError
from quire.core.keys import digest_bytes
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.values import Extraction
from quire.reading.call import ReadOptions
from quire.reading.extract_call import extract
from quire.solve.evaluation.evaluation_report import (
    EvaluationFailure,
    decode_report,
    encode_report,
    evaluation_report,
)
from quire.solve.evaluation.fixture import Fixture, load_fixtures
from quire.solve.evaluation.grades import FixtureGrade, grade
from quire.solve.evaluation.report_page import report_page
from quire.system.atomic_files import write_files

if TYPE_CHECKING:
    from quire.evidence.extract.extractor import Extractor

SUFFIX = ".extracted.json"
"""Of the output of a fixture, after its name."""

OutputOf = Callable[[Fixture], Extraction]
"""The output of a fixture: made now, or loaded. Raises QuireError where there is none."""


class AskedValues(TypedDict, total=False):
    """A JSON Schema, or the names of fields."""

    schema: Mapping[str, Json]
    fields: Sequence[str]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The report of an evaluation, and the outputs that were graded, as files by the name of their fixture."""

    report: Mapping[str, Json]
    outputs: Mapping[str, bytes]

    def save(self, folder: str | Path) -> list[Path]:
        """Write `report.json`, `report.html` and the outputs, from which the same report can be made again."""
        target = Path(folder)
        files = {target / "outputs" / f"{name}{SUFFIX}": data for name, data in self.outputs.items()}
        files[target / "report.json"] = encode_report(self.report)
        files[target / "report.html"] = report_page(self.report)
        write_files(files)
        return list(files)


def evaluate(
    fixtures: Sequence[str | Path],
    *,
    extractors: Sequence[str | Extractor] = (),
    outputs: str | Path | None = None,
    baseline: str | Path | None = None,
    **options: Unpack[ReadOptions],
) -> Evaluation:
    """Extract the values of fixtures and compare them with the expected ones.

    `fixtures` are files or folders, `extractors` and the other options those of `extract`. With `outputs`, the folder
    of an earlier evaluation, its outputs are graded again and nothing is read. `baseline` is an earlier `report.json`.
    A fixture whose document cannot be read is among the failures of the report.

    Raises UsageError for a fixture or a baseline that cannot be used.
    """
    listed = load_fixtures([Path(one) for one in fixtures])
    earlier = None if baseline is None else load_report(Path(baseline))
    if outputs is not None:
        return graded(listed, stored_outputs(Path(outputs)), earlier)

    def output(fixture: Fixture) -> Extraction:
        return extract(fixture.document, **asked_values(fixture), extractors=extractors, **options)

    return graded(listed, output, earlier)


def asked_values(fixture: Fixture) -> AskedValues:
    """What a fixture asks for, as arguments of `extract`."""
    return {"schema": fixture.schema} if isinstance(fixture.schema, Mapping) else {"fields": fixture.schema}


def graded(
    fixtures: Sequence[Fixture],
    output: OutputOf,
    baseline: Mapping[str, Any] | None = None,
    on_failure: Callable[[EvaluationFailure], None] | None = None,
) -> Evaluation:
    """The evaluation of some fixtures. One without an output is a failure, and the others are graded."""
    grades: list[FixtureGrade] = []
    failures: list[EvaluationFailure] = []
    outputs: dict[str, bytes] = {}
    extractors: set[str] = set()
    for fixture in fixtures:
        try:
            found = output(fixture)
        except (InputError, UsageError) as error:
            failures.append(EvaluationFailure(fixture.name, fixture.family, fixture.version, str(error)))
            if on_failure is not None:
                on_failure(failures[-1])
            continue
        outputs[fixture.name] = encode_extraction(found)
        extractors.update(found.extractors)
        grades.append(grade(fixture, found))
    digests = {name: digest_bytes(data) for name, data in outputs.items()}
    return Evaluation(evaluation_report(grades, failures, digests, sorted(extractors), baseline), outputs)


def stored_outputs(folder: Path) -> OutputOf:
    """Loads the outputs of an earlier evaluation."""

    def output(fixture: Fixture) -> Extraction:
        path = folder / f"{fixture.name}{SUFFIX}"
        try:
            return decode_extraction(path.read_bytes())
        except FileNotFoundError:
            raise UsageError(f"there is no output {path}") from None
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise UsageError(f"{path} is not the output of a fixture: {error}") from error

    return output


def load_report(path: Path) -> dict[str, Any]:
    """An earlier report. Raises UsageError for a file that is none."""
    try:
        return decode_report(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"the report {path} cannot be read: {error.strerror}") from error
