"""The fits of whole schemes: checked, grouped into tasks, waited for; and which candidates failed."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from heldout import estimates
from heldout.errors import BadArgument
from heldout.fits.specs import hypothesis_key
from heldout.fits.stated_limit import check_baseline
from heldout.running.plan import Answer, Failed, NeedsFits, Plan, Wanted
from heldout.running.stored_fits import Finished
from heldout.schemes import SCHEMES, SchemeName
from heldout.schemes.design import Design, check_weights
from heldout.schemes.set_metrics import check_classes
from tasks.data.prepare_tables import KEYS
from tasks.fits import failed_candidates, worker
from tasks.fits.executor import executor, worker_count
from tasks.fits.fan_out import run_all
from tasks.fits.work import Work
from tasks.params import Candidate, Deliver, Settings
from tasks.params.messages import with_key
from tasks.plans import fit_costs, units_of_scheme
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_plans import FitPlan, scheme
from tasks.plans.read_design import read_design
from tasks.plans.task_sizes import TaskSizes
from tasks.plans.units import Unit, Versions
from tasks.runtime.errors import UserError
from tasks.storage import fit_cache

log = logging.getLogger("heldout")

_UNKNOWN_SECONDS = 0.1  # of a fit, before a hold-out was fitted
_MEASURED = ("holdout", "final")  # the schemes of one fit each, by which all others are measured
_NAMED = 2  # schemes in a line of the log

Units = Mapping[tuple[SchemeName, str], Sequence[Unit]]  # the fits of a scheme and a candidate


class StageFits:
    """The fits of some schemes of `settings`: a plan says which are wanted, the workers make those that are not stored.

    Raises UserError before any fit for wrong settings.
    """

    def __init__(
        self, settings: Settings, names: Sequence[SchemeName], *, keep: bool = False, design: Design | None = None
    ) -> None:
        """`keep`: the hypotheses are stored, whatever is delivered. `design` is that of the settings if it is None."""
        check_before_fits(settings)
        self.design = read_design(settings) if design is None else design
        self._settings, self._versions = settings, Versions.current()
        plans = _plans(settings, self.design, names)
        self._plans = {plan.name: replace(plan, keep=plan.keep or keep) for plan in plans}
        self._exact = {
            name: units_of_scheme.exact_loss_keys(settings, plan, self._versions) for name, plan in self._plans.items()
        }
        self._units: dict[tuple[SchemeName, str], Sequence[Unit]] = {}  # of those that need fits

    def plan(
        self,
        *,
        may_fail: Callable[[str], bool] = lambda _scheme: False,
        limit: float | None = None,
        finalists: int | None = None,
        by_rule: bool = False,
    ) -> Plan:
        """The plan of these fits, with the arguments of `Plan`: who fails in a scheme mostly fails as a whole."""
        return Plan(
            self.design,
            [candidate.name for candidate in self._settings.candidates],
            [*self._plans],
            may_skip=lambda name, scheme: name in self._exact[scheme],
            may_fail=may_fail,
            limit=limit,
            finalists=finalists,
            by_rule=by_rule,
        )

    def carry_out(self, plan: Plan, *, measuring: bool = False) -> None:
        """Make what the plan wants, until it wants nothing: what may need no fit next to fits, in one fan-out each.

        `measuring`: the first fits show how long all others take, by which these are grouped into tasks.
        """
        while wanted := plan.wanted():
            first = [one for one in wanted if one.exact or one.scheme in _MEASURED] if measuring else []
            fits = any(not one.exact for one in first or wanted)
            plan.take(self._answers(first or wanted, measuring=measuring and fits))
            measuring = measuring and not fits

    def finished(self, plan: Plan) -> dict[str, dict[str, Finished]]:
        """What is stored now, by scheme and candidate, of those that the plan left and that did not fail in it."""
        design, lacking = plan.design, plan.lacking
        return {
            name: {
                candidate: self._finished(name, candidate, len(design.splits(name)))
                for candidate in plan.left
                if name not in lacking.get(candidate, ())
            }
            for name in self._plans
        }

    def _finished(self, scheme: SchemeName, candidate: str, count: int) -> Finished:
        units = self._units.get((scheme, candidate))
        if units is None:
            return units_of_scheme.gather_exact(self._exact[scheme][candidate], count)
        return units_of_scheme.gather(units[:count])

    def _answers(self, wanted: Sequence[Wanted], *, measuring: bool) -> dict[Wanted, Answer]:
        exact = {(one.scheme, one.candidate): self._exact[one.scheme][one.candidate] for one in wanted if one.exact}
        fits = [one for one in wanted if not one.exact]
        self._plan_units(fits)
        units = {
            (one.scheme, one.candidate): self._units[one.scheme, one.candidate][one.numbers.start : one.numbers.stop]
            for one in fits
        }
        function = worker.measure_units if measuring else worker.fit_units
        todo, reused = _fit_work(self._settings, [*self._plans.values()], units, self._versions, function)
        spared, stored = _exact_work(self._settings, exact, self._versions)
        todo = [*spared, *todo]
        found = run_all(self._settings.execution, self._title(wanted), todo, reused + stored, measuring=measuring)
        reasons = _failures(todo, found)
        answers: dict[Wanted, Answer] = {}
        for one in wanted:
            place = one.scheme, one.candidate
            if place in reasons:
                answers[one] = Failed(reasons[place])
            elif not one.exact:
                answers[one] = units_of_scheme.stored_losses(units[place])
            elif units_of_scheme.is_declined(exact[place]):
                answers[one] = NeedsFits()
            else:
                answers[one] = units_of_scheme.gather_exact(exact[place], len(one.numbers)).losses
        return answers

    def _plan_units(self, wanted: Sequence[Wanted]) -> None:
        """The units of all fits of the schemes and candidates of which some are wanted."""
        for name, plan in self._plans.items():
            of = {one.candidate for one in wanted if one.scheme == name and (name, one.candidate) not in self._units}
            candidates = [candidate for candidate in self._settings.candidates if candidate.name in of]
            if candidates:
                settings = self._settings.model_copy(update={"candidates": candidates})
                for candidate, units in units_of_scheme.plan_units(settings, plan, self._versions):
                    self._units[name, candidate.name] = units

    def _title(self, wanted: Sequence[Wanted]) -> str:
        """What the log calls some fits: their schemes, if they are few; of one of a scheme alone its label."""
        numbers = {number for one in wanted for number in one.numbers}
        names = [name for name in self._plans if name in {one.scheme for one in wanted if not one.exact}]
        if len(names) == len(numbers) == 1 < len(self._plans[names[0]].splits):
            return self._plans[names[0]].label([*numbers])
        return " and ".join(names) if 0 < len(names) <= _NAMED else "fits"


def fit_all(
    settings: Settings, names: Sequence[SchemeName], *, keep: bool = False
) -> tuple[dict[str, dict[str, Finished]], dict[str, str]]:
    """Every fit of the schemes `names` for every candidate, with `keep` as in `StageFits`.

    Returns the finished units by scheme and candidate, and the reason of each candidate that failed.
    Raises UserError before any fit for wrong settings, and after the fits if all candidates failed.
    """
    fits = StageFits(settings, names, keep=keep)
    plan = fits.plan()
    fits.carry_out(plan)
    check_not_all_failed(plan)
    return fits.finished(plan), plan.failures


def may_fail(design: Design, scheme: str, deliver: Deliver) -> bool:
    """As `heldout.estimates.may_fail`, but for a scheme whose hypotheses are delivered."""
    delivered = scheme in SCHEMES and deliver in SCHEMES[scheme].forms
    return estimates.may_fail(design, scheme) and not delivered


def hypotheses(settings: Settings, candidate: Candidate, name: SchemeName) -> list[Any]:
    """The hypotheses of one candidate in one scheme, as the fits stored them; fitted again if the cache was removed."""
    return [fit_cache.store.load(hypothesis_key(key)) for key in stored_keys(settings, candidate, name)]


def stored_keys(settings: Settings, candidate: Candidate, name: SchemeName) -> Sequence[str]:
    """The keys of these fits, whose hypotheses are stored then."""
    finished, _ = fit_all(settings.model_copy(update={"candidates": [candidate]}), [name], keep=True)
    return finished[name][candidate.name].keys


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


def check_not_all_failed(plan: Plan, remedy: str = "") -> None:
    """Raise UserError with every reason, and what else helps, where no candidate is left."""
    if not plan.left:
        reasons = "\n".join(f"candidates: {name} failed: {reason}" for name, reason in plan.failures.items())
        raise UserError(f"{reasons}\ncandidates: all failed, so there is nothing to select; fix at least one{remedy}")


def _plans(settings: Settings, design: Design, names: Sequence[SchemeName]) -> list[FitPlan]:
    try:
        plans = [scheme(design, name, settings.deliver) for name in names]
        check_baseline(design)
        check_classes(design)
        check_weights(design)
        return plans
    except BadArgument as error:
        raise UserError(with_key(KEYS.get(error.argument, "split"), error)) from None


def _exact_work(
    settings: Settings, keys: Mapping[tuple[SchemeName, str], str], versions: Versions
) -> tuple[list[Work], int]:
    """The tasks that store all losses of a scheme without a fit, or store that fits are needed, in the order of `keys`.

    `keys` say by scheme and candidate where they are stored; next to the tasks the number of those that are.
    """
    candidates = {candidate.name: candidate for candidate in settings.candidates}
    todo = []
    for (of, name), key in keys.items():
        if not fit_cache.store.has(key):
            candidate = candidates[name]
            arguments = (settings.with_only(candidate), candidate, of, key, versions)
            owner = failed_candidates.key(settings, candidate)
            todo.append(Work(f"{of} · {name}, no fit", worker.store_exact_losses, arguments, (key,), candidate=owner))
    return todo, len(keys) - len(todo)


def _fit_work(
    settings: Settings,
    plans: Sequence[FitPlan],
    units: Units,
    versions: Versions,
    function: Callable[..., str | None],
) -> tuple[list[Work], int]:
    """The tasks of the units that are not stored, and the number of all other tasks."""
    costs = {candidate.name: fit_costs.known(candidate, versions.labeled) for candidate in settings.candidates}
    seconds = {
        (plan.name, name): plan.seconds_a_fit(None if cost is None else cost.seconds_a_row)
        for plan in plans
        for name, cost in costs.items()
    }
    expected = {key: _UNKNOWN_SECONDS if of is None else of for key, of in seconds.items()}
    all_seconds = sum(expected[key] * len(of) for key, of in units.items())
    sizes = TaskSizes(all_seconds, worker_count(settings.execution))
    todo: list[Work] = []
    reused = 0
    for plan in plans:
        for candidate in settings.candidates:
            key = plan.name, candidate.name
            owner, own = failed_candidates.key(settings, candidate), settings.with_only(candidate)
            for group in _groups(units.get(key, []), expected[key], sizes):
                missing = [unit for unit in group if not units_of_scheme.is_stored(unit)]
                if not missing:
                    reused += 1
                    continue
                name = f"{plan.label([unit.number for unit in missing])} · {candidate.name}"
                keys = tuple(unit.key for unit in group)
                arguments = (own, candidate, missing, versions)
                todo.append(Work(name, function, arguments, keys, (seconds[key] or 0.0) * len(missing), owner))
    return todo, reused


def _groups(units: Sequence[Unit], seconds: float, sizes: TaskSizes) -> Iterator[Sequence[Unit]]:
    first = 0
    while first < len(units):
        size = sizes.take(seconds, len(units) - first)
        yield units[first : first + size]
        first += size


def _failures(todo: Sequence[Work], reasons: Sequence[str | None]) -> dict[tuple[SchemeName, str], str]:
    """The first reason of each candidate that failed in a scheme."""
    failures: dict[tuple[SchemeName, str], str] = {}
    for work, reason in zip(todo, reasons, strict=True):
        if reason is not None:
            _, candidate, of, *_ = work.arguments
            failures.setdefault((of if isinstance(of, str) else of[0].scheme, candidate.name), reason)
    return failures
