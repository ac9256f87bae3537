"""Writes what the site is built from into build/site: docs/, the files outside it that its pages link to, and a page
with a directive for every public name, from which the API reference is made."""

from __future__ import annotations

import ast
import posixpath
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "build" / "site"
MODULES = (path.stem for path in sorted((ROOT / "src" / "quire").glob("*.py")) if not path.stem.startswith("_"))
PACKAGES = ("quire", "quire.batch", *(f"quire.{module}" for module in MODULES))
OUTSIDE = "project"  # the folder of the site for what is outside docs/

_LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[)#])")


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    waiting = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    done: set[str] = set()
    while waiting:
        if (name := waiting.pop()) not in done:
            done.add(name)
            if name.endswith(".png"):
                _copy(name)
                continue
            text = _markdown(ROOT / name)
            waiting += [target for link in _LINK.findall(text) if (target := _target(name, link))]
            _write(_page(name), _LINK.sub(lambda match, name=name: _link(name, match[0]), text))
    _write("reference/api.md", _api())


def _copy(name: str) -> None:
    """A picture, as it is."""
    target = TARGET / _page(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, target)


def _markdown(path: Path) -> str:
    """A file of the project as a page: Markdown as it is, a folder as a list, anything else as code."""
    if path.is_dir():
        return "\n".join(
            [f"# {path.name.capitalize()}", "", *(f"* [{p.name}]({p.name})" for p in sorted(path.glob("*.md")))]
        )
    if path.suffix == ".md":
        return path.read_text()
    return f"# {path.name}\n\n```{path.suffix[1:]}\n{path.read_text()}```\n"


def _target(name: str, link: str) -> str | None:
    """The file of the project that a link on a page leads to."""
    folder = name if (ROOT / name).is_dir() else posixpath.dirname(name)
    target = posixpath.normpath(posixpath.join(folder, link))
    return target if (ROOT / target).exists() else None


def _page(name: str) -> str:
    """Where the page of a file of the project lies in the site."""
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    if (ROOT / name).is_dir():
        return f"{OUTSIDE}/{name}/index.md"
    return f"{OUTSIDE}/{name}" if name.endswith((".md", ".png")) else f"{OUTSIDE}/{name}.md"


def _link(name: str, link: str) -> str:
    target = _target(name, link)
    return posixpath.relpath(_page(target), posixpath.dirname(_page(name)) or ".") if target else link


def _api() -> str:
    lines = ["# API reference", "", "Made from the docstrings of the public names."]
    for package in PACKAGES:
        lines += ["", f"## `{package}`"]
        lines += [f"\n::: {package}.{name}" for name in _public(package)]
    return "\n".join(lines) + "\n"


def _public(package: str) -> list[str]:
    """The names that a package offers: its `__all__`, else those that it imports as themselves or with a star. Read
    without importing it."""
    place = ROOT / "src" / package.replace(".", "/")
    tree = ast.parse((place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "__all__":
            return list(ast.literal_eval(node.value))
    found = []
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            found += _public(str(node.module)) if alias.name == "*" else [alias.name] * (alias.name == alias.asname)
    return found


def _write(name: str, text: str) -> None:
    path = TARGET / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    main()
