"""What a worker process does: fit units, compare half models on a shard. It imports no orchestrator.

A unit is one fit of one candidate. It is stored by the worker as soon as it is finished, so that a run
that was killed, a candidate added or repeats raised redo only what is not there.
"""

import contextlib
import logging
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout import updated
from heldout.covalidation import disagreements
from heldout.design import Design
from heldout.errors import FitFailure
from heldout.fit_warnings import FitWarnings
from heldout.fitting import Fitted, fit_and_test, test
from heldout.losses import Loss, Losses
from heldout.records import Split
from heldout.schemes import SchemeName
from heldout.shortcuts import Declined
from heldout.shortcuts.scheme_losses import accelerated, fit_and_test_accelerated, held_out
from heldout.shortcuts.support_vectors import SupportVectors
from tasks.fits.quiet import quiet
from tasks.params import Candidate, Settings
from tasks.plans import fit_times
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import design_of
from tasks.plans.units import Compared, Unit, Versions, hypothesis_key
from tasks.storage import files, fit_cache

log = logging.getLogger("heldout")


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
        return _fit_units(settings, candidate, learner, units, versions)


def _fit_units(
    settings: Settings, candidate: Candidate, learner: Any, units: Sequence[Unit], versions: Versions
) -> str | None:
    X = files.open_features(files.LABELED, versions.labeled)
    design = design_of(settings, versions.labeled, versions.partitions)
    fits = _Fits(settings, learner, X, design, len(units))
    for unit in units:
        own = scheme(design, unit.scheme, settings.deliver)
        split = own.splits[unit.number]
        started = time.perf_counter()
        try:
            fitted, training = fits.make(split, unit.random_state, training=own.training)
        except FitFailure as failure:
            return f"{own.label([unit.number])}: {failure}"
        if own.keep:
            fit_cache.save(hypothesis_key(unit), fitted.hypothesis)
        fit_cache.save(unit.key, (fitted.losses, training, fitted.warned))
        if unit.scheme in ("holdout", "final"):
            fit_times.note(candidate, versions.labeled, (time.perf_counter() - started) / len(split.train))
    return None


class _Fits:
    """The fits of one learner in one task: sooner, as long as that gives the same ones and pays."""

    def __init__(self, settings: Settings, learner: Any, X: Any, design: Design, fits: int) -> None:
        self._learner, self._X, self._design = learner, X, design
        self._made: SupportVectors | None = None
        if settings.execution.shortcuts == "auto":
            try:
                self._made = accelerated(learner, X, design, fits)
            except Declined as reason:
                self._by_themselves(reason)

    def make(self, split: Split, state: int, *, training: bool) -> tuple[Fitted, Losses | None]:
        """One fit, tested, with its training losses if wanted. Raises FitFailure."""
        X, design = self._X, self._design
        if self._made is not None:
            try:
                found = fit_and_test_accelerated(self._made, design, split, state, training=training)
            except Declined as reason:
                self._by_themselves(reason)
            else:
                self._made = self._made if self._made.pays(found[0].hypothesis) else None
                return found
        fitted = fit_and_test(self._learner, X, design.y, split, design.loss, state, design.weights)
        tested = test(fitted.hypothesis, X, design.y, split.train, design.loss, design.weights) if training else None
        return fitted, tested

    def _by_themselves(self, reason: Declined) -> None:
        self._made = None
        log.debug("fits by themselves: %s %s", type(self._learner).__name__, reason)


def store_exact_losses(
    settings: Settings, candidate: Candidate, name: SchemeName, key: str, state: int, versions: Versions
) -> str | None:
    """Store the losses of all splits of a scheme by a shortcut; None where the learner has to be fitted.

    A candidate that is updated once is never refitted: the reason, if it fails.
    """
    settings.use_folder()
    X = files.open_features(files.LABELED, versions.labeled)
    design = design_of(settings, versions.labeled, versions.partitions)
    learner = candidate.learner()
    made: tuple[list[Losses], FitWarnings] | None
    try:
        with quiet():
            made = (
                (held_out(learner, X, design, name), ())
                if candidate.update is None
                else updated.held_out(learner, X, design, name, state)
            )
    except (Declined, FitFailure) as reason:
        if candidate.update is not None:
            return f"{name}: {reason}"
        log.debug("%s: %s is fitted: %s", name, candidate.name, reason)  # a fit will say which one fails
        made = None
    fit_cache.save(key, made)
    return None


def measure(settings: Settings, candidate: Candidate, versions: Versions) -> tuple[float, float]:
    """The seconds of one fit and test for each row trained on, by the hold-out, and the most bytes held so far."""
    settings.use_folder()
    X = files.open_features(files.LABELED, versions.labeled)
    design = design_of(settings, versions.labeled, versions.partitions)
    (split,) = design.splits("holdout")
    fits, started = _Fits(settings, candidate.learner(), X, design, 1), time.perf_counter()
    with quiet(), contextlib.suppress(FitFailure):  # a run will say so
        fits.make(split, 0, training=False)
    seconds = time.perf_counter() - started
    return seconds / len(split.train), 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def disagree(settings: Settings, shards: Sequence[Path], pieces: Sequence[Compared], loss: Loss) -> str | None:
    """Store the disagreement of pairs of hypotheses on a batch of shards, by its margins; the reason of a failure.

    The margins are the mean of each pair over each shard's rows, shape (pairs, shards), and the sum of each row
    over the pairs, shape (n,).
    """
    settings.use_folder()
    tables = [files.read_shard(shard) for shard in shards]
    X, sizes = tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True), [len(one) for one in tables]
    del tables
    for piece in pieces:
        hypotheses = [fit_cache.load(hypothesis_key(name)) for name in piece.halves]
        try:
            fit_cache.save(piece.key, _margins(hypotheses, X, loss, sizes))
        except FitFailure as failure:
            return _shard_at_fault(hypotheses, shards, loss) or str(failure)
    return None


def _margins(hypotheses: Sequence[Any], X: pd.DataFrame, loss: Loss, sizes: Sequence[int]) -> tuple[Losses, Losses]:
    """The margins of `disagreements`. Raises FitFailure for one that is not finite, too."""
    with quiet():
        means, sums = disagreements(hypotheses, X, loss, sizes)
    if not np.isfinite(means).all():
        raise FitFailure("a disagreement is too large for a number")
    return means, sums


def _shard_at_fault(hypotheses: Sequence[Any], shards: Sequence[Path], loss: Loss) -> str | None:
    """The first of a batch's shards that cannot be answered by itself, and why; None if each can."""
    for shard in shards:
        X = files.read_shard(shard)
        try:
            _margins(hypotheses, X, loss, [len(X)])
        except FitFailure as failure:
            return f"{shard.name}: {failure}"
    return None
