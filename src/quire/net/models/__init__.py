"""Optional models: a table of them, the folders that hold them, and the fetching of their files, once and on request.

Nothing is fetched at run time: a model that is not there says how to get it.
"""

from __future__ import annotations

from quire.net.models.folders import ModelFolder, find_model, models_folder
from quire.net.models.table import MODELS, PublishedModel

__all__ = ["MODELS", "ModelFolder", "PublishedModel", "find_model", "models_folder"]
