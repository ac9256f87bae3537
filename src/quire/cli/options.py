"""Options that several commands of batches share. None means: not given; then the settings decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

PathsOrLast = Annotated[
    list[Path] | None,
    Argument(
        readable=False,
        metavar="[PATH...]",
        help="PDFs, images, or folders of them. Without any, the last run of the folder -o, with its options.",
    ),
]
Flow = Annotated[str | None, Option(metavar="FLOW", help="What is done with each document: a flow by name or file.")]
Output = Annotated[Path | None, Option("-o", "--output", metavar="DIR", help="Folder for the files.")]
To = Annotated[
    list[str] | None,
    Option(
        metavar="FORMAT",
        help="Format of the files, that of the flow by default. May be repeated; `quire read -h` lists them.",
    ),
]
Store = Annotated[
    str | None, Option(metavar="PLACE", help="Folder or address that keeps what was read; DIR/.quire by default.")
]
Facts = Annotated[
    str | None, Option(metavar="URL", help="PostgreSQL database for facts and runs, instead of a file in the store.")
]
Runtime = Annotated[
    str | None, Option(metavar="NAME", help="Who runs the work: local (this machine, the default) or restate.")
]
Ingress = Annotated[str | None, Option(metavar="URL", help="Address of the Restate server.")]
Profile = Annotated[
    str | None,
    Option(metavar="NAME", help="Settings by name: fast, balanced, accurate, or a profile of quire.toml."),
]
Effort = Annotated[
    str | None, Option(metavar="EFFORT", help="Effort of the recognition: fast, balanced (the default) or accurate.")
]
Ocr = Annotated[
    str | None, Option(metavar="WHEN", help="Recognise pages: auto (those without usable text), always, or never.")
]
Engine = Annotated[
    list[str] | None,
    Option(metavar="ENGINE", help="Recognise with this engine; may be repeated, the next one is asked when one fails."),
]
Lang = Annotated[
    list[str] | None,
    Option(metavar="LANGUAGE", help="Language of the scans, like de or de-fraktur. May be repeated."),
]
Pages = Annotated[str | None, Option(metavar="PAGES", help="Only these pages, like 1-3,7 or 5- (to the end).")]
Words = Annotated[bool, Option("--words", help="Put the words and their boxes into JSON.")]
Trace = Annotated[
    bool, Option("--trace", help="Put how each page was recognised, and the source of each block, into JSON.")
]
Figures = Annotated[bool | None, Option("--figures/--no-figures", help="Also read the text inside figures.")]
Redactions = Annotated[
    bool | None, Option("--redactions/--no-redactions", help="Mark blacked-out places of scans as [[REDACTED]].")
]
Include = Annotated[
    list[str] | None, Option(metavar="PATTERN", help="Of folders, only files that match, like '*.pdf'.")
]
Exclude = Annotated[
    list[str] | None, Option(metavar="PATTERN", help="Of folders, no files and folders that match, like 'draft-*'.")
]
Limit = Annotated[int | None, Option(metavar="N", help="Only the first N documents, by name.", min=1)]
Shard = Annotated[
    str | None, Option(metavar="K/N", help="Only the K-th of N parts, like 2/8: one part for each machine.")
]
VerifyHash = Annotated[
    bool | None,
    Option("--verify-hash/--no-verify-hash", help="Read every file again instead of trusting its size and time."),
]
Force = Annotated[bool, Option("--force", help="Also do documents again that are done or in quarantine.")]
Retry = Annotated[bool, Option("--retry", help="Also try documents in quarantine: they failed for good before.")]
Overwrite = Annotated[
    bool, Option("--overwrite", help="Replace output files that were changed by hand; they are kept otherwise.")
]
Manifest = Annotated[
    Path | None, Option(metavar="FILE", help="Also append a line of JSON for each document to this file.")
]
Quiet = Annotated[bool, Option("--quiet", help="No progress and no summary; failures are still told.")]
Json = Annotated[bool, Option("--json", help="Write JSON.")]
Run = Annotated[str | None, Argument(metavar="[RUN]", help="The id of a run, or its beginning; the latest by default.")]
Workers = Annotated[int | None, Option(metavar="N", help="Pages read at a time; one for each CPU by default.")]
DrainS = Annotated[
    float,
    Option(
        metavar="SECONDS",
        help="Time for the steps under way when it is told to end; 600 by default.",
        show_default=False,
    ),
]
