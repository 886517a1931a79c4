"""Fits as units of work: which rows, under which key, grouped into tasks, and what a worker does.

A unit is one fit of one candidate. It is stored by the worker as soon as it is finished, so that a
run that was killed, a candidate added or repeats raised redo only what is not there.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.base import is_classifier, is_regressor

from heldout import seeds
from heldout.errors import FitFailure
from heldout.fitting import fit_and_test, test
from heldout.losses import ZERO_ONE, Losses, natural_loss
from heldout.records import Split
from tasks import cache, files, learners
from tasks.errors import UserError
from tasks.execution import executor, run_all
from tasks.params import Candidate, Settings
from tasks.schemes import Scheme, final_scheme, scheme_named

# part of every key: raise it when the same inputs would give another result
_VERSION = ("fit", 1, sklearn.__version__)
# part of every seed: append, never reorder
_SCHEMES = ("holdout", "final", "cross_validation", "progressive", "covalidation")


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


def fit_all(settings: Settings, schemes: Sequence[Scheme]) -> tuple[dict[str, dict[str, Finished]], dict[str, str]]:
    """Every fit of `schemes` for every candidate, in one fan-out.

    Returns the finished units by scheme and candidate, and the reason of each candidate that failed.
    Raises UserError before any fit for what cannot be right, and after the fits if all failed.
    """
    check_before_fits(settings)
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


def check_before_fits(settings: Settings) -> None:
    """Raise UserError for a candidate of the wrong kind, or a criterion that cannot be computed."""
    _, y = files.read_table(files.LABELED)
    classes = natural_loss(y) is ZERO_ONE
    for place, candidate in enumerate(settings.candidates):
        learner = candidate.learner()
        if (is_regressor(learner) and classes) or (is_classifier(learner) and not classes):
            kinds = ("classes", "classifiers", "regressor") if classes else ("numbers", "regressors", "classifier")
            raise UserError(
                f"candidates[{place}]: the target holds {kinds[0]}, which need {kinds[1]}, "
                f"but {candidate.name} ({candidate.estimator}) is a {kinds[2]}"
            )
    if "E_maxdt" in settings.criterion and not files.shards():
        raise UserError(
            f"selection.criterion is {settings.criterion}, which needs unlabelled rows, but there is no shard; set "
            "data.labeled_rows or data.unlabeled, or take another criterion"
        )


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
        scheme = scheme_named(unit.scheme, settings.progressive.block, versions.partitions)
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


def _gather(units: Sequence[Unit]) -> Finished:
    values = [cache.load(unit.key) for unit in units]
    return Finished(
        tuple(unit.key for unit in units), tuple(losses for losses, _ in values), tuple(error for _, error in values)
    )


def _rows_hash(split: Split) -> str:
    digest = hashlib.sha256(split.train.astype(np.int64).tobytes())
    digest.update(b"|" + split.validation.astype(np.int64).tobytes())
    return digest.hexdigest()
