"""Made documents as LaTeX in classes of journals and books, set by pdflatex."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from benchmarks.made import MadeDocument, MadePart
from benchmarks.report import LeftOut

NUMBERED, NOTES = False, True
PACKAGES = ("mathptmx", "lmodern", "mathpazo", "helvet", "")


@dataclass(frozen=True)
class TeXClass:
    """A document class: its name, the options it may have, the commands of its headings and how it begins."""

    name: str
    options: tuple[str, ...]
    commands: tuple[str, ...] = ("section", "subsection", "subsubsection")
    author: str = r"\author{Ada Byron}"


CLASSES = (
    TeXClass("article", ("10pt", "11pt", "12pt,a4paper", "10pt,twocolumn")),
    TeXClass("report", ("10pt", "11pt,a4paper"), ("chapter", "section", "subsection")),
    TeXClass("scrartcl", ("10pt", "11pt,twocolumn", "12pt")),
    TeXClass("IEEEtran", ("journal", "conference"), ("section", "subsection")),
    TeXClass(
        "revtex4-2",
        ("aps,prl,twocolumn,nofootinbib", "aps,prb,preprint,nofootinbib", "aip,reprint,nofootinbib"),
        author=r"\author{Ada Byron}\affiliation{University of Turin}",
    ),
    TeXClass("llncs", ("",), ("section", "subsection"), r"\author{Ada Byron}\institute{Turin}"),
    TeXClass("elsarticle", ("preprint", "final,3p,times", "final,5p,times,twocolumn")),
)


def printed(documents: Sequence[tuple[MadeDocument, random.Random]], folder: Path) -> list[Path]:
    """A PDF of each document."""
    latex = shutil.which("pdflatex")
    if latex is None:
        raise LeftOut("there is no pdflatex: texlive-publishers and texlive-latex-recommended have it and its classes")
    done = []
    for number, (made, chance) in enumerate(documents):
        source = folder / f"{number}.tex"
        source.write_text(_file(made, chance))
        command = [latex, "-interaction=batchmode", "-halt-on-error", source.name]
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=folder)
        done.append(source.with_suffix(".pdf"))
    return done


def _file(made: MadeDocument, chance: random.Random) -> str:
    deepest = max(part.level for part in made.of("heading"))
    chosen = chance.choice([one for one in CLASSES if len(one.commands) >= deepest - 1])
    package = chance.choice(PACKAGES) if chosen.name in ("article", "report", "scrartcl") else ""
    sans = "\\renewcommand{\\familydefault}{\\sfdefault}" if package == "helvet" else ""
    title = made.parts[0].text
    numbers = "\\setcounter{secnumdepth}{0}" if chance.random() < 0.2 else ""
    front = f"\\title{{{_tex(title)}}}{chosen.author}"
    if chosen.name == "elsarticle":
        front = f"\\begin{{frontmatter}}{front}\\end{{frontmatter}}"
    else:
        front += "\\maketitle"
    return "\n".join(
        (
            f"\\documentclass[{chance.choice(chosen.options)}]{{{chosen.name}}}",
            f"\\usepackage[T1]{{fontenc}}\\usepackage{{{package}}}{sans}" if package else "",
            numbers,
            "\\begin{document}",
            front,
            _body(made.parts[1:], chosen, booktabs=chance.random() < 0.5),
            "\\end{document}",
        )
    )


def _body(parts: Sequence[MadePart], chosen: TeXClass, *, booktabs: bool) -> str:
    body = []
    for kind, group in groupby(parts, key=lambda part: part.kind):
        members = list(group)
        if kind == "item":
            body.append(_list(members))
            continue
        for part in members:
            if kind == "heading":
                body.append(f"\\{chosen.commands[part.level - 2]}{{{_tex(part.text)}}}")
            elif kind == "table":
                body.append(_table(part, ruled=not booktabs))
            else:
                body.append(_tex(part.text) + (f"\\footnote{{{_tex(part.note)}}}" if part.note else "") + "\n")
    return "\n".join(body)


def _list(items: Sequence[MadePart]) -> str:
    name = "enumerate" if items[0].numbered else "itemize"
    body = []
    for level, group in groupby(items, key=lambda item: item.level):
        lines = "\n".join(f"\\item {_tex(item.text)}" for item in group)
        body.append(lines if level == 1 else f"\\begin{{itemize}}{lines}\\end{{itemize}}")
    return f"\\begin{{{name}}}{''.join(body)}\\end{{{name}}}\n"


def _table(part: MadePart, *, ruled: bool) -> str:
    columns = "|".join("lrrr") if ruled else "lrrr"
    rows = [" & ".join(map(_tex, row)) + "\\\\" for row in part.rows]
    lines = "\\hline ".join(rows) if ruled else f"{rows[0]}\\hline {' '.join(rows[1:])}"
    edge = "|" if ruled else ""
    table = f"\\begin{{tabular}}{{{edge}{columns}{edge}}}\\hline {lines}\\hline\\end{{tabular}}"
    return f"\\begin{{center}}{table}\\end{{center}}\n"


def _tex(text: str) -> str:
    return text.replace("-", "{-}")
