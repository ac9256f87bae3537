"""The options for solves: who solves, who reviews, and what an attempt may use."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from quire.cli.option_groups import OptionGroup
from quire.core.errors import UsageError
from quire.core.runner import Budget

if TYPE_CHECKING:
    from quire.durable.solves.solve_request import SolveOptions

_DEFAULT = Budget()

TaskFile = Annotated[Path, Argument(metavar="TASK", help="A text file, such as Markdown, that says what to do.")]
Documents = Annotated[
    list[str], Argument(metavar="FILE...", help="The documents, in the order in which they are cited.")
]
Template = Annotated[
    Path | None, Option(metavar="FILE", help="An Excel workbook to fill: its names and tables say what is asked for.")
]
Runners = Annotated[
    list[str] | None,
    Option(
        metavar="NAME",
        help="Who solves it: offline (default), tools, tools:MODEL, claude, codex, program:COMMAND, replay:TRACE. "
        "Repeatable: when one fails, the next is asked.",
    ),
]


class SolverOptions(OptionGroup):
    """Who solves and reviews a task, and how much they may use."""

    runner: Runners = None
    require: Annotated[
        list[str] | None,
        Option(metavar="CAPABILITY", help="Ask runners with it first: files, tools, vision, json_schema. Repeatable."),
    ] = None
    min_context: Annotated[
        int, Option(metavar="TOKENS", help="Ask runners with a context of at least this size first.", min=0)
    ] = 0
    reviewer: Annotated[
        str | None, Option(metavar="NAME", help="A runner that reviews the answer, after the checks.")
    ] = None
    rounds: Annotated[int, Option(metavar="N", help="How often the solver may answer findings.", min=0, max=10)] = 2
    attempts: Annotated[int, Option(metavar="N", help="How often each runner is tried.", min=1, max=10)] = 2
    review: Annotated[
        str, Option(metavar="MODE", help="What stays open: none, queue it for people, or wait for them.")
    ] = "none"
    max_turns: Annotated[int, Option(metavar="N", help="Turns of a model in an attempt.", min=1)] = _DEFAULT.turns
    token_budget: Annotated[int, Option("--max-tokens", metavar="N", help="Tokens of an attempt.", min=1)] = (
        _DEFAULT.tokens
    )
    max_seconds: Annotated[float, Option(metavar="N", help="Seconds of an attempt.", min=1)] = _DEFAULT.seconds
    max_cost: Annotated[float | None, Option(metavar="N", help="US dollars of an attempt.", min=0)] = None
    fresh: Annotated[
        bool, Option("--fresh", help="Solve it again, although it was solved before; nothing recorded is paid twice.")
    ] = False

    def chosen(self) -> SolveOptions:
        """As arguments of a solve."""
        options = {
            "runners": self.runner or ["offline"],
            "requires": self.require or [],
            "min_context": self.min_context,
            "reviewer": self.reviewer or "",
            "rounds": self.rounds,
            "attempts": self.attempts,
            "review": self.review,
            "budget": Budget(self.max_turns, self.token_budget, self.max_seconds, self.max_cost),
            "fresh": token_hex(8) if self.fresh else "",
        }
        return cast("SolveOptions", options)


def task_text(path: Path) -> str:
    """The text of a task. Raises UsageError."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"the task {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the task {path} is no text in UTF-8") from error
