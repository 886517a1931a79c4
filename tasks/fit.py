"""Fits as units of work: which rows, under which key, grouped into tasks, and what came out of them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.base import is_classifier, is_regressor

from heldout import seeds
from heldout.arguments import lacks_probabilities
from heldout.design import Design
from heldout.errors import BadArgument
from heldout.learners import gives_probabilities, open_random_states
from heldout.records import Split
from heldout.seeds import SchemeName
from heldout.selection import check_admitted
from heldout.weights import fit_argument
from tasks import cache, files, worker
from tasks.designs import read_design
from tasks.errors import UserError
from tasks.execution import executor, run_all
from tasks.params import Candidate, Settings
from tasks.schemes import Scheme, scheme
from tasks.suitability import check_columns
from tasks.tables import KEYS
from tasks.worker import Finished, Unit, Versions, hypothesis_key

# part of every key: raise it when the same inputs would give another result
_VERSION = ("fit", 3, sklearn.__version__)


def fit_all(settings: Settings, names: Sequence[SchemeName]) -> tuple[dict[str, dict[str, Finished]], dict[str, str]]:
    """Every fit of the schemes `names` for every candidate, in one fan-out.

    Returns the finished units by scheme and candidate, and the reason of each candidate that failed.
    Raises UserError before any fit for what cannot be right, and after the fits if all failed.
    """
    check_before_fits(settings)
    versions = Versions.current()
    design = read_design(settings)
    try:
        schemes = [scheme(design, name, settings.deliver) for name in names]
    except BadArgument as error:
        raise UserError(f"{KEYS.get(error.argument, 'split')}: {error}") from None
    plans = {(own.name, candidate.name): units for own in schemes for candidate, units in plan(settings, own, versions)}
    failures = _spare_fits(settings, schemes, plans, versions)
    todo: list[tuple[str, tuple[Any, ...]]] = []
    reused = 0
    for own in schemes:
        for candidate in settings.candidates:
            units = plans[own.name, candidate.name]
            for first in range(0, len(own.splits), own.fits_a_task):
                missing = [unit for unit in units[first : first + own.fits_a_task] if not cache.has(unit.key)]
                if not missing:
                    reused += 1
                elif candidate.name not in failures:
                    name = f"{own.label([unit.number for unit in missing])} · {candidate.name}"
                    todo.append((name, (settings, candidate, missing, versions)))
    reasons = run_all(settings, " and ".join(names), worker.fit_units, todo, reused)
    failures |= first_reasons([arguments[1].name for _, arguments in todo], reasons)
    check_not_all_failed(settings, failures)
    finished = {
        own.name: {
            candidate.name: _gather(plans[own.name, candidate.name])
            for candidate in settings.candidates
            if candidate.name not in failures
        }
        for own in schemes
    }
    return {str(name): units for name, units in finished.items()}, failures


def check_before_fits(settings: Settings) -> None:
    """Raise UserError for a candidate of the wrong kind, or a criterion, loss or interval that cannot be computed."""
    check_columns(settings)
    design = read_design(settings)
    loss = design.loss
    classes = loss.of_classes
    for place, candidate in enumerate(settings.candidates):
        learner = candidate.learner()
        if (is_regressor(learner) and classes) or (is_classifier(learner) and not classes):
            kinds = ("classes", "classifiers", "regressor") if classes else ("numbers", "regressors", "classifier")
            raise UserError(
                f"candidates[{place}]: the target holds {kinds[0]}, which need {kinds[1]}, "
                f"but {candidate.name} ({candidate.estimator}) is a {kinds[2]}"
            )
        if loss.needs == "probabilities" and not gives_probabilities(learner):
            raise UserError(
                f"candidates[{place}]: {candidate.name} ({candidate.estimator}): {lacks_probabilities(loss)}"
            )
        if design.weights is not None and fit_argument(learner) is None:
            raise UserError(
                f"candidates[{place}]: data.weight is {settings.data.weight!r}, but the fit of {candidate.name} "
                f"({candidate.estimator}) takes no sample_weight; leave it out, or data.weight"
            )
        if candidate.update is not None:
            _check_updated(settings, design, f"candidates[{place}].update is partial_fit for {candidate.name}")
    if loss.needs == "probabilities" and settings.deliver in ("k_fold", "progressive"):
        raise UserError(
            f"deliver is {settings.deliver}, whose probabilities are the shares of its members' votes: no estimate "
            f"by the {loss.name} loss is about it; use final or vote"
        )
    try:
        check_admitted(settings.criterion, loss)
    except BadArgument as error:
        raise UserError(f"selection.{error}") from None
    if "E_maxdt" in settings.criterion and not files.shards():
        raise UserError(
            f"selection.criterion is {settings.criterion}, which needs unlabelled rows, but there is no shard; set "
            "data.labeled_rows or data.unlabeled, or take another criterion"
        )


def _check_updated(settings: Settings, design: Design, said: str) -> None:
    """Raise UserError for what hypotheses that share their updates cannot be: tested without some rows, or kept."""
    if design.dependence.kind is not None:
        raise UserError(
            f"{said}, whose folds and steps learn all other rows, but rows depend by {design.dependence.kind}; leave "
            "it out, or data.groups, data.time and split.duplicates"
        )
    if settings.deliver != "final":
        raise UserError(
            f"{said}, whose hypotheses of the folds and steps are tested and not kept, but deliver is "
            f"{settings.deliver}; use final, or leave it out"
        )


def hypotheses(settings: Settings, candidate: Candidate, name: SchemeName) -> list[Any]:
    """The hypotheses of one candidate in one scheme: as the fits left them, or anew where the cache was removed."""
    alone = settings.model_copy(update={"candidates": [candidate]})
    finished, _ = fit_all(alone, [name])
    return [cache.load(hypothesis_key(key)) for key in finished[name][candidate.name].keys]


def warm_up(settings: Settings) -> None:
    """Start the workers and have them import what they will need, while others wait for a server."""
    pool = executor(settings.execution)
    for _ in range(settings.execution.workers):
        pool.submit(worker.import_learners, settings)


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


def _spare_fits(
    settings: Settings,
    schemes: Sequence[Scheme],
    plans: Mapping[tuple[SchemeName, str], Sequence[Unit]],
    versions: Versions,
) -> dict[str, str]:
    """Store the units of whole schemes that need no fit; what is declined is left to be fitted.

    Returns the reason of each candidate that failed.
    """
    todo = [
        (
            f"{own.label([unit.number for unit in plans[own.name, candidate.name]])} · {candidate.name}, no fit",
            arguments,
        )
        for own in schemes
        for candidate in settings.candidates
        if own.spares(settings, candidate) and not all(cache.has(unit.key) for unit in plans[own.name, candidate.name])
        for arguments in [(settings, candidate, plans[own.name, candidate.name], versions)]
    ]
    if not todo:
        return {}
    what = f"{' and '.join(own.name for own in schemes)} without fits"
    reasons = run_all(settings, what, worker.spare_fits, todo, 0)
    return first_reasons([arguments[1].name for _, arguments in todo], reasons)


def plan(settings: Settings, own: Scheme, versions: Versions) -> Iterator[tuple[Candidate, list[Unit]]]:
    """The units of each candidate."""
    rows = [_rows_hash(split) for split in own.splits]
    judged: tuple[object, ...] = () if settings.loss is None else (settings.loss,)  # what is stored are losses
    weights = read_design(settings).weights
    if weights is not None:
        judged += ("weights", hashlib.sha256(weights.values.tobytes()).hexdigest())
    for candidate in settings.candidates:
        spared: tuple[object, ...] = ("shortcut",) if own.spares(settings, candidate) else ()
        if spared and candidate.update is not None:  # the order of its updates is that of all parts
            spared = ("updated", hashlib.sha256("".join(rows).encode()).hexdigest())
        open_states = bool(open_random_states(candidate.learner()))
        units = []
        for number, rows_hash in enumerate(rows):
            # a seed that the learner does not use is no part of its key
            state = seeds.fit_state(settings.seed, own.name, number) if open_states else 0
            key = cache.key(
                _VERSION, versions.labeled, candidate.identity(), rows_hash, state, own.keep, *judged, *spared
            )
            units.append(Unit(own.name, number, key, state))
        yield candidate, units


def _gather(units: Sequence[Unit]) -> Finished:
    keys = tuple(unit.key for unit in units)
    return Finished(keys, _Stored(keys, 0), _Stored(keys, 1), tuple(cache.load(key)[2] for key in keys))


@dataclass(frozen=True, eq=False)
class _Stored(Sequence[Any]):
    """One part of what each unit left, read when it is asked for: the losses of all are never in memory together."""

    keys: tuple[str, ...]
    part: int

    def __getitem__(self, number: Any) -> Any:
        return cache.load(self.keys[number])[self.part]

    def __len__(self) -> int:
        return len(self.keys)


def _rows_hash(split: Split) -> str:
    digest = hashlib.sha256(split.train.astype(np.int64).tobytes())
    digest.update(b"|" + split.validation.astype(np.int64).tobytes())
    return digest.hexdigest()
