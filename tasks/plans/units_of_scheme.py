"""The fits of a scheme as units: which there are, under which keys they are stored, and what lies there."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout import seeds
from heldout.cross_validation import FoldSplits
from heldout.learners import open_random_states
from heldout.records import Split
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import FitPlan
from tasks.plans.read_design import read_design
from tasks.plans.units import Finished, Unit, Versions
from tasks.storage import fit_cache


def exact_keys(settings: Settings, own: FitPlan, versions: Versions) -> dict[str, str]:
    """Where the losses of each candidate lie whose fits may be spared: those of a whole scheme together."""
    spared = [candidate for candidate in settings.candidates if own.may_skip_fits(settings, candidate)]
    if not spared:
        return {}
    parts = (versions.labeled, _all_rows_hash(own.splits), *_judged(settings))
    return {
        candidate.name: fit_cache.key("scheme", candidate.identity(), first_state(settings, own, candidate), *parts)
        for candidate in spared
    }


def fitted(settings: Settings, keys: Mapping[str, str]) -> Settings:
    """The settings with those candidates alone that are to be fitted: not spared, or declined as is known.

    `keys` are the `spared_keys` of a scheme.
    """
    left = [one for one in settings.candidates if one.name not in keys or _declined(keys[one.name])]
    return settings.model_copy(update={"candidates": left})


def _declined(key: str) -> bool:
    return fit_cache.has(key) and fit_cache.load(key) is None


def plan(settings: Settings, own: FitPlan, versions: Versions) -> Iterator[tuple[Candidate, list[Unit]]]:
    """The units of each candidate, if it is fitted."""
    judged = _judged(settings)
    rows = [_rows_hash(split) for split in own.splits] if settings.candidates else []
    for candidate in settings.candidates:
        identity, open_states = candidate.identity(), bool(open_random_states(candidate.learner()))
        units = []
        for number, rows_hash in enumerate(rows):
            # a seed that the learner does not use is no part of its key
            state = seeds.fit_state(settings.seed, own.name, number) if open_states else 0
            key = fit_cache.key("fit", versions.labeled, identity, rows_hash, state, own.keep, *judged)
            units.append(Unit(own.name, number, key, state))
        yield candidate, units


def first_state(settings: Settings, own: FitPlan, candidate: Candidate) -> int:
    """The seed of a scheme that is no separate fits: that of its first one, or 0 if the learner uses none."""
    return seeds.fit_state(settings.seed, own.name, 0) if open_random_states(candidate.learner()) else 0


def _judged(settings: Settings) -> tuple[object, ...]:
    """What losses depend on beside rows and learners: what is stored are losses."""
    weights = read_design(settings).weights
    judged: tuple[object, ...] = () if settings.loss is None else (settings.loss,)
    return judged if weights is None else (*judged, "weights", hashlib.sha256(weights.values.tobytes()).hexdigest())


def gather_exact(key: str, fits: int) -> Finished:
    """What a scheme without fits left."""
    return Finished((), _StoredTogether(key, fits), (None,) * fits, (fit_cache.load(key)[1],) * fits)


@dataclass(frozen=True, eq=False)
class _StoredTogether(Sequence[Any]):
    """The losses of a scheme without fits, one array a split, read when they are asked for."""

    key: str
    fits: int

    def __iter__(self) -> Iterator[Any]:
        return iter(fit_cache.load(self.key)[0])

    def __getitem__(self, number: Any) -> Any:
        return fit_cache.load(self.key)[0][number]

    def __len__(self) -> int:
        return self.fits


def gather(units: Sequence[Unit]) -> Finished:
    """What the fits of a scheme left."""
    keys = tuple(unit.key for unit in units)
    return Finished(keys, _Stored(keys, 0), _Stored(keys, 1), tuple(fit_cache.load(key)[2] for key in keys))


@dataclass(frozen=True, eq=False)
class _Stored(Sequence[Any]):
    """One part of what each unit left, read when it is asked for: the losses of all are never in memory together."""

    keys: tuple[str, ...]
    part: int

    def __getitem__(self, number: Any) -> Any:
        return fit_cache.load(self.keys[number])[self.part]

    def __len__(self) -> int:
        return len(self.keys)


def _all_rows_hash(splits: Sequence[Split]) -> str:
    if isinstance(splits, FoldSplits):
        return hashlib.sha256(splits.fold.astype(np.int64).tobytes()).hexdigest()
    return hashlib.sha256("".join(map(_rows_hash, splits)).encode()).hexdigest()


def _rows_hash(split: Split) -> str:
    digest = hashlib.sha256(split.train.astype(np.int64).tobytes())
    digest.update(b"|" + split.validation.astype(np.int64).tobytes())
    return digest.hexdigest()
