"""What a worker process does: fit units, compare half models on a shard. It imports no orchestrator.

A unit is one fit of one candidate. It is stored by the worker as soon as it is finished, so that a run
that was killed, a candidate added or repeats raised redo only what is not there.
"""

import contextlib
import logging
import os
import resource
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout import updated
from heldout.covalidation import pointwise_disagreement
from heldout.errors import FitFailure
from heldout.fitting import answers, fit_and_test, test
from heldout.losses import Loss, Losses
from heldout.seeds import SchemeName
from heldout.shortcuts import Declined
from heldout.shortcuts.held_out import held_out
from heldout.warned import Warned
from tasks import cache, files
from tasks.designs import design_of, partitions_hash
from tasks.params import Candidate, Settings
from tasks.quiet import quiet
from tasks.schemes import scheme

log = logging.getLogger("heldout")


@dataclass(frozen=True)
class Unit:
    """One fit: the number of its split in a scheme, where it is stored, and the learner's open random state."""

    scheme: SchemeName
    number: int
    key: str
    random_state: int


@dataclass(frozen=True)
class Finished:
    """The units of one candidate in one scheme, by number."""

    keys: tuple[str, ...]
    losses: Sequence[Losses]
    training: Sequence[Losses | None]
    warned: tuple[Warned, ...] = ()


@dataclass(frozen=True)
class Versions:
    """The hashes of the files that a worker opens."""

    labeled: str
    partitions: str

    @classmethod
    def current(cls) -> "Versions":
        return cls(files.file_hash(files.LABELED), partitions_hash())


def hypothesis_key(unit: Unit | str) -> str:
    """Where the hypothesis of a unit lies."""
    return f"{unit if isinstance(unit, str) else unit.key}.hypothesis"


def start() -> None:
    """One thread: the cores are taken, and sums come out the same whatever the number of workers."""
    from threadpoolctl import threadpool_limits

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # for the libraries that are loaded later: scikit-learn's OpenMP, SciPy's BLAS
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process tells of an interruption
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def import_learners(settings: Settings) -> None:
    """Import what the fits will need, while the main process waits for a server."""
    settings.use_folder()
    for candidate in settings.candidates:
        candidate.learner()


def fit_units(settings: Settings, candidate: Candidate, units: Sequence[Unit], versions: Versions) -> str | None:
    """Fit each unit and store it with its warnings; the reason, if the candidate fails."""
    settings.use_folder()
    learner = candidate.learner()
    with quiet():
        return _fit_units(settings, learner, units, versions)


def _fit_units(settings: Settings, learner: Any, units: Sequence[Unit], versions: Versions) -> str | None:
    X = files.open_features(files.LABELED, versions.labeled)
    design = design_of(settings, versions.labeled, versions.partitions)
    y = design.y
    for unit in units:
        own = scheme(design, unit.scheme, settings.deliver)
        split = own.splits[unit.number]
        try:
            fitted = fit_and_test(learner, X, y, split, design.loss, unit.random_state, design.weights)
            hypothesis, weights = fitted.hypothesis, design.weights
            training = test(hypothesis, X, y, split.train, design.loss, weights) if own.training else None
        except FitFailure as failure:
            return f"{own.label([unit.number])}: {failure}"
        if own.keep:
            cache.save(hypothesis_key(unit), fitted.hypothesis)
        cache.save(unit.key, (fitted.losses, training, fitted.warned))
    return None


def spare_fits(settings: Settings, candidate: Candidate, units: Sequence[Unit], versions: Versions) -> str | None:
    """Store all units of a scheme by a shortcut, or nothing where the learner has to be fitted.

    A candidate that is updated once is never refitted: the reason, if it fails.
    """
    settings.use_folder()
    X = files.open_features(files.LABELED, versions.labeled)
    design = design_of(settings, versions.labeled, versions.partitions)
    learner, name = candidate.learner(), units[0].scheme
    warned: Warned = ()
    try:
        if candidate.update is None:
            losses = held_out(learner, X, design, name)
        else:
            with quiet():
                losses, warned = updated.held_out(learner, X, design, name, units[0].random_state)
    except (Declined, FitFailure) as reason:
        if candidate.update is not None:
            return f"{name}: {reason}"
        log.debug("%s: %s is fitted: %s", name, candidate.name, reason)  # a fit will say which one fails
        return None
    for unit, part in zip(units, losses, strict=True):
        cache.save(unit.key, (part, None, warned))
    return None


def measure(settings: Settings, candidate: Candidate, versions: Versions) -> tuple[float, float]:
    """The seconds of one fit and test for each row trained on, by the hold-out, and the most bytes held so far."""
    settings.use_folder()
    X = files.open_features(files.LABELED, versions.labeled)
    design = design_of(settings, versions.labeled, versions.partitions)
    (split,) = design.splits("holdout")
    learner, started = candidate.learner(), time.perf_counter()
    with quiet(), contextlib.suppress(FitFailure):  # a run will say so
        fit_and_test(learner, X, design.y, split, design.loss, 0, design.weights)
    seconds = time.perf_counter() - started
    return seconds / len(split.train), 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def disagree(settings: Settings, candidate: str, keys: Sequence[str], shard: Path, key: str, loss: Loss) -> str | None:
    """Store the disagreement of pairs of hypotheses on one shard, by its margins; the reason of a failure.

    The margins are the mean of each pair over the shard's rows, and the sum of each row over the pairs.
    """
    settings.use_folder()
    X = files.read_shard(shard)
    hypotheses = [cache.load(hypothesis_key(name)) for name in keys]
    try:
        with quiet():
            given = [answers(hypothesis, X, loss) for hypothesis in hypotheses]
    except FitFailure as failure:
        return f"{shard.name}: {failure}"
    means, sums = [], np.zeros(len(X))
    for first, second in zip(given[::2], given[1::2], strict=True):
        apart = pointwise_disagreement(first, second, loss)
        means.append(apart.mean())
        sums += apart
    if not np.isfinite(means).all():
        return f"{shard.name}: a prediction of {candidate} is not finite"
    cache.save(key, (np.array(means), sums))
    return None


def _end_with(parent: int) -> None:
    """An idle worker would outlive a main process that was killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
