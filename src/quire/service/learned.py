"""Models learnt from samples, which requests name: files of a folder that the operator chose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quire.core.errors import UsageError
from quire.evidence.learn.model import SUFFIX, LearnedModel, models_of
from quire.store.scoped import scope_of


class LearnedModels:
    """The models of a folder by name; a tenant has those of the folder inside it that has the tenant's name.

    A name is looked up among the files that are there, never made into a path. The folder is listed for each request:
    a model that is learnt again is used by the next one. Its methods block.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = Path(folder).expanduser().absolute() if folder else None

    def names(self, tenant: str) -> list[str]:
        """The models that a tenant can name, in order."""
        return sorted(self._known(tenant))

    def extractor(self, name: str, tenant: str) -> str:
        """The extractor that uses a model. Raises UsageError when the tenant has none of that name."""
        if self._folder is None:
            raise UsageError(
                "this server has no models; QUIRE_SERVE_LEARNED names the folder of those of `quire learn`"
            )
        known = self._known(tenant)
        if name not in known:
            others = f"choose from {', '.join(sorted(known))[:500]}" if known else "there is none yet"
            raise UsageError(f"this server has no model {name[:50]!r}; {others}")
        try:
            LearnedModel.load(known[name])
        except UsageError:  # names the path
            raise UsageError(
                f"the model {name!r} of this server is of another version, or damaged: learn again"
            ) from None
        return f"learned:{known[name]}"

    def made_from(self, document: str, tenant: str) -> list[str]:
        """The models of a tenant that were learnt from a document, in order."""
        made = {*models_of(self._folder, document)}
        return sorted(name for name, path in self._known(tenant).items() if path in made)

    def _known(self, tenant: str) -> Mapping[str, Path]:
        if self._folder is None:
            return {}
        folders = (
            [self._folder] if not tenant else [one for one in _folders(self._folder) if scope_of(one.name) == tenant]
        )
        return {path.stem: path for folder in folders for path in folder.glob(f"*{SUFFIX}") if path.is_file()}


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
