"""A cluster in a simulation: which part of a run is busy first, by what each part takes.

How fits share a task, and tasks a Prefect task run, is what a run does: `TaskSizes` and `in_task_runs`. The process of
the run plans the units of a task and submits it, the scheduler hands it out, a worker does it, the scheduler notes its
end, and Prefect records the task run that waits for it. When a scheme is done, the process of the run reads what its
fits have stored; at the end of the run each candidate goes to MLflow. Each of these parts but the workers serves one at
a time. Nothing else is shared but the files.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tasks.fits.work import in_task_runs
from tasks.plans.task_sizes import TaskSizes


@dataclass(frozen=True)
class Costs:
    """Seconds of one thing, measured by benchmarks/scale.py on the machine that docs/scale.md names."""

    submit: float  # of a task, in the process of the run
    schedule: float  # of a task, in the scheduler
    record: float  # of a Prefect task run, in the process of the run and its server
    pass_on: float  # of a task, in its worker, next to the fits
    store: float  # of a finished fit: a file
    plan: float  # of a fit before it is submitted, in the process of the run
    gather: float  # of a finished fit, in the process of the run
    candidate: float  # of a candidate in MLflow


@dataclass(frozen=True)
class Stage:
    """Schemes that are submitted together: each candidate has so many units in each of them, of `seconds` each."""

    units: tuple[int, ...]
    seconds: float


@dataclass(frozen=True)
class Run:
    """What a run asks of a cluster; a stage begins when the one before has ended."""

    candidates: int
    stages: tuple[Stage, ...]


@dataclass(frozen=True)
class Task:
    """So many units of a scheme, what they take in a worker, and the number of the task run that waits for them."""

    scheme: int
    units: int
    seconds: float
    task_run: int


@dataclass(frozen=True)
class Spent:
    """The seconds of a simulated run, the share of them in which each part was busy, and the numbers of tasks."""

    seconds: float
    busy: dict[str, float]
    tasks: int
    task_runs: int

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


class _Cluster:
    """The parts of a run on so many workers, each with a task at a time."""

    def __init__(self, workers: int, costs: Costs) -> None:
        self.workers, self.costs = workers, costs
        self.process, self.scheduler, self.prefect = _Server(), _Server(), _Server()

    def make(self, tasks: list[Task], now: float) -> float:
        """When all tasks of a stage are done, and their results are read."""
        costs, free = self.costs, list(range(self.workers))
        of_task_run, of_scheme = (
            Counter(of) for of in zip(*((task.task_run, task.scheme) for task in tasks), strict=True)
        )
        units = Counter[int]()
        for task in tasks:
            units[task.scheme] += task.units
        submitted, ready, arrives = iter(tasks), 0, -1
        in_order = iter(tasks)
        events: list[tuple[float, int, Task]] = []  # when, of which worker or that a task arrives, which

        def submit(now: float) -> None:
            if (task := next(submitted, None)) is not None:
                arrival = self.process.serve(now, costs.submit + costs.plan * task.units)
                heapq.heappush(events, (arrival, arrives, task))

        submit(now)
        while events:
            now, worker, task = heapq.heappop(events)
            if worker == arrives:
                ready += 1
                submit(now)
            else:
                noted = self.scheduler.serve(now, costs.schedule / 2)
                of_task_run[task.task_run] -= 1
                of_scheme[task.scheme] -= 1
                if not of_task_run[task.task_run]:
                    self.prefect.serve(noted, costs.record)
                if not of_scheme[task.scheme]:
                    self.process.serve(noted, costs.gather * units[task.scheme])
                free.append(worker)
            while ready and free:
                ready -= 1
                begun = next(in_order)
                heapq.heappush(
                    events, (self.scheduler.serve(now, costs.schedule / 2) + begun.seconds, free.pop(), begun)
                )
        return max(now, self.process.free)


def tasks_of(run: Run, workers: int, costs: Costs) -> Iterator[list[Task]]:
    """The tasks of each stage, in the order in which they start."""
    for stage in run.stages:
        tasks: list[Task] = []
        for scheme, units in enumerate(stage.units):
            sizes = TaskSizes(run.candidates * units * stage.seconds, workers)
            made = sorted((size for _ in range(run.candidates) for size in _shared(units, stage, sizes)), reverse=True)
            for number, places in enumerate(in_task_runs(range(len(made))), len({task.task_run for task in tasks})):
                seconds = (costs.pass_on + made[place] * (stage.seconds + costs.store) for place in places)
                tasks += [Task(scheme, made[place], of, number) for place, of in zip(places, seconds, strict=True)]
        yield tasks


def _shared(units: int, stage: Stage, sizes: TaskSizes) -> Iterator[int]:
    """The units of each task of a candidate in a scheme."""
    while units:
        size = sizes.take(stage.seconds, units)
        yield size
        units -= size


def simulate(run: Run, workers: int, costs: Costs) -> Spent:
    """The run on a number of workers."""
    cluster, stages, now = _Cluster(workers, costs), [*tasks_of(run, workers, costs)], 0.0
    for tasks in stages:
        now = cluster.make(tasks, now)
    least = on_paper(run, workers, costs)
    end = max(now, cluster.prefect.free) + least["MLflow"]
    busy = {part: seconds / end for part, seconds in least.items()}
    return Spent(end, busy, sum(map(len, stages)), sum(len({task.task_run for task in tasks}) for tasks in stages))


def on_paper(run: Run, workers: int, costs: Costs) -> dict[str, float]:
    """The least seconds that each part needs; the run takes at least the largest."""
    stages = [*tasks_of(run, workers, costs)]
    tasks = [task for stage in stages for task in stage]
    units = sum(task.units for task in tasks)
    return {
        "workers": sum(task.seconds for task in tasks) / workers,
        "this process": len(tasks) * costs.submit + units * (costs.plan + costs.gather),
        "scheduler": len(tasks) * costs.schedule,
        "Prefect": sum(len({task.task_run for task in stage}) for stage in stages) * costs.record,
        "MLflow": run.candidates * costs.candidate,
    }


def table(rows: Iterable[Iterable[str]]) -> str:
    """Lines of a table in Markdown; the first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    head = lines[0]
    return "\n".join([head, "|" + " --- |" * (head.count("|") - 1), *lines[1:]])
