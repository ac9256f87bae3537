"""Options that several commands share. None means not given: then the settings decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

PathsOrLast = Annotated[
    list[Path] | None,
    Argument(
        readable=False,
        metavar="[PATH...]",
        help="PDFs, images, or folders of them. Without PATH: the last run of the folder -o, with its options.",
    ),
]
Flow = Annotated[str | None, Option(metavar="FLOW", help="Flow to run on each document: a name or a file.")]
Output = Annotated[Path | None, Option("-o", "--output", metavar="DIR", help="Output folder.")]
To = Annotated[
    list[str] | None, Option(metavar="FORMAT", help="Format, see `quire read -h`; the flow's by default. Repeatable.")
]
Store = Annotated[str | None, Option(metavar="PLACE", help="Folder or URL for cached results; DIR/.quire by default.")]
SearchStore = Annotated[
    str | None,
    Option(metavar="PLACE", help="Folder of the index and of what was read; one of your account by default."),
]
Facts = Annotated[str | None, Option(metavar="URL", help="PostgreSQL database for the index and runs of the store.")]
SearchEngine = Annotated[
    str | None,
    Option("--index", metavar="URL", help="Search engine with the index: opensearch+http://…, qdrant+http://…"),
]
Runtime = Annotated[str | None, Option(metavar="NAME", help="Where the work runs: local (default) or restate.")]
Ingress = Annotated[str | None, Option(metavar="URL", help="Address of the Restate server.")]
Preset = Annotated[str | None, Option(metavar="NAME", help="Settings of [preset.NAME] in quire.toml.")]
Effort = Annotated[str | None, Option(metavar="EFFORT", help="Effort for OCR: fast, balanced (default), accurate.")]
Ocr = Annotated[
    str | None, Option(metavar="WHEN", help="When to run OCR: auto (pages without good text), always, never.")
]
Engine = Annotated[list[str] | None, Option(metavar="ENGINE", help="OCR engine; repeat it to add fallbacks, in order.")]
Lang = Annotated[list[str] | None, Option(metavar="LANGUAGE", help="OCR language: de, de-fraktur. Repeatable.")]
Pages = Annotated[str | None, Option(metavar="PAGES", help="Only these pages: 1-3,7 or 5- or -8 (the first eight).")]
Password = Annotated[str | None, Option(metavar="PASSWORD", help="For encrypted documents; better in QUIRE_PASSWORD.")]
PasswordFor = Annotated[
    list[str] | None,
    Option(metavar="PATTERN=PASSWORD", help="Per file: 'contracts/*.pdf=…'. Repeatable."),
]
AllowPrivateUrls = Annotated[
    bool | None,
    Option("--allow-private-urls", help="Allow URLs on this machine and private networks."),
]
Server = Annotated[
    str | None, Option(metavar="URL", help="Quire server that reads the documents, instead of this machine.")
]
ApiKey = Annotated[str | None, Option(metavar="KEY", help="Key of that server; better in QUIRE_API_KEY.")]
Offline = Annotated[bool | None, Option("--offline/--no-offline", help="Never use the network; say what needs it.")]
Words = Annotated[bool, Option("--words", help="Add words and their boxes to the JSON.")]
Trace = Annotated[bool, Option("--trace", help="Add OCR attempts and the source of each block to the JSON.")]
Figures = Annotated[
    bool | None, Option("--figures/--no-figures", help="Also read small pictures (OCR), and show all words in figures.")
]
Images = Annotated[
    str | None,
    Option(metavar="MODE", help="Add the pictures of figures to Markdown and HTML: embed, or files beside them."),
]
Redactions = Annotated[
    bool | None, Option("--redactions/--no-redactions", help="Mark blacked-out areas of scans: [[REDACTED]].")
]
Tables = Annotated[
    str | None, Option(metavar="HOW", help="How to find tables: auto (default), lines (drawn), words, none.")
]
Include = Annotated[
    list[str] | None, Option(metavar="PATTERN", help="In folders, only files that match, like '*.pdf'.")
]
Exclude = Annotated[
    list[str] | None, Option(metavar="PATTERN", help="In folders, skip files and folders like 'draft-*'.")
]
Limit = Annotated[int | None, Option(metavar="N", help="Only the first N documents, by name.", min=1)]
Shard = Annotated[str | None, Option(metavar="K/N", help="Only part K of N, to split the work between machines.")]
VerifyHash = Annotated[
    bool | None, Option("--verify-hash/--no-verify-hash", help="Detect changes by content, not by size and time.")
]
Force = Annotated[bool, Option("--force", help="Process again also what is done or in quarantine.")]
Retry = Annotated[bool, Option("--retry", help="Also retry quarantined documents (failed permanently before).")]
Overwrite = Annotated[
    bool, Option("--overwrite", help="Replace output files that were edited; they are kept otherwise.")
]
Manifest = Annotated[Path | None, Option(metavar="FILE", help="Append a line of JSON for each document.")]
Quiet = Annotated[bool, Option("-q", "--quiet", help="No progress and no summary; failures are still shown.")]
Json = Annotated[bool, Option("--json", help="Write JSON.")]
Run = Annotated[
    str | None, Argument(metavar="[RUN]", help="The id of a run, or a prefix of it; the latest by default.")
]
Workers = Annotated[int | None, Option(metavar="N", help="Pages processed in parallel; one per CPU by default.")]
DrainS = Annotated[
    float,
    Option(
        metavar="SECONDS",
        help="Grace period for running steps at shutdown; 600 by default.",
        show_default=False,
    ),
]
