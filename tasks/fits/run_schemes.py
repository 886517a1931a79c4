"""The fits of whole schemes: checked, grouped into tasks, prefetched, waited for; and which candidates failed."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from heldout.errors import BadArgument
from heldout.fits.specs import hypothesis_key
from heldout.fits.stated_limit import check_baseline
from heldout.losses import Losses
from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, check_weights
from heldout.schemes.halvings import looks
from heldout.schemes.whole_parts import check_classes
from tasks.data.prepare_tables import KEYS
from tasks.fits import failed_candidates, prefetch, worker
from tasks.fits.executor import executor, worker_count
from tasks.fits.fan_out import run_all
from tasks.fits.work import Work
from tasks.params import Candidate, Settings
from tasks.params.messages import with_key
from tasks.plans import fit_times, units_of_scheme
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_plans import FitPlan, further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.task_sizes import TaskSizes
from tasks.plans.units import Unit, Versions
from tasks.runtime.errors import UserError
from tasks.storage import fit_cache

log = logging.getLogger("heldout")

_UNKNOWN_SECONDS = 0.1  # of a fit, before a hold-out was fitted

ExactKeys = Mapping[SchemeName, Mapping[str, str]]  # by scheme and candidate: where losses without fits are stored
Units = Mapping[tuple[SchemeName, str], Sequence[Unit]]  # the fits of a scheme and a candidate


class AllFailed(UserError):
    """No candidate is left: `failures` has the reason of each."""

    def __init__(self, failures: Mapping[str, str]) -> None:
        reasons = "\n".join(f"candidates: {name} failed: {reason}" for name, reason in failures.items())
        super().__init__(f"{reasons}\ncandidates: all failed, so there is nothing to select; fix at least one")
        self.failures = failures


def fit_all(
    settings: Settings,
    names: Sequence[SchemeName],
    round_: range | None = None,
    *,
    measuring: bool = False,
    keep: bool = False,
    all_may_fail: bool = False,
) -> tuple[dict[str, dict[str, Finished]], dict[str, str]]:
    """Every fit of the schemes `names` for every candidate, in one fan-out; of a round the fits with these numbers.

    `keep`: the hypotheses are stored, whatever is delivered. `measuring`: by the seconds of these fits, those of all
    others are expected, and they are grouped into tasks.
    Returns the finished units by scheme and candidate, those of earlier rounds too, and the reason of each candidate
    that failed.
    Raises UserError before any fit for wrong settings, and AllFailed after the fits if all candidates failed, unless
    they may.
    """
    check_before_fits(settings)
    versions = Versions.current()
    plans = [replace(plan, keep=plan.keep or keep) for plan in _plans(settings, read_design(settings), names)]
    exact_keys = {plan.name: units_of_scheme.exact_loss_keys(settings, plan, versions) for plan in plans}
    failures: dict[str, str] = {}
    exact_work = _exact_work(settings, plans, exact_keys, versions)
    if exact_work:
        title = f"{' and '.join(names)} without fits"
        reasons = run_all(settings.execution, title, worker.store_exact_losses, exact_work, 0)
        failures = _failures(exact_work, reasons)
    units = _units(settings, plans, exact_keys, versions)
    of_round = units
    if round_ is not None:
        units = {key: of[: round_.stop] for key, of in units.items()}
        of_round = {key: of[round_.start :] for key, of in units.items()}
    todo, reused = _fit_work(settings, plans, of_round, versions)
    function = worker.measure_units if measuring else worker.fit_units
    reasons = run_all(settings.execution, " and ".join(names), function, todo, reused, measuring=measuring)
    failures |= _failures(todo, reasons)
    if not all_may_fail:
        check_not_all_failed(settings, failures)
    return _finished(settings, plans, units, exact_keys, failures), failures


def fit_one(settings: Settings, name: SchemeName, number: int) -> tuple[dict[str, Losses], dict[str, str]]:
    """One fit of a scheme for each candidate: the losses of those that did not fail, and the reasons of the others."""
    versions = Versions.current()
    plan = _plans(settings, read_design(settings), [name])[0]
    exact_keys = {name: units_of_scheme.exact_loss_keys(settings, plan, versions)}
    title = plan.label([number])
    exact_work = _exact_work(settings, [plan], exact_keys, versions)
    failures = {}
    if exact_work:
        reasons = run_all(settings.execution, f"{name} without fits", worker.store_exact_losses, exact_work, 0)
        failures = _failures(exact_work, reasons)
    units = {key: [of[number]] for key, of in _units(settings, [plan], exact_keys, versions).items()}
    todo, reused = _fit_work(settings, [plan], units, versions)
    reasons = run_all(settings.execution, title, worker.measure_units, todo, reused, measuring=True)
    failures |= _failures(todo, reasons)
    finished = {candidate.name for candidate in settings.candidates} - {*failures}
    losses = {
        candidate.name: units_of_scheme.gather(units[name, candidate.name]).losses[0]
        if (name, candidate.name) in units
        else units_of_scheme.gather_exact(exact_keys[name][candidate.name], len(plan.splits)).losses[number]
        for candidate in settings.candidates
        if candidate.name in finished
    }
    return losses, failures


def prefetch_later_schemes(settings: Settings) -> None:
    """Submit the fits of all stages that are not stored; their stage reports what is wrong with them."""
    versions, design = Versions.current(), read_design(settings)
    for name in ("progressive", "holdout", "final", "cross_validation", *further_schemes(design), "covalidation"):
        with suppress(BadArgument):
            plans = [scheme(design, name, settings.deliver)]
            exact_keys = {name: units_of_scheme.exact_loss_keys(settings, plans[0], versions)}
            exact_work = _exact_work(settings, plans, exact_keys, versions)
            prefetch.submit_all(executor(settings.execution), worker.store_exact_losses, exact_work)
            units = _units(settings, plans, exact_keys, versions)
            if name == "covalidation" and settings.covalidation.repeats == "auto":  # how many more, is not known yet
                units = {key: of[: 2 * looks(len(design.y))[0]] for key, of in units.items()}
            todo, _ = _fit_work(settings, plans, units, versions)
            prefetch.submit_all(executor(settings.execution), worker.fit_units, todo)


def hypotheses(settings: Settings, candidate: Candidate, name: SchemeName) -> list[Any]:
    """The hypotheses of one candidate in one scheme, as the fits stored them; fitted again if the cache was removed."""
    return [*each_hypothesis(settings, candidate, name)]


def each_hypothesis(settings: Settings, candidate: Candidate, name: SchemeName) -> Iterator[Any]:
    """The same, one after the other: that of many fits are never in memory together."""
    finished, _ = fit_all(settings.model_copy(update={"candidates": [candidate]}), [name], keep=True)
    for key in finished[name][candidate.name].keys:
        yield fit_cache.store.load(hypothesis_key(key))


def remove_old_fits(settings: Settings) -> None:
    """Keep at most `execution.cache_gb` of finished fits, the most recently used; before the first fit of a run."""
    most = settings.execution.cache_gb
    if most is not None and (removed := fit_cache.store.prune(1e9 * most)):
        log.info("removed %.3g GB of finished fits, used longest ago: execution.cache_gb is %g", removed / 1e9, most)


def warm_up(settings: Settings) -> None:
    """Start a worker for each candidate; they import what they will need, while this process waits for a server.

    All others start where work waits for them: the fits of a single candidate may be over before.
    """
    pool = executor(settings.execution)
    for _ in range(min(settings.execution.workers, len(settings.candidates))):
        pool.submit(worker.import_learners, settings)


def first_reasons(candidates: Sequence[str], reasons: Sequence[str | None]) -> dict[str, str]:
    """The first reason of each candidate that failed."""
    failures: dict[str, str] = {}
    for candidate, reason in zip(candidates, reasons, strict=True):
        if reason is not None:
            failures.setdefault(candidate, reason)
    return failures


def check_not_all_failed(settings: Settings, failures: Mapping[str, str]) -> None:
    """Raise AllFailed if all candidates failed."""
    if len(failures) == len(settings.candidates):
        raise AllFailed(failures)


def _plans(settings: Settings, design: Design, names: Sequence[SchemeName]) -> list[FitPlan]:
    try:
        plans = [scheme(design, name, settings.deliver) for name in names]
        check_baseline(design)
        check_classes(design)
        check_weights(design)
        return plans
    except BadArgument as error:
        raise UserError(with_key(KEYS.get(error.argument, "split"), error)) from None


def _units(settings: Settings, plans: Sequence[FitPlan], exact_keys: ExactKeys, versions: Versions) -> Units:
    """The fits of the candidates that need fits."""
    return {
        (plan.name, candidate.name): units
        for plan in plans
        for candidate, units in units_of_scheme.plan_units(
            units_of_scheme.candidates_to_fit(settings, exact_keys[plan.name]), plan, versions
        )
    }


def _exact_work(settings: Settings, plans: Sequence[FitPlan], exact_keys: ExactKeys, versions: Versions) -> list[Work]:
    """The tasks that store all losses of a scheme without a fit, or store that fits are needed."""
    todo = []
    for plan in plans:
        for candidate in settings.candidates:
            key = exact_keys[plan.name].get(candidate.name)
            if key is not None and (prefetch.is_prefetched([key]) or not fit_cache.store.has(key)):
                arguments = (settings.with_only(candidate), candidate, plan.name, key, versions)
                owner = failed_candidates.key(settings, candidate)
                todo.append(Work(f"{plan.name} · {candidate.name}, no fit", arguments, (key,), candidate=owner))
    return todo


def _fit_work(settings: Settings, plans: Sequence[FitPlan], units: Units, versions: Versions) -> tuple[list[Work], int]:
    """The tasks of the units that are not stored, those that were begun before, and the number of all other tasks."""
    times = {candidate.name: fit_times.known(candidate, versions.labeled) for candidate in settings.candidates}
    seconds = {(plan.name, name): plan.seconds_a_fit(time) for plan in plans for name, time in times.items()}
    expected = {key: _UNKNOWN_SECONDS if of is None else of for key, of in seconds.items()}
    begun = prefetch.by_key()
    to_group = {key: [unit for unit in of if unit.key not in begun] for key, of in units.items()}
    all_seconds = sum(expected[key] * len(of) for key, of in to_group.items())
    sizes = TaskSizes(all_seconds, worker_count(settings.execution))
    todo: list[Work] = []
    reused = 0
    for plan in plans:
        for candidate in settings.candidates:
            key = plan.name, candidate.name
            waited_for = [begun[unit.key] for unit in units.get(key, []) if unit.key in begun]
            todo += {work.keys: work for work in waited_for}.values()
            owner, own = failed_candidates.key(settings, candidate), settings.with_only(candidate)
            for group in _groups(to_group.get(key, []), expected[key], sizes):
                missing = [unit for unit in group if not units_of_scheme.is_stored(unit)]
                if not missing:
                    reused += 1
                    continue
                name = f"{plan.label([unit.number for unit in missing])} · {candidate.name}"
                keys = tuple(unit.key for unit in group)
                arguments = (own, candidate, missing, versions)
                todo.append(Work(name, arguments, keys, (seconds[key] or 0.0) * len(missing), owner))
    return todo, reused


def _groups(units: Sequence[Unit], seconds: float, sizes: TaskSizes) -> Iterator[Sequence[Unit]]:
    first = 0
    while first < len(units):
        size = sizes.take(seconds, len(units) - first)
        yield units[first : first + size]
        first += size


def _failures(todo: Sequence[Work], reasons: Sequence[str | None]) -> dict[str, str]:
    return first_reasons([work.arguments[1].name for work in todo], reasons)


def _finished(
    settings: Settings,
    plans: Sequence[FitPlan],
    units: Units,
    exact_keys: ExactKeys,
    failures: Mapping[str, str],
) -> dict[str, dict[str, Finished]]:
    """What is stored now, by scheme and candidate, without the candidates that failed."""
    names = [candidate.name for candidate in settings.candidates if candidate.name not in failures]
    return {
        plan.name: {
            name: units_of_scheme.gather(units[plan.name, name])
            if (plan.name, name) in units
            else units_of_scheme.gather_exact(exact_keys[plan.name][name], len(plan.splits))
            for name in names
        }
        for plan in plans
    }
