"""Finds flows: shipped with Quire, in the folder `flows`, or at a path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from quire.core.errors import InputError, UsageError
from quire.flow import FlowDefinition, check, parse
from quire.flow.component_registry import ComponentRegistry
from quire.flow.tree import Mistake, nearest, raise_mistakes
from quire.flow.yaml_tree import read_tree

SHIPPED = Path(__file__).parent / "builtin"
SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class FlowFile:
    """The file of a flow, and its name."""

    name: str
    path: Path

    @property
    def shipped(self) -> bool:
        return self.path.parent == SHIPPED


def find_flows(folder: Path | None = None) -> dict[str, FlowFile]:
    """Every flow by name: the shipped ones, and those in `folder`, which take precedence."""
    places = [SHIPPED] if folder is None else [SHIPPED, folder]
    return {found.name: found for place in places for found in _in_folder(place)}


def find_flow(name_or_path: str | Path, folder: Path | None = None) -> FlowFile:
    """The file of a flow. Raises UsageError for an unknown name, with the known ones."""
    path = Path(name_or_path)
    if path.suffix in SUFFIXES or isinstance(name_or_path, Path):
        return FlowFile(path.stem, path)
    flows = find_flows(folder)
    found = flows.get(str(name_or_path))
    if found is None:
        raise UsageError(f"there is no flow {str(name_or_path)!r}; {nearest(str(name_or_path), flows)}")
    return found


def load_flow(found: FlowFile, components: ComponentRegistry) -> FlowDefinition:
    """The flow in a file, checked. Raises UsageError with every mistake and its line."""
    try:
        text = found.path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{found.path} is not UTF-8 text; a flow is a YAML file") from None
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror}", document=str(found.path)) from error
    definition = parse_flow(text, str(found.path), components)
    if definition.name != found.name:
        other = f"the flow is called {definition.name!r} and its file {found.path.name!r}; give both the same name"
        raise_mistakes([Mistake(1, other)], str(found.path))
    return replace(definition, folder=str(found.path.absolute().parent))


def parse_flow(text: str, file: str, components: ComponentRegistry) -> FlowDefinition:
    """The flow in a text, checked. Raises UsageError with every mistake and its line."""
    definition, mistakes = parse(read_tree(text, file))
    raise_mistakes(sorted({*mistakes, *check(definition, components)}), file)
    return definition


def _in_folder(folder: Path) -> Iterator[FlowFile]:
    paths = sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES and path.is_file())
    return (FlowFile(path.stem, path) for path in paths)
