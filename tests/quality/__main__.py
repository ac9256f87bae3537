"""Show the scores on the golden pages, or with `--write` write their blocks anew and raise the floors."""

from __future__ import annotations

import sys

from tests.quality.golden import ALL, floors, scores_of, write, written_families


def main(arguments: list[str]) -> None:
    if arguments == ["--write"]:
        write()
    least = floors()
    for family in (*written_families(), ALL):
        scores = scores_of(*(written_families() if family == ALL else (family,)))
        print(f"{family}: " + ", ".join(f"{name} {score:.3f}" for name, score in sorted(scores.items())))
        for name, score in scores.items():
            if score < least.get(family, {}).get(name, 0.0):
                print(f"    {name} is below its floor {least[family][name]}: lower that by hand, and say why")


if __name__ == "__main__":
    main(sys.argv[1:])
