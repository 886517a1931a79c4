"""What a worker process does: it opens the files of a run, and makes what is asked for (`heldout.running.make`).

It imports no orchestrator.
"""

import functools
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.errors import FitFailure
from heldout.fits.fit_cost import FitCost, prediction_microseconds
from heldout.fits.scheme_fits import Fits
from heldout.fits.specs import CompareSpec, FitSpec, How, VoteSpec, hypothesis_key
from heldout.learners.fitting import recorded
from heldout.losses import Loss
from heldout.running import make
from heldout.running.isolation import time_limit
from heldout.running.quiet import quiet
from heldout.running.uncollected import uncollected
from heldout.schemes import SchemeName
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.half_model_controls import most_rows
from tasks.params import Candidate, Settings
from tasks.plans import fit_costs
from tasks.plans.all_labeled import spec_of
from tasks.plans.read_design import design_of
from tasks.plans.units import HalfPairs, Unit, Versions
from tasks.plans.units_of_scheme import specs_of
from tasks.storage import files, fit_cache
from tasks.storage.fit_cache import store


def import_learners(settings: Settings) -> None:
    """Import what the fits will need, while the main process waits for a server."""
    settings.use_folder()
    with uncollected():
        for candidate in settings.candidates:
            candidate.learner()


def fit_units(
    settings: Settings, candidate: Candidate, units: Sequence[Unit], versions: Versions, *, measuring: bool = False
) -> str | None:
    """Fit each unit of a scheme and store it; the reason, if the candidate fails.

    `measuring`: note how long a fit takes, which decides how later fits are grouped into tasks.
    """
    settings.use_folder()
    specs, first = specs_of(settings, candidate, versions), units[0]
    for unit in units:
        _check_same(specs.address(unit.scheme, unit.number), unit.key)

    def noted(spec: FitSpec, seconds: float, hypothesis: Any) -> None:
        size = fit_cache.store.path(hypothesis_key(first.key)).stat().st_size if first.keep else None
        a_row = seconds / len(spec.split.value.train)
        fit_costs.note(candidate, versions.labeled, FitCost(a_row, _prediction_time(spec, hypothesis, how), size))

    numbers, how = [unit.number for unit in units], _how(settings, keep=first.keep)
    timed = noted if measuring and len(units) == 1 else None  # several may share work
    with quiet():
        return make.make_fits(specs, first.scheme, numbers, store, how, timed)


measure_units = functools.partial(fit_units, measuring=True)


def store_exact_losses(
    settings: Settings, candidate: Candidate, name: SchemeName, key: str, versions: Versions
) -> str | None:
    """Store the losses of all splits of a scheme without its fits, or None where the learner has to be fitted.

    Returns the reason of a failure: only a candidate that is updated once fails here, others are fitted then.
    """
    settings.use_folder()
    specs = specs_of(settings, candidate, versions)
    _check_same(specs.exact_address(name), key)
    with quiet():
        return make.make_exact(specs, name, store, _how(settings))


def fit_all_labeled(settings: Settings, candidate: Candidate, key: str) -> str | None:
    """Store a candidate's hypothesis of all labelled rows, and its warnings; the reason, if it fails."""
    settings.use_folder()
    spec, how = spec_of(settings, candidate), _how(settings, keep=True)
    _check_same(str(spec.key), key)
    try:
        with quiet():
            make.make_fit(Fits(spec, "final", 1, how), spec, key, store, how, read_again=True)
    except FitFailure as failure:
        return str(failure)
    return None


def disagree_on(
    settings: Settings, compared: Sequence[tuple[Sequence[Path], Sequence[HalfPairs[CompareSpec]]]], loss: Loss
) -> str | None:
    """`disagree` on one batch of shards after the other, without what is stored; the first reason of a failure."""
    for shards, pieces in compared:
        missing = [piece for piece in pieces if not store.has(piece.key)]
        if missing and (reason := disagree(settings, shards, missing, loss)) is not None:
            return reason
    return None


def disagree(
    settings: Settings, shards: Sequence[Path], pieces: Sequence[HalfPairs[CompareSpec]], loss: Loss
) -> str | None:
    """Store the disagreement of pairs of hypotheses on a batch of shards, by its margins; the reason of a failure."""
    settings.use_folder()
    if len(shards) == 1:  # it may be large
        X = files.read_shard(shards[0])
        sizes = [len(X)]
    else:
        together, sizes = _read_together(tuple((shard.absolute(), shard.stat().st_mtime_ns) for shard in shards))
        X = together.copy()  # a learner may change it
    for piece in pieces:
        try:
            with quiet():
                make.compare(piece.spec, X, loss, sizes, store, _how(settings))
        except FitFailure as failure:
            return _shard_at_fault(piece, shards, loss) or str(failure)
    return None


@functools.lru_cache(maxsize=1)
def _read_together(shards: tuple[tuple[Path, int], ...]) -> tuple[pd.DataFrame, list[int]]:
    """The rows of a batch of small shards, each with its time, and their numbers: read once for all candidates."""
    tables = [files.read_shard(shard) for shard, _ in shards]
    return pd.concat(tables, ignore_index=True), [len(table) for table in tables]


def vote(
    settings: Settings, shards: Sequence[Path], pieces: Sequence[HalfPairs[VoteSpec]], versions: Versions
) -> str | None:
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
        half = design.halves[piece.first : piece.first + len(piece.spec.halves) // 2]
        try:
            with quiet():
                make.vote(piece.spec, X, len(design.y), half, classes, store, _how(settings))
        except FitFailure as failure:
            return str(failure)
    return None


def _prediction_time(spec: FitSpec, hypothesis: Any, how: How) -> float | None:
    """The microseconds of a prediction; None where it fails, which a scheme reports."""
    with suppress(FitFailure), time_limit(how.fit_timeout), recorded():
        return prediction_microseconds(hypothesis, spec.rows.value.X, spec.loss.value)
    return None


def _how(settings: Settings, *, keep: bool = False) -> How:
    return How(settings.execution.shortcuts, settings.execution.fit_timeout, keep)


def _check_same(made: str, asked: str) -> None:
    """Raise RuntimeError unless the fit is the one that was asked for: nothing is stored under another one's key."""
    if made != asked:
        raise RuntimeError("this worker would make another fit than was asked for: its code or its files are others")


def _shard_at_fault(piece: HalfPairs[CompareSpec], shards: Sequence[Path], loss: Loss) -> str | None:
    """The first of a batch's shards that cannot be answered by itself, and why; None if each can."""
    hypotheses: list[Any] = []
    for shard in shards:
        X = files.read_shard(shard)
        try:
            with quiet():
                hypotheses = hypotheses or make.hypotheses(piece.spec.halves, store)
                disagreements(hypotheses, X, loss)
        except FitFailure as failure:
            return f"{shard.name}: {failure}" if hypotheses else None
    return None
