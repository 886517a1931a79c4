"""A cluster in a simulation: which part of a run is busy first, by what each part takes for a task.

A task passes three queues that serve one at a time, in order: the process of the run submits it, the scheduler hands it
out, a worker does it, the scheduler notes its end, and the process of the run records it. Nothing else is shared but
the files, whose operations a second are counted.
"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Seconds of one thing, measured by benchmarks/scale.py on the machine that docs/scale.md names."""

    submit: float  # of a task, in the process of the run
    schedule: float  # of a task, in the scheduler
    record: float  # of a Prefect task run, in the process of the run and its server
    pass_on: float  # of a task, in its worker, next to the fits
    store: float  # of a finished fit: a file
    candidate: float  # of a candidate in MLflow


@dataclass(frozen=True)
class Run:
    """What a run asks of a cluster: `tasks` of `units` fits or comparisons, which take `seconds` each."""

    tasks: int
    units: float
    seconds: float
    candidates: int


@dataclass(frozen=True)
class Spent:
    """The seconds of a simulated run, and the share of them in which each part was busy."""

    seconds: float
    busy: dict[str, float]

    @property
    def first(self) -> str:
        """The part that is busy for the largest share."""
        return max(self.busy, key=lambda part: self.busy[part])


class _Server:
    """Serves one at a time, in the order of arrival."""

    def __init__(self) -> None:
        self.free, self.worked = 0.0, 0.0

    def serve(self, arrival: float, seconds: float) -> float:
        """When it is done with somebody who arrives then."""
        self.free = max(self.free, arrival) + seconds
        self.worked += seconds
        return self.free


def simulate(run: Run, workers: int, costs: Costs) -> Spent:
    """The run on a number of workers, each with a task at a time and one more waiting in it, as Dask gives them."""
    client, scheduler, records = _Server(), _Server(), _Server()
    in_a_task = costs.pass_on + run.units * (run.seconds + costs.store)
    events: list[tuple[float, int, int]] = []  # when, what, of which worker
    free = list(range(workers))
    ready, submitted, done, worked, now = 0, 0, 0, 0.0, 0.0
    arrive, finish = 0, 1
    heapq.heappush(events, (client.serve(0.0, costs.submit), arrive, -1))
    while events:
        now, what, worker = heapq.heappop(events)
        if what == arrive:
            ready, submitted = ready + 1, submitted + 1
            if submitted < run.tasks:
                heapq.heappush(events, (client.serve(now, costs.submit), arrive, -1))
        else:
            scheduled = scheduler.serve(now, costs.schedule / 2)
            records.serve(scheduled, costs.record)
            free.append(worker)
            done, worked = done + 1, worked + in_a_task
        while ready and free:
            ready -= 1
            begun = scheduler.serve(now, costs.schedule / 2)
            heapq.heappush(events, (begun + in_a_task, finish, free.pop()))
    end = max(now, records.free) + run.candidates * costs.candidate
    of = {
        "workers": worked / workers,
        "submission": client.worked,
        "scheduler": scheduler.worked,
        "Prefect": records.worked,
        "MLflow": run.candidates * costs.candidate,
    }
    return Spent(end, {part: seconds / end for part, seconds in of.items()})


def on_paper(run: Run, workers: int, costs: Costs) -> dict[str, float]:
    """The least seconds that each part needs; the run takes at least the largest."""
    return {
        "workers": run.tasks * (costs.pass_on + run.units * (run.seconds + costs.store)) / workers,
        "submission": run.tasks * costs.submit,
        "scheduler": run.tasks * costs.schedule,
        "Prefect": run.tasks * costs.record,
        "MLflow": run.candidates * costs.candidate,
    }


def table(rows: Iterable[Iterable[str]]) -> str:
    """Lines of a table in Markdown; the first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    head = lines[0]
    return "\n".join([head, "|" + " --- |" * (head.count("|") - 1), *lines[1:]])
