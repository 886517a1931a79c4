"""Fits of whole schemes: checked, grouped into tasks, begun ahead, waited for, and what failed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from sklearn.base import is_classifier, is_regressor

from heldout.arguments import lacks_probabilities
from heldout.design import Design
from heldout.errors import BadArgument
from heldout.learners import gives_probabilities
from heldout.schemes import SchemeName
from heldout.selection.select import check_admitted
from heldout.weights import fit_argument
from tasks.data.prepare_tables import KEYS
from tasks.fits import prefetch, worker
from tasks.fits.check_learners import check_columns
from tasks.fits.executor import Work, begin, executor, run_all
from tasks.params import Candidate, Settings
from tasks.params.messages import with_key
from tasks.plans import fit_times, units_of_scheme
from tasks.plans.fit_plans import FitPlan, further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Finished, Unit, Versions, hypothesis_key
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache


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
        raise UserError(with_key(KEYS.get(error.argument, "split"), error)) from None
    spared = {own.name: units_of_scheme.exact_keys(settings, own, versions) for own in schemes}
    failures: dict[str, str] = {}
    without_fits = _spared(settings, schemes, spared, versions)
    if without_fits:
        reasons = run_all(settings, f"{' and '.join(names)} without fits", worker.store_exact_losses, without_fits, 0)
        failures = first_reasons([work.arguments[1].name for work in without_fits], reasons)
    plans = {
        (own.name, candidate.name): units
        for own in schemes
        for candidate, units in units_of_scheme.plan(units_of_scheme.fitted(settings, spared[own.name]), own, versions)
    }
    todo, reused = _to_do(settings, schemes, plans, versions)
    reasons = run_all(settings, " and ".join(names), worker.fit_units, todo, reused)
    failures |= first_reasons([work.arguments[1].name for work in todo], reasons)
    check_not_all_failed(settings, failures)
    finished = {
        own.name: {
            candidate.name: units_of_scheme.gather(plans[place])
            if place in plans
            else units_of_scheme.gather_exact(spared[own.name][candidate.name], len(own.splits))
            for candidate in settings.candidates
            for place in [(own.name, candidate.name)]
            if candidate.name not in failures
        }
        for own in schemes
    }
    return {str(name): units for name, units in finished.items()}, failures


def prefetch_later_schemes(settings: Settings) -> None:
    """Have the workers begin with the fits of the stages after the hold-out; what is wrong there, its stage tells."""
    versions, design = Versions.current(), read_design(settings)
    for name in ("cross_validation", *further_schemes(design), "progressive", "covalidation"):
        with suppress(BadArgument):
            own = scheme(design, name, settings.deliver)
            spared = units_of_scheme.exact_keys(settings, own, versions)
            begin(settings, worker.store_exact_losses, _spared(settings, [own], {own.name: spared}, versions))
            left = units_of_scheme.plan(units_of_scheme.fitted(settings, spared), own, versions)
            plans = {(own.name, candidate.name): units for candidate, units in left}
            begin(settings, worker.fit_units, _to_do(settings, [own], plans, versions)[0])


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
    return [fit_cache.load(hypothesis_key(key)) for key in finished[name][candidate.name].keys]


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


def _to_do(
    settings: Settings,
    schemes: Sequence[FitPlan],
    plans: Mapping[tuple[SchemeName, str], Sequence[Unit]],
    versions: Versions,
) -> tuple[list[Work], int]:
    """The tasks of the units that are not stored, or that were begun and not asked for; how many others there are."""
    todo: list[Work] = []
    reused = 0
    for own in schemes:
        for candidate in settings.candidates:
            units = plans.get((own.name, candidate.name), [])
            seconds = own.seconds_a_fit(fit_times.known(candidate, versions.labeled))
            size = own.fits_a_task(seconds)
            for some in (units[first : first + size] for first in range(0, len(units), size)):
                keys = tuple(unit.key for unit in some)
                missing = [unit for unit in some if prefetch.is_begun(keys) or not fit_cache.has(unit.key)]
                if not missing:
                    reused += 1
                    continue
                name = f"{own.label([unit.number for unit in missing])} · {candidate.name}"
                arguments = (settings, candidate, missing, versions)
                todo.append(Work(name, arguments, keys, (seconds or 0.0) * len(missing)))
    return todo, reused


def _spared(
    settings: Settings, schemes: Sequence[FitPlan], keys: Mapping[SchemeName, Mapping[str, str]], versions: Versions
) -> list[Work]:
    """The tasks that store what whole schemes leave that need no fit, or that they need some."""
    return [
        Work(f"{own.name} · {candidate.name}, no fit", (settings, candidate, own.name, key, state, versions), (key,))
        for own in schemes
        for candidate in settings.candidates
        if (key := keys[own.name].get(candidate.name)) and (prefetch.is_begun([key]) or not fit_cache.has(key))
        for state in [units_of_scheme.first_state(settings, own, candidate)]
    ]
