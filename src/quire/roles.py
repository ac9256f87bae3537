"""The slots of a pipeline, and the values that pass between its stages."""

from quire.pipelines.roles import (
    Classified,
    Classifier,
    Corrector,
    Crop,
    LayoutDetector,
    PreparedPicture,
    Preprocessor,
    RegionPreprocessor,
    Slot,
)

__all__ = [
    "Classified",
    "Classifier",
    "Corrector",
    "Crop",
    "LayoutDetector",
    "PreparedPicture",
    "Preprocessor",
    "RegionPreprocessor",
    "Slot",
]
