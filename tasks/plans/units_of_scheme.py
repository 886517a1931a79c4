"""The fits of a scheme as units: which units there are, their cache keys, and what is stored under the keys."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.learners import open_random_states
from heldout.parts.splits import Split
from heldout.schemes import fit_state
from heldout.schemes.cross_validation import FoldSplits
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import FitPlan
from tasks.plans.read_design import read_design
from tasks.plans.units import Finished, Unit, Versions, hypothesis_key
from tasks.storage import fit_cache


def exact_loss_keys(settings: Settings, plan: FitPlan, versions: Versions) -> dict[str, str]:
    """The candidates that may need no fit in a scheme, and where all their losses of the scheme are stored."""
    candidates = [candidate for candidate in settings.candidates if plan.may_skip_fits(settings, candidate)]
    if not candidates:
        return {}
    parts = (versions.labeled, _all_rows_hash(plan.splits), *_judged(settings))
    return {
        candidate.name: fit_cache.key(
            "scheme", candidate.fit_identity(), first_state(settings, plan, candidate), *parts
        )
        for candidate in candidates
    }


def candidates_to_fit(settings: Settings, exact_keys: Mapping[str, str]) -> Settings:
    """The settings with the candidates that need fits: no shortcut is known, or it is stored that it declined.

    `exact_keys` are the `exact_loss_keys` of the scheme.
    """
    to_fit = [
        candidate
        for candidate in settings.candidates
        if candidate.name not in exact_keys or _declined(exact_keys[candidate.name])
    ]
    return settings.model_copy(update={"candidates": to_fit})


def _declined(key: str) -> bool:
    return fit_cache.store.has(key) and fit_cache.store.load(key) is None


def plan_units(settings: Settings, plan: FitPlan, versions: Versions) -> Iterator[tuple[Candidate, list[Unit]]]:
    """The units of each candidate of `settings`."""
    judged = _judged(settings)
    rows = [_rows_hash(split) for split in plan.splits] if settings.candidates else []
    for candidate in settings.candidates:
        identity, open_states = candidate.fit_identity(), bool(open_random_states(candidate.learner()))
        units = []
        for number, rows_hash in enumerate(rows):
            # a seed that the learner does not use is not in its key
            state = fit_state(settings.seed, plan.name, number) if open_states else 0
            key = fit_cache.key("fit", versions.labeled, identity, rows_hash, state, plan.keep, *judged, *plan.terms)
            units.append(Unit(plan.name, number, key, state, plan.keep))
        yield candidate, units


def is_stored(unit: Unit) -> bool:
    """Whether a fit is finished: its losses are stored, and its hypothesis if it is kept."""
    return fit_cache.store.has(unit.key) and (not unit.keep or fit_cache.store.has(hypothesis_key(unit)))


def first_state(settings: Settings, plan: FitPlan, candidate: Candidate) -> int:
    """The seed of a scheme without separate fits: the seed of its first fit, or 0 if the learner uses none."""
    return fit_state(settings.seed, plan.name, 0) if open_random_states(candidate.learner()) else 0


def _judged(settings: Settings) -> tuple[object, ...]:
    """What losses depend on besides rows and learners: the loss, and the weights that go to `fit` and to metrics."""
    weights = read_design(settings).weights
    judged = settings.loss_identity
    if weights is None:
        return judged
    kind = "weights of draws" if weights.drawn else "weights"
    return (*judged, kind, hashlib.sha256(weights.values.tobytes()).hexdigest())


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
    warned = tuple(fit_cache.store.load(key)[2] for key in keys)
    return Finished(keys, _Stored(keys, 0), _Stored(keys, 1), warned, _Stored(keys, 3))


@dataclass(frozen=True, eq=False)
class _Stored(Sequence[Any]):
    """One part of each unit's result, read on access: the losses of all units are never in memory together."""

    keys: tuple[str, ...]
    part: int

    def __getitem__(self, number: Any) -> Any:
        return fit_cache.store.load(self.keys[number])[self.part]

    def __len__(self) -> int:
        return len(self.keys)


def _all_rows_hash(splits: Sequence[Split]) -> str:
    if isinstance(splits, FoldSplits):
        return hashlib.sha256(splits.fold.astype(np.int64).tobytes()).hexdigest()
    return hashlib.sha256("".join(map(_rows_hash, splits)).encode()).hexdigest()


def _rows_hash(split: Split) -> str:
    digest = hashlib.sha256(split.train.astype(np.int64).tobytes())
    digest.update(b"|" + split.validation.astype(np.int64).tobytes())
    if split.labels is not None:
        digest.update(b"|" + split.labels.astype(np.int64).tobytes())
    return digest.hexdigest()
