"""A program of several steps that survives being killed: `python examples/durable_read.py letters/ store/`.

Reads the PDFs of a folder and writes a list of their titles. Stop it with Ctrl-C or kill it in the middle and start it
again: documents that were read are not read again, and the list is the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import quire
from quire.context import Context, Json, Retry, Workflow
from quire.runtime.local import LocalRuntime

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
place = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("store")


def title(path: str) -> Json:
    """A step: one thing from outside, and a small answer. It runs in a thread."""
    result = quire.read(path, store=place)
    found = next((block.text for block in result.blocks if block.kind == "title"), "")
    return {"file": Path(path).name, "title": " ".join(found.split()), "pages": len(result.pages)}


def write(lines: list[str]) -> Json:
    Path("titles.txt").write_text("\n".join(lines))
    return len(lines)


async def titles(ctx: Context, argument: Json) -> Json:
    """The workflow. After a crash it is played again from here, and what its steps gave comes from the journal."""
    read = [ctx.run(path, title, path, retry=Retry(attempts=3)) for path in argument["paths"]]
    found = await ctx.gather(*read)
    lines = [f"{one['file']}: {one['title']} ({one['pages']} pages)" for one in found]
    return await ctx.run("write", write, lines)


paths = [str(path) for path in sorted(folder.glob("*.pdf"))]
with quire.open_store(place) as store, LocalRuntime(store.database, [Workflow("titles", titles)]) as runtime:
    # The key says what the work is: whoever asks for the same documents gets the run that they have.
    key = " ".join(["titles", *(quire.Document(path).id for path in paths)])
    run = runtime.submit("titles", {"paths": paths}, key=key)
    print(f"run {run} is {runtime.status(run).state}")
    print(f"{runtime.result(run)} lines in titles.txt")
print(Path("titles.txt").read_text())
