"""What a run will take: the counted fits, and their seconds and memory, measured by one fit of each learner."""

from collections.abc import Iterator, Mapping

import psutil

from tasks.fits import worker
from tasks.fits.executor import executor
from tasks.params import Settings
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_counts import NO_FIT, count_fits
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import files


def lines(settings: Settings) -> Iterator[str]:
    """The fits to do by candidate and scheme, then their expected seconds and memory.

    Raises UserError before `prepare`, and for settings with which no run can start.
    """
    if not files.LABELED.exists():
        raise UserError("data/prepared is missing, so no split is known; run `python -m flows prepare` first")
    check_before_fits(settings)
    versions = Versions.current()
    counts = count_fits(settings, versions)
    yield from str(counts).splitlines()
    yield (
        f"fits      {counts.to_do} to do, {counts.stored} stored; `{NO_FIT}` where a shortcut is exact; a learner "
        "that the shortcut declines is fitted"
    )
    if counts.to_do:
        yield _expected(settings, counts.rows, versions)


def _expected(settings: Settings, rows: Mapping[str, int], versions: Versions) -> str:
    """The seconds and the memory of the fits on so many rows for each candidate.

    Each candidate is fitted once on the hold-out's training rows; the seconds are assumed to grow with the rows.
    """
    pool, seconds, peak = executor(settings.execution), 0.0, 0.0
    for candidate in settings.candidates:
        if rows[candidate.name]:
            seconds_a_row, bytes_held = pool.submit(worker.measure, settings, candidate, versions).result()
            seconds += seconds_a_row * rows[candidate.name]
            peak = max(peak, bytes_held)
    workers = settings.execution.workers
    memory = (workers * peak + psutil.Process().memory_info().rss) / 1e9
    return (
        f"expected  {seconds / workers:.0f} s of fits on {workers} workers, and {memory:.1f} GB without Prefect's "
        "server: from one fit of each candidate, scaled by rows"
    )
