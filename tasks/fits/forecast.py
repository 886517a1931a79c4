"""What a run will take: the counted fits, and their seconds and memory, measured by small fits of each learner."""

from collections.abc import Iterator

import psutil
import pyarrow.parquet

from tasks.fits import measure
from tasks.fits.executor import executor
from tasks.params import Settings
from tasks.plans import all_labeled, budget
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_counts import NO_FIT, FitCounts, count_fits
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache


def lines(settings: Settings) -> Iterator[str]:
    """The fits to do by candidate and scheme, then their expected seconds and memory, and whether the budget allows it.

    Raises UserError before `prepare`, and for settings with which no run can start.
    """
    if not files.LABELED.exists():
        raise UserError("data/prepared is missing, so no split is known; run `python -m flows prepare` first")
    check_before_fits(settings)
    counts = count_fits(settings, Versions.current())
    yield from str(counts).splitlines()
    yield (
        f"fits      {counts.to_do} to do, {counts.stored} stored; `{NO_FIT}` where a shortcut is exact; a learner "
        "that the shortcut declines is fitted"
    )
    if counts.to_do:
        yield from _expected(settings, counts)


def _expected(settings: Settings, counts: FitCounts) -> Iterator[str]:
    """The seconds and the memory of the counted fits, and which values the budget would allow instead."""
    design, workers = read_design(settings), settings.execution.workers
    X = files.open_features(files.LABELED, files.file_hash(files.LABELED))
    measured = measure.measure_all(executor(settings.execution), settings, X, design.y, design.loss)
    costs = {name: cost for name, (cost, _) in measured.items()}
    table = _table(settings)
    after = budget.after_the_choice(len(design.y), len(design.splits("cross_validation")), table)
    if files.ALL_LABELED.exists() and _all_labeled_stored(settings):
        after = [fits for fits in after if fits.trained != table.labeled]
    seconds = budget.run_seconds([(costs[name], made) for name, made in counts.fits.items()], after, table, workers)
    memory = (workers * max(held for _, held in measured.values()) + psutil.Process().memory_info().rss) / 1e9
    yield (
        f"expected  {seconds:.0f} s on {workers} workers, starts and reports included, and {memory:.1f} GB without "
        "Prefect's server: from small fits of each candidate"
    )
    if settings.execution.budget is None:
        return
    limit = 60 * settings.execution.budget
    if seconds <= limit:
        yield f"plan      within the {limit:.0f} s of execution.budget"
        return
    choice = budget.choose([*costs.values()], table, limit, workers)
    wanted = budget.values(choice, dependent=table.dependent, binary=design.loss.binary)
    shown = ", ".join(f"{key}: {'null' if value is None else value}" for key, value in wanted.items())
    yield f"plan      over the {limit:.0f} s of execution.budget; {choice.seconds:.0f} s would be enough for {shown}"


def _table(settings: Settings) -> budget.Table:
    """The prepared rows, as the choice of a budget needs them."""
    design = read_design(settings)
    unlabeled = sum(pyarrow.parquet.read_metadata(path).num_rows for path in files.shards())
    own = settings.data.unlabeled is not None
    test = pyarrow.parquet.read_metadata(files.TEST).num_rows if files.TEST.exists() else 0
    return budget.Table(
        labeled=all_labeled.count(),
        test=test,
        unlabeled=unlabeled if own else unlabeled - (all_labeled.count() - len(design.y)),
        own_unlabeled=own,
        copies=design.copies is not None,
        dependent=design.dependence.kind is not None,
    )


def _all_labeled_stored(settings: Settings) -> bool:
    return any(fit_cache.has(all_labeled.fit_key(settings, candidate)[0]) for candidate in settings.candidates)
