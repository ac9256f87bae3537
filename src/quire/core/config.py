"""Settings, by precedence: command line, environment, preset of `quire.toml`, default.

A setting has one name everywhere: `retry_backoff_s` in the file, `--retry-backoff-s` on the command line,
`QUIRE_RETRY_BACKOFF_S` in the environment.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple

from quire.core.errors import ConfigurationError, QuireError, UsageError, is_text
from quire.core.passwords import Passwords
from quire.core.table_areas import TABLES_MODES, PatternArea, TableArea

FILE = "quire.toml"
EFFORTS = ("fast", "balanced", "accurate")

Kind = Literal["text", "path", "number", "seconds", "factor", "flag", "names"]
_MEANINGS = {
    "text": "a text",
    "path": "a path or an address",
    "number": "a whole number",
    "seconds": "a number of seconds",
    "factor": "a number",
    "flag": "true or false",
    "names": "a list of texts",
}


class Setting(NamedTuple):
    """The type and limits of a setting. A path in a file is relative to the folder of that file."""

    kind: Kind
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    secret: bool = False


def _setting(default: object, *setting: Any, **more: Any) -> Any:
    return field(default=default, metadata={"setting": Setting(*setting, **more)})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default."""

    preset: str | None = _setting(None, "text", "the preset to use when none is named")
    store: str | None = _setting(None, "path", "folder or URL for cached results; .quire in the output")
    facts: str | None = _setting(None, "path", "database for the index and runs of the store; a file in the store")
    index: str | None = _setting(None, "text", "search engine that holds the index; with the facts")
    server: str | None = _setting(None, "text", "URL of a Quire server that reads the documents of `quire read`")
    api_key: str | None = _setting(None, "text", "key of that server", secret=True)
    output: str | None = _setting(None, "path", "output folder")
    manifest: str | None = _setting(None, "path", "file with one line of JSON per document")
    flow: str = _setting("read", "text", "flow to run on each document: a name or a file")
    to: tuple[str, ...] = _setting(("md",), "names", "output formats")
    runtime: str = _setting("local", "text", "where the work runs", ("local", "restate"))
    ingress: str | None = _setting(None, "text", "address of the Restate server")
    admin: str | None = _setting(None, "text", "address of its admin interface; port 9070 beside it")
    effort: str = _setting("balanced", "text", "effort for OCR", EFFORTS)
    ocr: str = _setting("auto", "text", "when to run OCR", ("auto", "always", "never"))
    engine: tuple[str, ...] = _setting((), "names", "OCR engines, in the order of preference")
    lang: tuple[str, ...] = _setting((), "names", "OCR languages")
    figures: bool = _setting(False, "flag", "run OCR on small pictures too, and show all words in figures")
    redactions: bool = _setting(False, "flag", "mark blacked-out areas of scans")
    tables: str = _setting("auto", "text", "how tables are found", TABLES_MODES)
    password: str | None = _setting(None, "text", "password of encrypted documents", secret=True)
    password_for: tuple[str, ...] = _setting((), "names", "PATTERN=PASSWORD for some documents", secret=True)
    allow_private_urls: bool = _setting(False, "flag", "allow URLs on this machine and private networks")
    offline: bool = _setting(False, "flag", "never use the network: models and documents of this machine only")
    include: tuple[str, ...] = _setting((), "names", "in folders, only files that match one of these patterns")
    exclude: tuple[str, ...] = _setting(
        (), "names", "in folders, skip files and folders that match one of these patterns"
    )
    workers: int | None = _setting(None, "number", "pages processed in parallel; one per CPU", least=1)
    policy: str = _setting("cpu", "text", "what limits the documents in progress", ("io", "cpu", "gpu"))
    schedule: str = _setting("fifo", "text", "order of the documents", ("fifo", "sjf", "ljf"))
    timeout_s: float = _setting(0.0, "seconds", "timeout for one document; 0: none")
    retries: int = _setting(2, "number", "retries after a transient failure")
    retry_backoff_s: float = _setting(1.0, "seconds", "back-off before the first retry; doubled each time")
    error_budget: int = _setting(0, "number", "stop after this many failed documents; 0: never")
    diagnostics_interval_s: float = _setting(30.0, "seconds", "interval between progress lines; 0: none")
    verify_hash: bool = _setting(False, "flag", "detect changes by content, not by size and time")

    @property
    def passwords(self) -> Passwords:
        """Raises UsageError when `password_for` is malformed."""
        return Passwords.parse(self.password, self.password_for)


SETTINGS: Mapping[str, Setting] = {f.name: f.metadata["setting"] for f in fields(Settings)}


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings, where each comes from, the preset in use and the file that was found."""

    settings: Settings
    sources: Mapping[str, str]
    preset: str | None
    file: Path | None
    areas: tuple[PatternArea, ...] = ()
    """Areas of tables given by hand, for documents by a pattern of their path."""


class _Found(NamedTuple):
    value: object
    source: str


def configure(given: Mapping[str, object], *, environment: Mapping[str, str], folder: Path) -> Configuration:
    """The settings for a command called in `folder` with those `given`.

    Raises UsageError for a wrong value on the command line or in the environment and for an unknown preset,
    ConfigurationError for a mistake in the file.
    """
    path = find_file(environment, folder)
    file = _File(path) if path else None
    found = file.table() if file else {}
    of_environment = _of_environment(environment)
    of_command = {
        n: _Found(checked(SETTINGS[n], value, option(n), UsageError), option(n)) for n, value in given.items()
    }
    chosen = _named(of_command) or _named(of_environment) or _named(found)
    if chosen is not None:
        found |= _of_preset(chosen, file)
    found |= of_environment | of_command
    settings = Settings(**{name: one.value for name, one in found.items()})  # type: ignore[arg-type]  # all checked
    sources = {name: found[name].source if name in found else "default" for name in SETTINGS}
    return Configuration(settings, sources, chosen, path, file.areas if file else ())


def find_file(environment: Mapping[str, str], folder: Path) -> Path | None:
    """`QUIRE_CONFIG`, or the nearest `quire.toml` here or above, up to the root of the repository or the home folder.

    Outside of both only the folder itself is searched: a file that another user left in a shared folder is untrusted.
    """
    if named := environment.get("QUIRE_CONFIG"):
        path = Path(named).expanduser()
        if not path.is_file():
            raise ConfigurationError(f"QUIRE_CONFIG is {path}, which is not a file")
        return path
    folders = [folder, *folder.parents]
    home = Path(environment.get("HOME", ""))
    last = next((n for n, above in enumerate(folders) if (above / ".git").exists() or above == home), 0)
    return next((above / FILE for above in folders[: last + 1] if (above / FILE).is_file()), None)


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def variable(name: str) -> str:
    return f"QUIRE_{name.upper()}"


def without_password(text: str) -> str:
    """An address without the password in it."""
    return re.sub(r"(?<=://)([^/@:]*):[^/@]*@", r"\1:***@", text)


class _File:
    """A `quire.toml`: its tables, and the line numbers of their keys."""

    def __init__(self, path: Path) -> None:
        import tomllib  # takes time to import, and most folders have no such file

        self.path = path
        try:
            text = path.read_text()
            self._tables = tomllib.loads(text)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"cannot read {path}: {error}") from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigurationError(f"{path}: {error}") from error
        self._lines = _lines_of(text)
        for name in self._tables:
            self._known(name, ("quire", "preset", "area"), (name,))
        presets = self._tables.get("preset", {})
        if not isinstance(presets, dict):
            raise self._wrong(("preset",), "presets are tables: write [preset.NAME]")
        self.presets = tuple(presets)
        for name in self.presets:  # a mistake in any preset is reported immediately, not when the preset is first used
            self.table("preset", name)
        self.areas = tuple(self._areas(self._tables.get("area", [])))

    def _areas(self, entries: object) -> Iterator[PatternArea]:
        """The entries of `[[area]]`: the pattern `files`, and the area."""
        if not isinstance(entries, list):
            raise self._wrong(("area",), "areas are a list: write [[area]], with two brackets")
        for number, entry in enumerate(entries, start=1):
            at = f"{self.path}: [[area]] {number}"
            pattern = entry.get("files") if isinstance(entry, dict) else None
            if not isinstance(pattern, str) or not pattern:
                raise ConfigurationError(f"{at}: name its documents with files, like files = 'reports/*.pdf'")
            try:
                area = TableArea.of_json({name: value for name, value in entry.items() if name != "files"})
            except UsageError as error:
                raise ConfigurationError(f"{at}: {error}") from None
            yield PatternArea(pattern, area)

    def table(self, *path: str) -> dict[str, _Found]:
        """The settings in a table: `("preset", "night")`, or `[quire]` by default."""
        path = path or ("quire",)
        table: object = self._tables
        for part in path:
            table = table.get(part, {}) if isinstance(table, dict) else {}
        if not isinstance(table, dict):
            raise self._wrong(path, f"[{'.'.join(path)}] must be a table of settings")
        return {name: self._found(path, name, value) for name, value in table.items()}

    def _found(self, path: tuple[str, ...], name: str, value: object) -> _Found:
        at = (*path, name)
        self._known(name, SETTINGS, at)
        if path != ("quire",) and name == "preset":
            raise self._wrong(at, "a preset cannot name another one")
        where = self._where(at)
        valid = checked(SETTINGS[name], value, f"{where}: {name}", ConfigurationError)
        if SETTINGS[name].kind == "path" and "://" not in str(valid):
            valid = str(self.path.parent / Path(str(valid)).expanduser())
        return _Found(valid, f"{where} [{'.'.join(path)}]")

    def _known(self, name: str, known: Iterable[str], at: tuple[str, ...]) -> None:
        if name not in known:
            raise self._wrong(
                at, f"there is no {'setting' if len(at) > 1 else 'table'} {name!r}{_nearest(name, known)}"
            )

    def _wrong(self, at: tuple[str, ...], message: str) -> ConfigurationError:
        return ConfigurationError(f"{self._where(at)}: {message}")

    def _where(self, at: tuple[str, ...]) -> str:
        line = self._lines.get(at)
        return f"{self.path}:{line}" if line else str(self.path)


def _lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line number of each key and table; parses enough of TOML for hand-written files."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+([^\[\]]+)\]", line):
            table = _parts(header[1])
            at = table
        elif key := re.match(r"""\s*([\w."' -]+?)\s*=""", line):
            at = (*table, *_parts(key[1]))
        else:
            continue
        for length in range(1, len(at) + 1):
            lines.setdefault(at[:length], number)
    return lines


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _of_preset(name: str, file: _File | None) -> dict[str, _Found]:
    if file is None or name not in file.presets:
        where = f"{file.path} has no [preset.{name}]" if file else f"there is no {FILE} here with a [preset.{name}]"
        known = f"; choose from {', '.join(file.presets)}" if file and file.presets else ""
        effort = f"; for the effort of OCR write --effort {name}" if name in EFFORTS else ""
        raise UsageError(f"there is no preset {name!r}: {where}{known}{effort}")
    return file.table("preset", name)


def _of_environment(environment: Mapping[str, str]) -> dict[str, _Found]:
    """Variables that are set and not empty. Lists are comma-separated."""
    found = {}
    for name, setting in SETTINGS.items():
        text = environment.get(variable(name), "").strip()
        if text:
            value = checked(setting, from_text(setting.kind, text), variable(name), UsageError)
            found[name] = _Found(value, f"environment, {variable(name)}")
    return found


def from_text(kind: Kind, text: str) -> object:
    """The value of a variable, or the text itself if it cannot be parsed as that kind."""
    match kind:
        case "names":
            return [part.strip() for part in text.split(",") if part.strip()]
        case "flag":
            flags = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False}
            return flags.get(text.lower(), text)
        case "number" if re.fullmatch(r"[+-]?\d+", text):
            return int(text)
        case "seconds" | "factor" if re.fullmatch(r"[+-]?\d+(\.\d+)?", text):
            return float(text)
    return text


def checked(setting: Setting, value: object, where: str, error: Callable[[str], QuireError]) -> object:
    """The validated value. `where` begins the message of an error."""
    valid = _as(setting.kind, value)
    if valid is None:
        shown = "" if setting.secret else f" is {value!r}; it"
        raise error(f"{where}{shown} must be {_MEANINGS[setting.kind]}")
    if setting.secret and not is_text(str(valid)):
        raise error(f"{where} is not valid text: encode it as UTF-8")
    if isinstance(valid, (int, float)) and valid < setting.least:
        raise error(f"{where} is {valid:g}; it must be at least {setting.least:g}")
    if setting.choices and valid not in setting.choices:
        raise error(f"{where} is {valid!r}; choose from {', '.join(setting.choices)}")
    return valid


def _as(kind: Kind, value: object) -> object | None:
    """The value converted to its kind, None if it has another type."""
    match value:
        case bool():
            return value if kind == "flag" else None
        case int() if kind == "number":
            return value
        case int() | float() if kind in ("seconds", "factor"):
            return float(value)
        case str() | Path() if kind in ("text", "path"):
            return str(value)
        case [*texts] if kind == "names" and all(isinstance(text, str) for text in texts):
            return tuple(texts)
    return None


def _named(found: Mapping[str, _Found]) -> str | None:
    return str(found["preset"].value) if "preset" in found else None


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"
