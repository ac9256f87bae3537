"""Groups of options: declared once, taken by commands as one parameter."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.testing import CliRunner

from quire.cli.command_errors import group, reporting_errors
from quire.cli.option_groups import OptionGroup, flat


class PaperOptions(OptionGroup):
    size: Annotated[str | None, typer.Option(help="Size of the paper.")] = None
    copies: Annotated[int, typer.Option("-n", "--copies", min=1)] = 1


class ColourOptions(PaperOptions):
    size: Annotated[str | None, typer.Option(help="Size of coloured paper.")] = "a4"
    colour: Annotated[bool, typer.Option("--colour")] = False


def printed(*arguments, expected=0):
    said = []

    def draw(
        name: Annotated[str, typer.Argument()],
        *,
        paper: ColourOptions,
        where: Annotated[str, typer.Option()] = "here",
    ) -> int:
        said.append((name, where, vars(paper)))
        return 0

    app = group("test", "A group.")
    app.callback()(lambda: None)
    app.command("draw")(reporting_errors(draw))
    run = CliRunner().invoke(app, ["draw", *arguments])
    assert run.exit_code == expected, run.output
    return said[0] if said else run.output


def test_a_command_gets_the_options_of_a_group_as_one_object():
    values = {"size": "a5", "copies": 3, "colour": True}
    assert printed("plan", "--size", "a5", "-n", "3", "--colour", "--where", "there") == ("plan", "there", values)


def test_what_is_not_given_has_the_default_of_the_group():
    assert printed("plan") == ("plan", "here", {"size": "a4", "copies": 1, "colour": False})


def test_limits_and_help_are_those_of_the_options_and_keep_their_place():
    assert "Invalid value" in printed("plan", "-n", "0", expected=2)
    shown = printed("--help")
    assert "Size of coloured paper." in shown and "Size of the paper." not in shown
    assert shown.index("--size") < shown.index("--copies") < shown.index("--colour") < shown.index("--where")


def test_settings_see_the_options_of_groups_like_any_other():
    found = flat({"name": "plan", "paper": PaperOptions({"size": "a5", "copies": 2})})
    assert found == {"name": "plan", "size": "a5", "copies": 2}
