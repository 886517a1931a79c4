"""The models of one candidate as the fits stored them, for the result of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from heldout.estimates import schemes_of
from heldout.estimates.e_in import training_target
from heldout.fits.one_pass import updated_once
from heldout.fits.specs import hypothesis_key
from heldout.learners.fit_warnings import WarningCounts
from heldout.records import Estimate
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.unlabelled.half_model_controls import Controls, why_none
from tasks.fits import counted_warnings
from tasks.fits.controls import read_controls
from tasks.fits.run_schemes import stored_keys
from tasks.params import Candidate, Settings
from tasks.plans import all_labeled
from tasks.storage import files, fit_cache


@dataclass(frozen=True, eq=False)
class StoredModels:
    """Those of a `candidate` on the prepared rows of a `design`; `failed` has the reason of each scheme that failed.

    Hypotheses are read one at a time, and fitted again if the cache was removed.
    """

    settings: Settings
    candidate: Candidate
    design: Design
    failed: Mapping[str, str]

    @property
    def X(self) -> Any:
        """The labelled rows; those of a large table stay in their file."""
        return files.open_features(files.LABELED, files.file_hash(files.LABELED))

    @property
    def warnings(self) -> WarningCounts:
        """What the fits of all schemes warned of."""
        return counted_warnings.read().get(self.candidate.name, WarningCounts.of([]))

    @cached_property
    def controls(self) -> Controls | str:
        """The controls of all rows by the half models, or the reason why there are none."""
        half_models = "covalidation" in schemes_of(self.design)
        reason = why_none(self.design, unlabeled=bool(files.shards()), half_models=half_models)
        if reason is None and self.settings.data.sampling == "active":
            reason = "data.sampling is active: the labelled rows are not drawn as the unlabelled rows are"
        for part in ("covalidation", "disagreement"):
            if reason is None and part in self.failed:
                reason = f"the half models do not answer: {self.failed[part]}"
        return reason or read_controls(self.candidate.name)

    def hypotheses(self, scheme: SchemeName) -> Sequence[Any]:
        """Those of a scheme, in the order of its splits."""
        if scheme not in self._of_scheme:
            self._of_scheme[scheme] = _Stored(stored_keys(self.settings, self.candidate, scheme))
        return self._of_scheme[scheme]

    def stated(self, record: Estimate) -> Estimate:
        """The record: also whether the learner is updated once, and of how many rows E_in is."""
        target = record.target
        if record.estimate == "E_in" and record.n_train is not None:
            target = training_target(record.n_train, all_labeled.count())
        return replace(record, target=target_of(self.candidate, target))

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
