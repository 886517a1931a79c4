"""What a worker process does: fit units, compare half models on a shard. It imports no orchestrator.

A unit is one fit of one candidate. It is stored by the worker as soon as it is finished, so that a run
that was killed, a candidate added or repeats raised redo only what is not there.
"""

import functools
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.errors import FitFailure
from heldout.fits.scheme_fits import Fits, losses_without_fits
from heldout.fits.specs import How, Spec
from heldout.learners.fit_warnings import FitWarnings
from heldout.learners.fitting import ROWS_AT_ONCE, reason
from heldout.losses import Loss, Losses
from heldout.running.fit_limit import limited
from heldout.running.quiet import quiet
from heldout.running.uncollected import uncollected
from heldout.schemes import SchemeName, label_of_fits
from heldout.shortcuts import Declined
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.half_model_controls import Votes, most_rows
from tasks.params import Candidate, Settings
from tasks.plans import fit_times
from tasks.plans.all_labeled import spec_of
from tasks.plans.read_design import design_of
from tasks.plans.units import HalfPairs, Unit, Versions, hypothesis_key
from tasks.plans.units_of_scheme import is_stored, specs_of
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

log = logging.getLogger("heldout")


def import_learners(settings: Settings) -> None:
    """Import what the fits will need, while the main process waits for a server."""
    settings.use_folder()
    with uncollected():
        for candidate in settings.candidates:
            candidate.learner()


def fit_units(
    settings: Settings, candidate: Candidate, units: Sequence[Unit], versions: Versions, *, measuring: bool = False
) -> str | None:
    """Fit each unit and store it with its warnings; the reason, if the candidate fails.

    `measuring`: note how long a fit takes, which decides how later fits are grouped into tasks. A unit that is stored
    was fitted by a worker that died later in the same task.
    """
    settings.use_folder()
    with quiet():
        return _fit_units(settings, candidate, units, versions, measuring)


measure_units = functools.partial(fit_units, measuring=True)


def _fit_units(
    settings: Settings, candidate: Candidate, units: Sequence[Unit], versions: Versions, measuring: bool
) -> str | None:
    specs = specs_of(settings, candidate, versions)
    first = units[0]
    fits = Fits(specs.fit(first.scheme, first.number), first.scheme, len(units), How(settings.execution.shortcuts))
    for unit in units:
        if is_stored(unit):
            continue
        spec = specs.fit(unit.scheme, unit.number)
        _check_same(spec, unit.key)
        started = time.perf_counter()
        try:
            with limited(settings.execution.fit_timeout):
                hypothesis, result = fits.make(spec)
                if unit.keep:
                    _store(hypothesis_key(unit), hypothesis, read_again=unit.scheme == "holdout")
        except FitFailure as failure:
            return f"{label_of_fits(unit.scheme, [unit.number], len(specs.design.splits(unit.scheme)))}: {failure}"
        fit_cache.store.save(unit.key, result)
        if measuring and len(units) == 1:  # several may share work
            seconds = time.perf_counter() - started
            fit_times.note(candidate, versions.labeled, seconds / len(spec.split.value.train))
    return None


def _check_same(spec: Spec, key: str) -> None:
    """Raise RuntimeError unless the fit is the one that was asked for: nothing is stored under another one's key."""
    if spec.key != key:
        raise RuntimeError("this worker would make another fit than was asked for: its code or its files are others")


def store_exact_losses(
    settings: Settings, candidate: Candidate, name: SchemeName, key: str, versions: Versions
) -> str | None:
    """Store the losses of all splits of a scheme without its fits, or None where the learner has to be fitted.

    Returns the reason of a failure: only a candidate that is updated once fails here, others are fitted then.
    """
    settings.use_folder()
    spec = specs_of(settings, candidate, versions).exact(name)
    _check_same(spec, key)
    made: tuple[Sequence[Losses], FitWarnings] | None = None
    try:
        with quiet(), limited(settings.execution.fit_timeout, len(spec.splits.value.splits)):
            found = losses_without_fits(spec)
            made = found.losses, found.warned[0]
    except FitFailure as failure:
        return f"{name}: {failure}"
    except Declined as reason:
        log.debug("%s: %s is fitted: %s", name, candidate.name, reason)
    fit_cache.store.save(key, made)
    return None


def fit_all_labeled(settings: Settings, candidate: Candidate, key: str) -> str | None:
    """Store a candidate's hypothesis of all labelled rows, and its warnings; the reason, if it fails."""
    settings.use_folder()
    spec = spec_of(settings, candidate)
    _check_same(spec, key)
    try:
        with quiet(), limited(settings.execution.fit_timeout):
            hypothesis, result = Fits(spec, "final", 1, How("off")).make(spec)
            _store(key, (hypothesis, result.warned), read_again=True)
    except FitFailure as failure:
        return str(failure)
    return None


def disagree_on(
    settings: Settings, compared: Sequence[tuple[Sequence[Path], Sequence[HalfPairs]]], loss: Loss
) -> str | None:
    """`disagree` on one batch of shards after the other, without what is stored; the first reason of a failure."""
    for shards, pieces in compared:
        missing = [piece for piece in pieces if not fit_cache.store.has(piece.key)]
        if missing and (reason := disagree(settings, shards, missing, loss)) is not None:
            return reason
    return None


def disagree(settings: Settings, shards: Sequence[Path], pieces: Sequence[HalfPairs], loss: Loss) -> str | None:
    """Store the disagreement of pairs of hypotheses on a batch of shards, by its margins; the reason of a failure.

    The margins are the mean of each pair over each shard's rows, shape (pairs, shards), and the sum of each row
    over the pairs, shape (n,).
    """
    settings.use_folder()
    if len(shards) == 1:  # it may be large
        X = files.read_shard(shards[0])
        sizes = [len(X)]
    else:
        together, sizes = _read_together(tuple((shard.absolute(), shard.stat().st_mtime_ns) for shard in shards))
        X = together.copy()  # a learner may change it
    for piece in pieces:
        hypotheses: list[Any] = []
        try:
            with quiet(), limited(settings.execution.fit_timeout, _answered(piece, len(X))):
                hypotheses += _stored_hypotheses(piece)
                margins = disagreements(hypotheses, X, loss, sizes)
        except FitFailure as failure:
            at_fault = _shard_at_fault(hypotheses, shards, loss) if hypotheses else None
            return at_fault or str(failure)
        fit_cache.store.save(piece.key, margins)
    return None


@functools.lru_cache(maxsize=1)
def _read_together(shards: tuple[tuple[Path, int], ...]) -> tuple[pd.DataFrame, list[int]]:
    """The rows of a batch of small shards, each with its time, and their numbers: read once for all candidates."""
    tables = [files.read_shard(shard) for shard, _ in shards]
    return pd.concat(tables, ignore_index=True), [len(table) for table in tables]


def vote(settings: Settings, shards: Sequence[Path], pieces: Sequence[HalfPairs], versions: Versions) -> str | None:
    """Store the votes of blocks of half models on the labelled rows, and on the first rows of `shards`, for controls.

    The reason of a failure, if one does not answer.
    """
    settings.use_folder()
    design = design_of(settings, versions.labeled, versions.partitions)
    classes = np.unique(design.y)
    labeled = files.open_features(files.LABELED, versions.labeled).iloc[:]
    unlabeled = pd.concat([files.read_shard(shard) for shard in shards], ignore_index=True)
    # asked together: unlabelled row u comes after a multiple of N rows, and so has the models of labelled row u mod N
    X = pd.concat([labeled.astype(unlabeled.dtypes), unlabeled.iloc[: most_rows(len(labeled))]], ignore_index=True)
    del labeled, unlabeled
    for piece in pieces:
        half = design.halves[piece.first : piece.first + len(piece.halves) // 2]
        try:
            with quiet(), limited(settings.execution.fit_timeout, _answered(piece, len(X))):
                hypotheses = _stored_hypotheses(piece)
                votes = Votes.of(hypotheses, X, half, classes).split(len(design.y))
        except FitFailure as failure:
            return str(failure)
        fit_cache.store.save(piece.key, votes)
    return None


def _answered(piece: HalfPairs, rows: int) -> int:
    """How many fits the answers of the half models of `piece` may take as long as: one for each part of the rows."""
    return len(piece.halves) * max(1, -(-rows // ROWS_AT_ONCE))


def _store(key: str, hypothesis: Any, *, read_again: bool) -> None:
    """Store a hypothesis. Raises FitFailure if it cannot be pickled or, if asked, cannot be read again."""
    with _pickled():
        fit_cache.store.save(key, hypothesis)
        if read_again:
            fit_cache.store.load(key)


def _stored_hypotheses(piece: HalfPairs) -> list[Any]:
    """The half models of `piece`. Raises FitFailure if one cannot be read again."""
    with _pickled():
        return [fit_cache.store.load(hypothesis_key(name)) for name in piece.halves]


@contextmanager
def _pickled() -> Iterator[None]:
    """Raise FitFailure for what a learner raises while it is written or read; errors of the disk are not its fault."""
    try:
        yield
    except (OSError, UserError):
        raise
    except (Exception, SystemExit) as error:
        raise FitFailure(f"the fitted learner cannot be stored and read again: {reason(error)}") from error


def _shard_at_fault(hypotheses: Sequence[Any], shards: Sequence[Path], loss: Loss) -> str | None:
    """The first of a batch's shards that cannot be answered by itself, and why; None if each can."""
    for shard in shards:
        X = files.read_shard(shard)
        try:
            with quiet():
                disagreements(hypotheses, X, loss)
        except FitFailure as failure:
            return f"{shard.name}: {failure}"
    return None
