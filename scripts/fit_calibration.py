"""Fits the weights of `evidence.extract.calibration` to the values that `python -m benchmarks reliability` judges.

Run it after a change of what extractors say about their values, then the benchmark, and commit both.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.reliability import FITTED, fitted_weights, judged_values
from benchmarks.report import Options

FILE = Path(__file__).parents[1] / "src/quire/evidence/extract/calibration.json"


def main() -> None:
    judged = [one for one in judged_values(Options()) if one.origin in FITTED]
    about = f"{len(judged)} values of {', '.join(FITTED)}"
    weights = dict(sorted(fitted_weights(judged, least=2).items()))
    FILE.write_text(json.dumps({"fitted_to": about, "weights": weights}, indent=1) + "\n")


if __name__ == "__main__":
    main()
