"""Fits as units of work: which rows, under which key, grouped into tasks, and what a worker does.

A unit is one fit of one candidate. It is stored by the worker as soon as it is finished, so that a
run that was killed, a candidate added or repeats raised redo only what is not there.
"""

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn

from heldout import covalidation, cross_validation, holdout, progressive, seeds
from heldout.errors import FitFailure
from heldout.fitting import fit_and_test, test
from heldout.losses import Losses, natural_loss
from heldout.records import Split
from tasks import cache, files, learners
from tasks.errors import UserError
from tasks.execution import executor, run_all
from tasks.params import Candidate, Settings

# part of every key: raise it when the same inputs would give another result
_VERSION = ("fit", 1, sklearn.__version__)
_FITS_A_TASK = 10
REPEATS_A_TASK = 10
# part of every seed: append, never reorder
_SCHEMES = ("holdout", "final", "cross_validation", "progressive", "covalidation")


@dataclass(frozen=True)
class Scheme:
    """A list of splits: how many, the split of each number, and how a person calls a few of them."""

    name: str
    count: int
    split: Callable[[int], Split]
    label: Callable[[Sequence[int]], str]
    fits_a_task: int = 1
    keep: bool = False  # the hypothesis is needed later
    training: bool = False  # and its losses on the rows that it was trained on


@dataclass(frozen=True)
class Unit:
    """One fit."""

    scheme: str
    number: int
    key: str
    random_state: int


@dataclass(frozen=True)
class Finished:
    """The units of one candidate in one scheme, by number."""

    keys: tuple[str, ...]
    losses: tuple[Losses, ...]
    training_errors: tuple[float | None, ...]


def holdout_scheme() -> Scheme:
    """g-, tested on the rows held out."""
    validation = files.read_partition().validation
    return Scheme("holdout", 1, lambda _: holdout.split(validation), lambda _: "hold-out")


def final_scheme() -> Scheme:
    """g, trained on all labelled rows."""
    n = len(files.read_partition().validation)
    return Scheme("final", 1, lambda _: holdout.final_split(n), lambda _: "all rows", keep=True)


def cross_validation_scheme() -> Scheme:
    """One fit a fold."""
    splits = cross_validation.splits(files.read_partition().fold)
    group = max(1, len(splits) // 100)
    return Scheme(
        "cross_validation", len(splits), splits.__getitem__, lambda folds: _span("fold", folds, len(splits)), group
    )


def progressive_scheme(block: int) -> Scheme:
    """One fit a block of steps."""
    splits = progressive.splits(files.read_partition().step, block)
    return Scheme(
        "progressive",
        len(splits),
        splits.__getitem__,
        lambda blocks: _span("block", blocks, len(splits)),
        _FITS_A_TASK,
    )


def covalidation_scheme() -> Scheme:
    """Two fits a repeat, one on each half: number 2 r + half."""
    halves = files.read_halves()
    return Scheme(
        "covalidation",
        2 * len(halves),
        lambda number: covalidation.splits(halves[number // 2])[number % 2],
        lambda numbers: _span("repeat", [number // 2 for number in numbers], len(halves)),
        2 * REPEATS_A_TASK,
        keep=True,
        training=True,
    )


def fit_all(settings: Settings, schemes: Sequence[Scheme]) -> tuple[dict[str, dict[str, Finished]], dict[str, str]]:
    """Every fit of `schemes` for every candidate, in one fan-out.

    Returns the finished units by scheme and candidate, and the reason of each candidate that failed.
    Raises UserError if all failed.
    """
    versions = Versions.current()
    plans = {
        (scheme.name, candidate.name): units
        for scheme in schemes
        for candidate, units in _plan(settings, scheme, versions)
    }
    todo: list[tuple[str, tuple[Any, ...]]] = []
    reused = 0
    for scheme in schemes:
        for candidate in settings.candidates:
            units = plans[scheme.name, candidate.name]
            for first in range(0, scheme.count, scheme.fits_a_task):
                missing = [unit for unit in units[first : first + scheme.fits_a_task] if not cache.has(unit.key)]
                if missing:
                    name = f"{scheme.label([unit.number for unit in missing])} · {candidate.name}"
                    todo.append((name, (settings, candidate, missing, versions)))
                else:
                    reused += 1
    reasons = run_all(settings, " and ".join(scheme.name for scheme in schemes), fit_units, todo, reused)
    failures = first_reasons([arguments[1].name for _, arguments in todo], reasons)
    check_not_all_failed(settings, failures)
    finished = {
        scheme.name: {
            candidate.name: _gather(plans[scheme.name, candidate.name])
            for candidate in settings.candidates
            if candidate.name not in failures
        }
        for scheme in schemes
    }
    return finished, failures


def final_hypothesis(settings: Settings, candidate: Candidate) -> Any:
    """g of one candidate: as `holdout` left it, or fitted anew where the cache was removed."""
    alone = settings.model_copy(update={"candidates": [candidate]})
    finished, _ = fit_all(alone, [final_scheme()])
    return cache.load(hypothesis_key(finished["final"][candidate.name].keys[0]))


@dataclass(frozen=True)
class Versions:
    """The hashes of the files that a worker opens."""

    labeled: str
    partitions: str

    @classmethod
    def current(cls) -> "Versions":
        return cls(files.file_hash(files.LABELED), files.file_hash(files.PARTITION) + files.file_hash(files.HALVES))


def hypothesis_key(unit: Unit | str) -> str:
    """Where the hypothesis of a unit lies."""
    return f"{unit if isinstance(unit, str) else unit.key}.hypothesis"


def first_reasons(candidates: Sequence[str], reasons: Sequence[str | None]) -> dict[str, str]:
    """The first reason of each candidate that failed."""
    failures: dict[str, str] = {}
    for candidate, reason in zip(candidates, reasons, strict=True):
        if reason is not None:
            failures.setdefault(candidate, reason)
    return failures


def check_not_all_failed(settings: Settings, failures: Mapping[str, str]) -> None:
    """Raise UserError if no candidate is left."""
    if len(failures) == len(settings.candidates):
        reasons = "\n".join(f"candidates: {name} failed: {reason}" for name, reason in failures.items())
        raise UserError(f"{reasons}\ncandidates: all failed, so there is nothing to select; mend at least one")


def _plan(settings: Settings, scheme: Scheme, versions: Versions) -> Iterator[tuple[Candidate, list[Unit]]]:
    """The units of each candidate."""
    rows = [_rows_hash(scheme.split(number)) for number in range(scheme.count)]
    for candidate in settings.candidates:
        open_state = learners.has_open_random_state(candidate.learner())
        units = []
        for number in range(scheme.count):
            # a seed that the learner does not use is no part of its key
            state = seeds.random_state(settings.seed, "fit", _SCHEMES.index(scheme.name), number) if open_state else 0
            key = cache.key(_VERSION, versions.labeled, candidate.identity(), rows[number], state, scheme.keep)
            units.append(Unit(scheme.name, number, key, state))
        yield candidate, units


def warm_up(settings: Settings) -> None:
    """Start the workers and have them import what they will need, while others wait for a server."""
    pool = executor(settings.execution)
    for _ in range(settings.execution.workers):
        pool.submit(_import_learners, settings)


def _import_learners(settings: Settings) -> None:
    settings.use_folder()
    for candidate in settings.candidates:
        candidate.learner()


def fit_units(settings: Settings, candidate: Candidate, units: Sequence[Unit], versions: Versions) -> str | None:
    """In a worker: fit each unit and store it; the reason, if the candidate fails."""
    settings.use_folder()
    X, y = files.read_table(files.LABELED, versions.labeled)
    loss = natural_loss(y)
    for unit in units:
        scheme = _scheme(unit.scheme, settings.progressive.block, versions)
        split = scheme.split(unit.number)
        learner = learners.seeded(candidate.learner(), unit.random_state)
        try:
            fitted = fit_and_test(learner, X, y, split, loss)
            training = float(np.mean(test(fitted.hypothesis, X, y, split.train, loss))) if scheme.training else None
        except FitFailure as failure:
            return f"{scheme.label([unit.number])}: {failure}"
        if scheme.keep:
            cache.save(hypothesis_key(unit), fitted.hypothesis)
        cache.save(unit.key, (fitted.losses, training))
    return None


@functools.lru_cache(maxsize=8)
def _scheme(name: str, block: int, _versions: Versions) -> Scheme:
    """The scheme of a name, read once for each process and version of the partitions."""
    return {
        "holdout": holdout_scheme,
        "final": final_scheme,
        "cross_validation": cross_validation_scheme,
        "progressive": lambda: progressive_scheme(block),
        "covalidation": covalidation_scheme,
    }[name]()


def _gather(units: Sequence[Unit]) -> Finished:
    values = [cache.load(unit.key) for unit in units]
    return Finished(
        tuple(unit.key for unit in units), tuple(losses for losses, _ in values), tuple(error for _, error in values)
    )


def _rows_hash(split: Split) -> str:
    digest = hashlib.sha256(split.train.astype(np.int64).tobytes())
    digest.update(b"|" + split.validation.astype(np.int64).tobytes())
    return digest.hexdigest()


def _span(kind: str, numbers: Sequence[int], count: int) -> str:
    """What a person reads: fold 3/10, repeats 1-10/30."""
    first, last = min(numbers) + 1, max(numbers) + 1
    return f"{kind} {first}/{count}" if first == last else f"{kind}s {first}-{last}/{count}"
