"""`quire completion`: print the script for shell completion."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from quire.core.errors import EXIT_COMPLETE, UsageError

EXAMPLES = """\b
Examples:
  quire completion bash >> ~/.bashrc
  quire completion zsh >> ~/.zshrc
  quire completion fish > ~/.config/fish/completions/quire.fish
"""
SHELLS = ("bash", "zsh", "fish")


def completion(
    shell: Annotated[str, Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> int:
    """Print the script for shell completion of the commands and options of quire."""
    if shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}; choose from {', '.join(SHELLS)}")
    from typer._completion_shared import get_completion_script

    print(get_completion_script(prog_name="quire", complete_var="_QUIRE_COMPLETE", shell=shell))
    return EXIT_COMPLETE
