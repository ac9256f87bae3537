"""Options that several commands share, one by one and as groups. None means not given: then the settings decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from quire.cli.option_groups import OptionGroup

Files = Annotated[list[str], Argument(metavar="FILE...", help="PDFs, images, folders of them, or URLs.")]
PathsOrLast = Annotated[
    list[Path] | None,
    Argument(
        readable=False,
        metavar="[PATH...]",
        help="PDFs, images, or folders of them. Without PATH: the last run of the folder -o, with its options.",
    ),
]
Output = Annotated[Path | None, Option("-o", "--output", metavar="DIR", help="Output folder.")]
OutputOfEach = Annotated[
    Path | None, Option("-o", "--output", metavar="DIR", help="Output folder, with a file for each document.")
]
RowFormat = Annotated[str, Option(metavar="FORMAT", help="jsonl (default) or parquet.", show_default=False)]
Store = Annotated[str | None, Option(metavar="PLACE", help="Folder or URL for cached results; DIR/.quire by default.")]
CacheStore = Annotated[
    str | None, Option(metavar="PLACE", help="Cache folder or bucket: a page is not processed twice.")
]
Facts = Annotated[str | None, Option(metavar="URL", help="PostgreSQL database for the index and runs of the store.")]
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
Words = Annotated[bool, Option("--words", help="Add words and their boxes to the JSON.")]
Trace = Annotated[bool, Option("--trace", help="Add OCR attempts and the source of each block to the JSON.")]
Figures = Annotated[
    bool | None, Option("--figures/--no-figures", help="Also read small pictures (OCR), and show all words in figures.")
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
Force = Annotated[bool, Option("--force", help="Process again also what is done or in quarantine.")]
Retry = Annotated[bool, Option("--retry", help="Also retry quarantined documents (failed permanently before).")]
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
SearchStore = Annotated[
    str | None,
    Option(metavar="PLACE", help="Folder of the index and of what was read; one of your account by default."),
]
SearchEngine = Annotated[
    str | None,
    Option("--index", metavar="URL", help="Search engine with the index: opensearch+http://…, qdrant+http://…"),
]
EmbedderName = Annotated[
    str,
    Option(
        "--embedder",
        metavar="NAME",
        help="Model for vectors: a name, a folder, none for words alone; all-minilm-l6-v2 if fetched (auto).",
        show_default=False,
    ),
]


class StoreOptions(OptionGroup):
    """The store of runs: that of an output folder, or another one."""

    output: Output = None
    store: Store = None
    facts: Facts = None


class RuntimeOptions(StoreOptions):
    """The store of runs, and where they run."""

    runtime: Runtime = None
    ingress: Ingress = None


class ReadingOptions(OptionGroup):
    """The options for reading the documents of a command."""

    pages: Pages = None
    password: Password = None
    password_for: PasswordFor = None
    allow_private_urls: Annotated[
        bool | None,
        Option("--allow-private-urls", help="Allow URLs on this machine and private networks."),
    ] = None
    ocr: Ocr = None
    lang: Lang = None
    engine: Engine = None
    effort: Effort = None
    preset: Preset = None


class LayoutReadingOptions(ReadingOptions):
    """The options for reading documents, with those for figures, blacked-out areas and tables."""

    figures: Figures = None
    redactions: Redactions = None
    tables: Tables = None


class CacheOptions(OptionGroup):
    """The machine that reads documents, and the store that keeps the results."""

    store: CacheStore = None
    facts: Facts = None
    workers: Workers = None
    server: Annotated[
        str | None, Option(metavar="URL", help="Quire server that reads the documents, instead of this machine.")
    ] = None
    api_key: Annotated[str | None, Option(metavar="KEY", help="Key of that server; better in QUIRE_API_KEY.")] = None
    quiet: Quiet = False


class ExtractStoreOptions(CacheOptions):
    """As `CacheOptions`, for a command that runs a batch with an output folder."""

    store: Store = None


class SampleReadingOptions(OptionGroup):
    """The options for reading the documents of samples."""

    ocr: Ocr = None
    lang: Lang = None
    engine: Engine = None
    store: CacheStore = None
    facts: Facts = None
    workers: Workers = None


class IndexOptions(OptionGroup):
    """The index that is searched, and how its hits are ordered."""

    store: SearchStore = None
    facts: Facts = None
    engine: SearchEngine = None
    embedder: EmbedderName = "auto"
    rerank: Annotated[
        str | None,
        Option(
            "--rerank",
            metavar="NAME",
            help="Order the first hits anew by a model: ms-marco-minilm-l12-v2, a folder, or the URL of a TEI server.",
        ),
    ] = None
