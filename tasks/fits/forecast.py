"""What a run will take: its fits, counted, and their seconds and memory, from one fit of each learner."""

from collections.abc import Iterator

import pandas as pd
import psutil

from heldout import updated
from heldout.schemes import SchemeName
from tasks.fits import executor, run_schemes, worker
from tasks.params import Settings
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

_SPARED = "no fit"


def lines(settings: Settings) -> Iterator[str]:
    """The fits to do by candidate and scheme, then what they are expected to take.

    A candidate is fitted once, on the rows that the hold-out trains on, and its seconds are taken to grow with the
    rows. Raises UserError before `prepare`, and for what no run could use.
    """
    if not files.LABELED.exists():
        raise UserError("data/prepared is not there, so that no split is known; run `python -m flows prepare` first")
    run_schemes.check_before_fits(settings)
    design, versions = read_design(settings), Versions.current()
    names: list[SchemeName] = ["final", "holdout", "cross_validation", *further_schemes(design)]
    names += ["progressive", "covalidation"]
    counts: dict[str, dict[str, object]] = {candidate.name: {} for candidate in settings.candidates}
    rows = dict.fromkeys(counts, 0)
    stored = 0
    for own in (scheme(design, name, settings.deliver) for name in names):
        keys = units_of_scheme.exact_keys(settings, own, versions)
        for candidate in settings.candidates:
            counts[candidate.name][own.name] = _SPARED
            if candidate.update is not None and candidate.name in keys:
                passes = 0 if fit_cache.has(keys[candidate.name]) else updated.passes(design, own.name)
                counts[candidate.name][own.name] = f"passes: {passes}"
                rows[candidate.name] += passes * len(design.y)
        for candidate, units in units_of_scheme.plan(units_of_scheme.fitted(settings, keys), own, versions):
            left = [unit.number for unit in units if not fit_cache.has(unit.key)]
            stored += len(units) - len(left)
            counts[candidate.name][own.name] = len(left)
            rows[candidate.name] += sum(own.splits[number].n_train for number in left)
    yield from pd.DataFrame.from_dict(counts, orient="index").to_string().splitlines()
    total = sum(count for own in counts.values() for count in own.values() if isinstance(count, int))
    yield f"fits      {total} to do, {stored} stored; `{_SPARED}` where a shortcut is exact: what it declines is fitted"
    if total:
        yield _expected(settings, rows, versions)


def _expected(settings: Settings, rows: dict[str, int], versions: Versions) -> str:
    """The seconds and the memory of the fits on so many rows for each candidate."""
    pool, seconds, peak = executor.executor(settings.execution), 0.0, 0.0
    for candidate in settings.candidates:
        if rows[candidate.name]:
            a_row, most = pool.submit(worker.measure, settings, candidate, versions).result()
            seconds += a_row * rows[candidate.name]
            peak = max(peak, most)
    workers = settings.execution.workers
    memory = (workers * peak + psutil.Process().memory_info().rss) / 1e9
    return (
        f"expected  {seconds / workers:.0f} s of fits on {workers} workers, and {memory:.1f} GB beside Prefect's "
        "server: from one fit of each candidate, by its rows"
    )
