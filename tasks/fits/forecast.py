"""What a run will take: the counted fits, and their seconds and memory, measured by small fits of each learner."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import psutil
import pyarrow.parquet

from heldout.running.make import is_made
from heldout.schemes import SCHEMES
from heldout.selection.race import chooses, worth_saying
from tasks.fits import measured_costs, race_result
from tasks.fits.executor import executor
from tasks.params import Settings
from tasks.plans import all_labeled, budget
from tasks.plans.budget import FINALISTS, Cost
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_counts import NO_FIT, FitCounts, count_fits
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files, fit_cache


class Part(NamedTuple):
    """A line or some lines of a forecast, and their numbers for a program."""

    text: str
    numbers: dict[str, Any]


def parts(settings: Settings) -> Iterator[Part]:
    """The fits to do by candidate and scheme, then their expected seconds and memory, and whether the budget allows it.

    Raises UserError before `prepare`, and for settings with which no run can start.
    """
    if not files.LABELED.exists():
        raise UserError(f"data/prepared is missing, so no split is known; run `{COMMAND} prepare` first")
    check_before_fits(settings)
    dropped, of_these_rows = race_result.known(settings)
    counts, most, expected = _counts(settings)
    yield Part(str(counts), {"fits": counts.table})
    yield Part(
        f"fits      {counts.to_do} to do, {counts.stored} stored; `{NO_FIT}` where a shortcut is exact; a learner "
        "that the shortcut declines is fitted",
        {"to_do": counts.to_do, "stored": counts.stored},
    )
    if counts.spare:
        least = counts.least_halved
        yield Part(
            f"halvings  {counts.to_do} fits are the most: no further halvings are made where their drawing is little "
            f"of the variance of E_2cv; {least} if the first are enough",
            {"halvings": {"least": least, "most": counts.to_do}},
        )
    if reason := race_result.reason_for_none(settings):
        if worth_saying(settings.selection.race, len(settings.candidates)):
            yield Part(f"race      none: {reason}", {"race": reason})
    elif dropped is not None and of_these_rows:
        yield Part(
            f"race      it dropped {len(dropped)} of {len(settings.candidates)} candidates on these rows; these "
            "get no further fits",
            {"race": {"least": counts.to_do, "expected": counts.to_do, "most": counts.to_do}},
        )
    else:
        yield _of_race(most, None if dropped is None else expected.to_do)
    if chooses(finalists := settings.selection.finalists, len(settings.candidates)):
        yield Part(
            f"finalists at most {finalists} of {len(settings.candidates)} candidates get more fits than the steps of "
            "E_prog; the fits and the seconds are those of the slowest",
            {"finalists": finalists},
        )
    if counts.to_do:
        yield from _expected(settings, counts)


def check_budget(settings: Settings) -> None:
    """Raise UserError, before the first fit of a run, where more seconds are expected than execution.budget allows."""
    minutes = settings.execution.budget
    if minutes is None:
        return
    check_before_fits(settings)
    counts = _counts(settings)[0]
    if counts.to_do and (seconds := measured(settings, counts).seconds) > 60 * minutes:
        raise UserError(
            f"execution.budget is {minutes:g} minutes, but {counts.to_do} fits are to be made, for which about "
            f"{seconds / 60:.2g} minutes are expected; `{COMMAND} plan --budget {minutes:g}` writes rows, folds, "
            "repeats and finalists for that time into params.yaml, or raise execution.budget"
        )


def _counts(settings: Settings) -> tuple[FitCounts, FitCounts, FitCounts]:
    """The fits that may be to do; all of them; and those if a race drops the candidates that the last one dropped."""
    dropped, of_these_rows = race_result.known(settings)
    blocks = {one.candidate: one.blocks(read_design(settings)) for one in dropped or ()}
    most = count_fits(settings, Versions.current())
    expected = count_fits(settings, Versions.current(), dropped=blocks) if blocks else most
    return expected if of_these_rows else most, most, expected


def _of_race(most: FitCounts, expected: int | None) -> Part:
    """Between which numbers the fits of a race are, and how many are `expected` from a race on other rows."""
    text = (
        f"race      {most.to_do} fits are the most: candidates that fall behind in the race get no further fits; "
        f"{most.least_to_do} if one is left after its first block; "
    )
    if expected is None:
        text += "how many it will be, nobody knows before the first look at the labels"
    else:
        text += f"{expected} if it drops those that the last race dropped, which was on other rows"
    return Part(text, {"race": {"least": most.least_to_do, "expected": expected, "most": most.to_do}})


@dataclass(frozen=True)
class Measured:
    """What a run takes, from small fits of each candidate: seconds, bytes, and what a shorter run is chosen by."""

    seconds: float
    memory: float
    costs: list[Cost]
    table: budget.TableSize
    binary: bool

    def shorter(self, settings: Settings, seconds: float) -> tuple[dict[str, Any], float]:
        """The values of params.yaml, by key, of a run that takes at most so many seconds; and the seconds expected.

        Rows are given up last: before that only eight of many candidates get every fit. More seconds are expected than
        wanted where no shorter run is known.
        """
        workers, finalists = settings.execution.workers, settings.selection.finalists
        choice = budget.choose(self.costs, self.table, seconds, workers, finalists)
        less = choice.rows < choice.labeled or (choice.seconds or 0) > seconds
        if less and len(self.costs) > (finalists or FINALISTS) >= FINALISTS and not settings.nested:
            finalists = FINALISTS
            choice = budget.choose(self.costs, self.table, seconds, workers, finalists)
        wanted = budget.values(choice, dependent=self.table.dependent, binary=self.binary)
        return {**wanted, "selection.finalists": finalists}, choice.seconds or 0.0


def measured(settings: Settings, counts: FitCounts) -> Measured:
    """The seconds and the memory of the fits to do, by small fits of each candidate."""
    design, workers = read_design(settings), settings.execution.workers
    X = files.open_features(files.LABELED, files.file_hash(files.LABELED))
    found = measured_costs.measure_all(executor(settings.execution), settings, X, design.y, design.loss)
    costs = {name: cost for name, (cost, _) in found.items()}
    table, held = _table(settings), max(held for _, held in found.values())
    after = budget.after_the_choice(len(design.y), len(design.splits("cross_validation")), table)
    if files.ALL_LABELED.exists() and _all_labeled_stored(settings):
        after = [fits for fits in after if fits.trained != table.labeled]
    seconds = budget.run_seconds(counts.slowest(costs), after, table, workers)
    memory = (workers * held + psutil.Process().memory_info().rss) / 1e9
    return Measured(seconds, memory, [*costs.values()], table, design.loss.binary)


def _expected(settings: Settings, counts: FitCounts) -> Iterator[Part]:
    """The seconds and the memory of the fits to do, and what execution.budget says of them."""
    found, workers = measured(settings, counts), settings.execution.workers
    seconds, memory = found.seconds, found.memory
    yield Part(
        f"expected  {seconds:.0f} s on {workers} workers, starts and reports included, and {memory:.1f} GB without "
        "Prefect's server: from small fits of each candidate",
        {"seconds": round(seconds), "workers": workers, "gigabytes": round(memory, 1)},
    )
    if settings.execution.budget is None:
        return
    limit = 60 * settings.execution.budget
    if seconds <= limit:
        yield Part(f"plan      within the {limit:.0f} s of execution.budget", {"budget_seconds": limit})
        return
    wanted, enough = found.shorter(settings, limit)
    shown = ", ".join(f"{key}: {'null' if value is None else value}" for key, value in wanted.items())
    end = f"plan --budget {limit / 60:g} writes that" if enough <= limit else "no shorter run is known"
    yield Part(
        f"plan      over the {limit:.0f} s of execution.budget, so a run ends before its first fit; {enough:.0f} s "
        f"would be enough for {shown}: {end}",
        {"budget_seconds": limit, "enough": {"seconds": round(enough), "for": wanted}},
    )


def within(settings: Settings, minutes: float) -> dict[str, Any] | None:
    """The values of params.yaml, by key, of a run of at most so many minutes; None where these settings are one.

    Raises UserError where no shorter run is known.
    """
    check_before_fits(settings)
    counts = _counts(settings)[0]
    if not counts.to_do or (found := measured(settings, counts)).seconds <= 60 * minutes:
        return None
    wanted, enough = found.shorter(settings, 60 * minutes)
    if enough > 60 * minutes:
        raise UserError(
            f"--budget is {minutes:g}, but about {enough / 60:.2g} minutes are the least that is known for these "
            "candidates; leave out the slowest, or allow more minutes"
        )
    return wanted


def _table(settings: Settings) -> budget.TableSize:
    """The prepared rows, as the choice of a budget needs them."""
    design = read_design(settings)
    unlabeled = sum(pyarrow.parquet.read_metadata(path).num_rows for path in files.shards())
    own = settings.data.unlabeled is not None
    test = pyarrow.parquet.read_metadata(files.TEST).num_rows if files.TEST.exists() else 0
    return budget.TableSize(
        labeled=all_labeled.count(),
        test=test,
        unlabeled=unlabeled if own else unlabeled - (all_labeled.count() - len(design.y)),
        own_unlabeled=own,
        copies=design.copies is not None,
        columns=settings.report.columns is not False and settings.deliver not in SCHEMES["cross_validation"].forms,
        dependent=design.dependence.kind is not None,
    )


def _all_labeled_stored(settings: Settings) -> bool:
    return any(
        is_made(fit_cache.store, str(all_labeled.spec_of(settings, candidate).key), keep=True)
        for candidate in settings.candidates
    )
