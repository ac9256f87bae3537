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
    list[str] | None, Option(metavar="FORMAT", help="Format, see `quire read -h`; by default the flow's. Repeatable.")
]
Store = Annotated[
    str | None, Option(metavar="PLACE", help="Folder or address for what was read; DIR/.quire by default.")
]
Facts = Annotated[str | None, Option(metavar="URL", help="PostgreSQL database for facts and runs of the store.")]
Runtime = Annotated[str | None, Option(metavar="NAME", help="Where the work runs: local (default) or restate.")]
Ingress = Annotated[str | None, Option(metavar="URL", help="Address of the Restate server.")]
Profile = Annotated[str | None, Option(metavar="NAME", help="Settings of [profile.NAME] in quire.toml.")]
Effort = Annotated[str | None, Option(metavar="EFFORT", help="Effort for OCR: fast, balanced (default), accurate.")]
Ocr = Annotated[
    str | None, Option(metavar="WHEN", help="OCR of pages: auto (those without usable text), always, never.")
]
Engine = Annotated[
    list[str] | None, Option(metavar="ENGINE", help="OCR engine; repeat it for those to ask when one fails.")
]
Lang = Annotated[list[str] | None, Option(metavar="LANGUAGE", help="Language of scans: de, de-fraktur. Repeatable.")]
Pages = Annotated[str | None, Option(metavar="PAGES", help="Only these pages: 1-3,7 or 5- or -8 (the first eight).")]
Password = Annotated[str | None, Option(metavar="PASSWORD", help="For encrypted documents; better in QUIRE_PASSWORD.")]
PasswordFor = Annotated[
    list[str] | None,
    Option(metavar="PATTERN=PASSWORD", help="For some: 'contracts/*.pdf=…'. Repeatable."),
]
AllowPrivateUrls = Annotated[
    bool | None,
    Option("--allow-private-urls", help="Fetch URLs of this machine and its network."),
]
Words = Annotated[bool, Option("--words", help="JSON with the words and their boxes.")]
Trace = Annotated[bool, Option("--trace", help="JSON with OCR attempts and the source of each block.")]
Figures = Annotated[bool | None, Option("--figures/--no-figures", help="OCR of the text inside figures.")]
Redactions = Annotated[
    bool | None, Option("--redactions/--no-redactions", help="Mark blacked-out places of scans: [[REDACTED]].")
]
Include = Annotated[list[str] | None, Option(metavar="PATTERN", help="Of folders, only files like '*.pdf'.")]
Exclude = Annotated[
    list[str] | None, Option(metavar="PATTERN", help="Of folders, no files and folders like 'draft-*'.")
]
Limit = Annotated[int | None, Option(metavar="N", help="Only the first N documents, by name.", min=1)]
Shard = Annotated[str | None, Option(metavar="K/N", help="Only the K-th of N parts: one for each machine.")]
VerifyHash = Annotated[
    bool | None, Option("--verify-hash/--no-verify-hash", help="Compare contents, not size and time.")
]
Force = Annotated[bool, Option("--force", help="Also do documents again that are done or in quarantine.")]
Retry = Annotated[bool, Option("--retry", help="Also try documents in quarantine: they failed for good before.")]
Overwrite = Annotated[
    bool, Option("--overwrite", help="Replace output files that were changed by hand; they are kept otherwise.")
]
Manifest = Annotated[Path | None, Option(metavar="FILE", help="Append a line of JSON for each document.")]
Quiet = Annotated[bool, Option("-q", "--quiet", help="No progress and no summary; failures are still shown.")]
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
