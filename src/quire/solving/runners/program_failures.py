"""Why a program failed, by its exit code and what it said."""

from __future__ import annotations

import re
import signal

from quire.core.runner import RunnerFailure
from quire.system.guarded_program import NOT_STARTED

_OVER_BUDGET = re.compile(r"error_max_(turns|budget)", re.IGNORECASE)
_USED_UP = re.compile(
    r"(session|usage|weekly|monthly) limit|insufficient_quota|credit balance|billing|invalid api key|unauthorized"
    r"|authentication|not logged in|/login|status 40[13]|\b40[13]\b",
    re.IGNORECASE,
)
"""Nothing that goes away within minutes: another runner is asked."""
_PASSING = re.compile(
    r"rate.?limit|too many requests|\b429\b|overloaded|\b5(00|02|03|04|29)\b|temporarily|timed? ?out|try again"
    r"|connection (error|reset|refused|closed)|ECONN\w+|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|network|stream disconnected"
    r"|name resolution",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\bI(?:'m| am)? (?:can(?:'|’|no)t|won['’]t|will not|unable to|not able to) (?:help|assist|comply|do|continue)",
    re.IGNORECASE,
)


def failure_of(code: int | None, said: str, kind: str) -> RunnerFailure:
    """The failure of a program that ended with an error. `kind` is how its stream names the error."""
    if _OVER_BUDGET.search(kind):
        return "over_budget"
    if code == NOT_STARTED or _USED_UP.search(said):
        return "terminal"
    if _PASSING.search(said) or _signal(code):
        return "retryable"
    return "terminal"


def reason_of_end(code: int | None, said: str) -> str:
    """The end of a program in words."""
    if code is None:
        how = "its end is not known"
    elif number := _signal(code):
        how = f"it was ended by {signal.Signals(number).name}"
    else:
        how = f"exit code {code}"
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "")
    return f"{how}: {last}" if last else f"{how}, and no message"


def declines(said: str) -> bool:
    """Whether the last message of a model declines the task."""
    return bool(_REFUSAL.search(said[:2000]))


def _signal(code: int | None) -> int:
    """The signal that ended it; bubblewrap and shells report it as 128 and more."""
    number = 0 if code is None else -code if code < 0 else code - 128
    return number if number in set(signal.Signals) else 0
