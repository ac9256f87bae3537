"""Help pages: commands and options in groups by purpose, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer import Context
    from typer._click import HelpFormatter

OPTIONS: Mapping[str, Sequence[str]] = {
    "Values": ("schema", "fields", "extractor", "learned", "min_confidence", "values", "share"),
    "Solving": (
        *("template", "runner", "require", "min_context", "reviewer", "rounds", "attempts", "review"),
        *("max_turns", "token_budget", "max_seconds", "max_cost", "fresh"),
    ),
    "Output": ("output", "to", "show", "images", "words", "trace", "manifest"),
    "Chunks": (
        *("chunker", "max_tokens", "min_tokens", "soft_margin", "tokenizer", "merge_peers"),
        *("markdown_tables", "markdown_images", "image_placeholder", "markdown_text", "raw_text"),
    ),
    "Documents": (
        *("pages", "password", "password_for", "allow_private_urls"),
        *("include", "exclude", "limit", "shard"),
    ),
    "OCR and layout": ("ocr", "lang", "engine", "effort", "preset", "figures", "redactions", "tables", "similar"),
    "Store and execution": (
        *("flow", "store", "facts", "workers", "runtime", "ingress", "server", "api_key"),
        *("force", "retry", "overwrite", "verify_hash", "dry_run"),
    ),
    "Scheduling": ("policy", "schedule", "timeout_s", "retries", "retry_backoff_s", "error_budget"),
    "Messages": ("as_json", "quiet", "verbose", "debug", "diagnostics_interval_s", "help"),
}
"""Groups of options, and the names of the options in each."""
MANY = 8
"""Commands with fewer options list them in one group."""
WIDTH = 100
OPTION_WIDTH = 36
"""Width of the column of option names: the longest fits, so that each option takes one line."""


class HelpCommand(TyperCommand):
    """A command whose help lists its options in groups."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:  # type: ignore[override]
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *OPTIONS, "Options")}
        params = self.get_params(ctx)
        few = len(params) < MANY
        for param in params:
            row = param.get_help_record(ctx)
            if row is None:
                continue
            purpose = "Options" if few else next((n for n, has in OPTIONS.items() if param.name in has), "Options")
            groups["Arguments" if param.param_type_name == "argument" else purpose].append(row)
        for name, rows in groups.items():
            if rows:
                with formatter.section(name):
                    formatter.write_dl(rows, col_max=OPTION_WIDTH)


class HelpGroup(TyperGroup):
    """Lists commands in groups: by the panel that each was registered with. Its few options take one line, so that the
    commands fit a screen."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:  # type: ignore[override]
        rows = [row for param in self.get_params(ctx) if (row := param.get_help_record(ctx)) is not None]
        formatter.write(f"  Options: {', '.join(names for names, _ in rows)}\n")
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # type: ignore[override]
        panels: dict[str, list[tuple[str, str]]] = {}
        shown = [(name, command) for name in self.list_commands(ctx) if not (command := self.commands[name]).hidden]
        width = max(len(name) for name, _ in shown)
        for name, command in shown:
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            rows = panels.setdefault(panel, [])
            rows.append((f"{name:<{width}}", command.get_short_help_str(formatter.width - width - 6)))
        formatter.write_paragraph()
        for panel, rows in panels.items():  # without blank lines in between: all commands fit a screen
            formatter.write_heading(panel)
            with formatter.indentation():
                formatter.write_dl(rows)
