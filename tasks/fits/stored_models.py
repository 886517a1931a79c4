"""The models of one candidate as the fits stored them, for the result of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from heldout.fits.one_pass import updated_once
from heldout.fits.specs import hypothesis_key
from heldout.learners.fit_warnings import WarningCounts
from heldout.notebook.load import SavedModels
from heldout.schemes import SchemeName
from heldout.unlabelled.half_model_controls import MOST, Controls
from tasks.fits.run_schemes import stored_keys
from tasks.params import Candidate, Settings
from tasks.plans import all_labeled
from tasks.storage import files, fit_cache


@dataclass(frozen=True, eq=False)
class StoredModels:
    """Those of a `candidate` on the prepared rows; `saved` has what the fits left without them.

    Hypotheses are read one at a time, and fitted again if the cache was removed.
    """

    settings: Settings
    candidate: Candidate
    saved: SavedModels

    @property
    def X(self) -> Any:
        """The labelled rows; those of a large table stay in their file."""
        return files.open_features(files.LABELED, files.file_hash(files.LABELED))

    @property
    def unlabeled(self) -> Any:
        """The first rows of the shards; None where the labelled rows were picked, and so of another population."""
        if self.settings.data.sampling != "iid" or not files.shards():
            return None
        parts = list[pd.DataFrame]()
        for path in files.shards():
            if sum(map(len, parts)) < MOST:
                parts.append(files.read_shard(path))
        return pd.concat(parts, ignore_index=True).iloc[:MOST]

    @property
    def updated_once(self) -> bool:
        """Whether the learner is updated once with each block."""
        return self.saved.updated_once

    @property
    def final_rows(self) -> int:
        """How many rows are labelled, with those of the test set."""
        return all_labeled.count()

    @property
    def warnings(self) -> WarningCounts:
        """What the fits of all schemes warned of."""
        return self.saved.warnings

    @property
    def controls(self) -> Controls | str:
        """The controls of all rows by the half models, or the reason why there are none."""
        if isinstance(self.saved.controls, Controls) and self.settings.data.sampling == "active":
            return "data.sampling is active: the labelled rows are not drawn as the unlabelled rows are"
        return self.saved.controls

    def hypotheses(self, scheme: SchemeName) -> Sequence[Any]:
        """Those of a scheme, in the order of its splits."""
        if scheme not in self._of_scheme:
            self._of_scheme[scheme] = _Stored(stored_keys(self.settings, self.candidate, scheme))
        return self._of_scheme[scheme]

    @cached_property
    def _of_scheme(self) -> dict[SchemeName, "_Stored"]:
        return {}


def target_of(candidate: Candidate, target: str) -> str:
    """What an estimate of a candidate is about, which also says if the candidate is updated once."""
    return target if candidate.update is None else updated_once(target)


class _Stored(Sequence[Any]):
    """Hypotheses of the fit store, each read when somebody asks for it, and not kept."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys

    def __getitem__(self, number: Any) -> Any:
        return fit_cache.store.load(hypothesis_key(self._keys[number]))

    def __len__(self) -> int:
        return len(self._keys)
