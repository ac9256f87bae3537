"""The exceptions of Quire. The type answers two questions: whose fault is it, and is a retry useful?"""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

if TYPE_CHECKING:
    from quire.core.engine import Attempt


Category = Literal["input", "usage", "config", "runtime", "timeout", "network", "transient", "unknown"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

RETRYABLE: dict[Category, bool] = {
    "input": False,  # the document is the cause: it will not change
    "usage": False,  # the call is wrong for this document: it must be changed
    "config": False,  # the user must install or set something
    "runtime": False,  # the work cannot be done here: too little memory, a deterministic bug
    "timeout": True,  # mostly a busy machine; the number of attempts bounds it
    "network": True,
    "transient": True,  # a full disk, a killed worker, a provider that throttles
    "unknown": False,  # an unexpected error: no retry
}
"""Whether a retry is useful, by class of error. The single table for retries, budgets and reports."""

PERMANENT: tuple[Category, ...] = ("input", "runtime", "unknown")
"""Permanent errors of a document, which put it into quarantine. A missing set-up is not its fault."""


DISTRIBUTION = "quire-documents"
"""The name on the package index: `quire` there is another program."""


def install_advice(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


class QuireError(Exception):
    """Base class of expected errors. The message says what happened, to which document and page, and what to do."""

    exit_code: ClassVar[int] = 1
    category: ClassVar[Category] = "runtime"

    @property
    def retryable(self) -> bool:
        return RETRYABLE[self.category]


class UsageError(QuireError):
    """The call itself is wrong: an unknown option, a page that does not exist."""

    exit_code = 2
    category = "usage"


class ConfigurationError(QuireError):
    """Something needed is not installed or not set up. Raised at construction; the message says what to install."""

    exit_code = 4
    category = "config"


class InputError(QuireError):
    """The document cannot be read. Has its name and, if one page is the cause, the page."""

    exit_code = 5
    category = "input"

    def __init__(self, message: str, *, document: str | None = None, page: int | None = None) -> None:
        super().__init__(message)
        self.document = document
        self.page = page

    def __str__(self) -> str:
        place = [self.document or "", f"page {self.page}" if self.page else ""]
        where = ", ".join(printable(p) for p in place if p)
        return f"{where}: {super().__str__()}" if where else super().__str__()


class ChangedError(InputError):
    """The file has changed since the read began: nothing more of it is read."""


class PasswordError(InputError):
    """The document is encrypted and the password is missing or wrong."""

    exit_code = 6


class CorruptError(InputError):
    """The bytes are not a document that any reader here can open."""

    exit_code = 5


class UnsupportedError(InputError):
    """The bytes are a document, but not in a format that Quire reads."""

    exit_code = 7


class LimitError(InputError):
    """The document exceeds a limit: pixels, bytes, pages or time."""

    exit_code = 8


class FetchError(InputError):
    """A URL could not be fetched. `retryable` when the server could not be reached, was slow, or may recover."""

    def __init__(self, message: str, *, document: str | None = None, passing: bool = False) -> None:
        super().__init__(message, document=document)
        self.category = "network" if passing else "input"  # type: ignore[misc,assignment]  # of this one


class StoreError(QuireError):
    """An artifact or a fact cannot be written or read: a full disk, a damaged file."""

    exit_code = 9
    category = "transient"


class FencedError(StoreError):
    """Another process took over the claim while this one did not renew its lease; the late write is refused."""


class EngineError(QuireError):
    """An engine failed. Names the engine and keeps the cause."""

    exit_code = 10
    category = "transient"

    def __init__(self, engine: str, message: str) -> None:
        super().__init__(f"{engine}: {message}")
        self.engine = engine


class RecognitionError(QuireError):
    """A region or page that no engine could read. `path` has the attempts, as `quire.engine.Attempt`."""

    exit_code = 11

    def __init__(self, message: str, path: Sequence[Attempt] = ()) -> None:
        super().__init__(message)
        self.path = tuple(path)


class RunError(QuireError):
    """A run, or a part of one, failed. Has the class and the exit code of the error that ended it."""

    def __init__(self, message: str, *, category: Category = "runtime", exit_code: int | None = None) -> None:
        super().__init__(message)
        self.category = category  # type: ignore[misc]  # of this one
        self.exit_code = EXIT_CODES[category] if exit_code is None else exit_code  # type: ignore[misc]

    @classmethod
    def of(cls, error: BaseException, message: str) -> RunError:
        """The failure of a part with another message, and the class and exit code of `error`."""
        return cls(message, category=category_of(error), exit_code=exit_code_of(error))


class RunCancelled(QuireError):
    """The run was cancelled. What was done before is kept."""

    exit_code = 130


_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of text."""


def printable(text: str) -> str:
    """Text for one line of a terminal: line ends, other control characters and invalid text are escaped."""
    return text if text.isprintable() else "".join(map(_printable, text))


def log_traceback(what: str, error: BaseException) -> None:
    """Log an error that becomes a reason in a result or a run, with what caused it: `--debug` shows it."""
    import logging  # only when something goes wrong

    logging.getLogger("quire").debug("%s: %s", what, error, exc_info=error)


def too_few_descriptors(error: Exception) -> ConfigurationError | None:
    """A better error when the process has run out of file descriptors; None for another cause."""
    if not isinstance(error, OSError):  # from a library that hides the system's error: try
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as refused:
            error = refused
    if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
        return None
    return ConfigurationError(f"{error.strerror}: raise the limit of file descriptors (`ulimit -n 1024`)")


def is_text(text: str) -> bool:
    """Whether it can be encoded as UTF-8: arguments and environment variables may be any bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character not in _OVERRIDES and unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"):
        return character
    return character.encode("unicode_escape").decode()


def category_of(error: BaseException) -> Category:
    """The class of any error: a QuireError, one of the system, or of a library."""
    if isinstance(error, QuireError):
        return error.category
    match error:
        case OSError(errno=errno.EMFILE | errno.ENFILE):
            return "config"
        case TimeoutError():
            return "timeout"
        case ConnectionError():
            return "network"
        case MemoryError() | RecursionError():
            return "runtime"
        case FileNotFoundError() | IsADirectoryError() | NotADirectoryError() | PermissionError() | UnicodeError():
            return "input"
        case ImportError():
            return "config"
        case OSError():
            return "transient"
    return "unknown"


EXIT_CODES: dict[Category, int] = {
    "input": InputError.exit_code,
    "usage": UsageError.exit_code,
    "config": ConfigurationError.exit_code,
    "runtime": QuireError.exit_code,
    "timeout": LimitError.exit_code,
    "network": EngineError.exit_code,
    "transient": StoreError.exit_code,
    "unknown": QuireError.exit_code,
}
"""The exit code by class of error."""


def exit_code_of(error: BaseException) -> int:
    """The exit code of any error: its own for a QuireError, otherwise that of its class."""
    return error.exit_code if isinstance(error, QuireError) else EXIT_CODES[category_of(error)]


EXIT_COMPLETE = 0
EXIT_PARTIAL = 3
"""Output was written, but some pages failed or were left out."""
EXIT_INTERRUPTED = 130
