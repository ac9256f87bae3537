"""The prompt for agents that work with the files of a workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator

from quire.core import prompts
from quire.core.keys import Digest, digest_of
from quire.core.runner import TaskBrief

_NAMES = {"solver": "solve_files", "reviewer": "review_files"}


def file_prompt(brief: TaskBrief) -> str:
    """The prompt of a brief: the instructions of the role, then task, documents, schema, answer and findings."""
    return "\n\n".join([prompts.load(_NAMES[brief.role]).text, *_sections(brief)]) + "\n"


def templates_digest() -> Digest:
    """The digest of the texts from which prompts are made."""
    return digest_of([prompts.load(name).digest for name in _NAMES.values()])


def _sections(brief: TaskBrief) -> Iterator[str]:
    yield f"# Task\n\n{brief.task.strip()}"
    listed = [
        f"- `{one.path}`: {json.dumps(one.name, ensure_ascii=False)}, {_pages(one.pages)}" for one in brief.documents
    ]
    more = ""
    if len(brief.documents) > 1:
        shorts = " and ".join(f"`{one.short}/`" for one in brief.documents[:2])
        more = (
            f"\n\nThe ids of records begin with the short name of their document, such as {shorts}: cite them with it."
        )
    yield "# Documents\n\n" + "\n".join(listed) + more
    yield f"# JSON Schema of the answer\n\n{_fenced(brief.schema)}"
    if brief.answer is not None:
        title = "The answer to review" if brief.role == "reviewer" else "Your answer so far, as it was checked"
        yield f"# {title}\n\n{_fenced(brief.answer)}"
    if brief.findings:
        yield (
            "# Findings of the review\n\nAnswer each: correct the value, or cite a better place, or keep it and say "
            f"why in `output/notes.md`. Write the complete answer again.\n\n{_fenced(brief.findings)}"
        )


def _fenced(value: object) -> str:
    return f"```json\n{json.dumps(value, indent=1, ensure_ascii=False, default=str)}\n```"


def _pages(many: int) -> str:
    return "1 page" if many == 1 else f"{many} pages"
