"""The fits of a scheme as units: which units there are, by which records, and what is stored under their keys."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heldout import digests
from heldout.fits.specs import Known, KnownSplits, Labeled, Spec, Specs
from heldout.losses import Losses
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import FitPlan
from tasks.plans.read_design import design_of
from tasks.plans.units import Finished, Unit, Versions, hypothesis_key
from tasks.storage import files, fit_cache


def specs_of(settings: Settings, candidate: Candidate, versions: Versions, splits: KnownSplits | None = None) -> Specs:
    """The records of all fits of a candidate; those of several candidates may share `splits`."""
    splits = known_splits(settings, versions) if splits is None else splits
    design = splits.design
    return Specs(
        Known(lambda: Labeled(files.open_features(files.LABELED, versions.labeled), design.y), versions.labeled),
        Known(candidate.learner, digests.content_hash(candidate.fit_identity())),
        digests.content_hash(settings.loss_identity),
        splits,
    )


def known_splits(settings: Settings, versions: Versions) -> KnownSplits:
    """The splits of the design of `settings`, with their digests."""
    return KnownSplits(design_of(settings, versions.labeled, versions.partitions), keyed=True)


def key_of(spec: Spec) -> str:
    """The key of a record whose every part has a digest, as all of a run have."""
    if spec.key is None:
        raise TypeError("a part of the record has no digest")
    return spec.key


def exact_loss_keys(settings: Settings, plan: FitPlan, versions: Versions) -> dict[str, str]:
    """The candidates that may need no fit in a scheme, and where all their losses of the scheme are stored."""
    candidates = [candidate for candidate in settings.candidates if plan.may_skip_fits(settings, candidate)]
    if not candidates:
        return {}
    splits = known_splits(settings, versions)
    return {
        candidate.name: key_of(specs_of(settings, candidate, versions, splits).exact(plan.name))
        for candidate in candidates
    }


def candidates_to_fit(settings: Settings, exact_keys: Mapping[str, str]) -> Settings:
    """The settings with the candidates that need fits: no shortcut is known, or it is stored that it declined.

    `exact_keys` are the `exact_loss_keys` of the scheme.
    """
    to_fit = [
        candidate
        for candidate in settings.candidates
        if candidate.name not in exact_keys or is_declined(exact_keys[candidate.name])
    ]
    return settings.model_copy(update={"candidates": to_fit})


def is_declined(key: str) -> bool:
    """Whether it is stored that the losses of a scheme, whose key this is, need fits."""
    return fit_cache.store.has(key) and fit_cache.store.load(key) is None


def plan_units(settings: Settings, plan: FitPlan, versions: Versions) -> Iterator[tuple[Candidate, list[Unit]]]:
    """The units of each candidate of `settings`."""
    splits = known_splits(settings, versions)
    for candidate in settings.candidates:
        specs = specs_of(settings, candidate, versions, splits)
        keys = [key_of(specs.fit(plan.name, number)) for number in range(len(plan.splits))]
        yield candidate, [Unit(plan.name, number, key, plan.keep) for number, key in enumerate(keys)]


def is_stored(unit: Unit) -> bool:
    """Whether a fit is finished: its losses are stored, and its hypothesis if it is kept."""
    return fit_cache.store.has(unit.key) and (not unit.keep or fit_cache.store.has(hypothesis_key(unit)))


def gather_exact(key: str, fits: int) -> Finished:
    """The stored losses of a scheme without fits."""
    return Finished((), _StoredTogether(key, fits), (None,) * fits, (fit_cache.store.load(key)[1],) * fits)


@dataclass(frozen=True, eq=False)
class _StoredTogether(Sequence[Any]):
    """The losses of a scheme without fits, one array for each split, read from the cache on access."""

    key: str
    fits: int

    def __iter__(self) -> Iterator[Any]:
        return iter(fit_cache.store.load(self.key)[0])

    def __getitem__(self, number: Any) -> Any:
        return fit_cache.store.load(self.key)[0][number]

    def __len__(self) -> int:
        return self.fits


def gather(units: Sequence[Unit]) -> Finished:
    """The stored results of the fits of a scheme."""
    keys = tuple(unit.key for unit in units)
    warned = tuple(fit_cache.store.load(key).warned for key in keys)
    return Finished(keys, _Stored(keys, "losses"), _Stored(keys, "training"), warned, _Stored(keys, "terms"))


def stored_losses(units: Sequence[Unit]) -> Sequence[Losses]:
    """The stored losses of some fits, each read on access."""
    return _Stored(tuple(unit.key for unit in units), "losses")


@dataclass(frozen=True, eq=False)
class _Stored(Sequence[Any]):
    """One part of each unit's result, read on access: the losses of all units are never in memory together."""

    keys: tuple[str, ...]
    part: str

    def __getitem__(self, number: Any) -> Any:
        return getattr(fit_cache.store.load(self.keys[number]), self.part)

    def __len__(self) -> int:
        return len(self.keys)
