"""Every admissible interval of the coverage study's stored samples, and what it should cover: no fit is made.

A shard of observations, `100x000.npz`, has its judgement next to it, `100x000-VERSION.parquet`. The version is a hash
of the sources that judge: after a change of an interval the shard is judged again, and the earlier judgement removed.
"""

import functools
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from loky import get_reusable_executor
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import heldout
from heldout.intervals.method import IntervalMethod
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import RepeatedByRow, Tested
from heldout.unlabelled import implied_error
from studies.intervals import EVERY
from studies.intervals.half_subsamples import Halved
from studies.populations import NUMBERS

LEVEL = 0.95
FURTHER = ("subsample_errors", "repeated_errors", "half_errors", "pair_losses")
SOURCES = ("intervals/*.py", "losses/*.py", "observed.py", "covalidation.py", "seeds.py")


@dataclass(frozen=True)
class Cell:
    """One population, learner and sample size."""

    population: str
    learner: str
    n: int

    @classmethod
    def of(cls, shard: Path) -> "Cell":
        """The cell that a file of a shard belongs to, by the folders above it."""
        n, learner, population = shard.parts[-4:-1]
        return cls(population.replace("_", " "), learner, int(n))

    @property
    def numbers(self) -> bool:
        """Whether the losses are those of numbers."""
        return self.population.replace(" ", "_") in NUMBERS


@functools.cache
def version() -> str:
    """The first letters of a hash of the sources that judge."""
    package, found = Path(heldout.__file__).parent, hashlib.sha256(Path(__file__).read_bytes())
    of_studies = sorted(Path(__file__).with_name("intervals").glob("*.py"))
    for path in [*(path for pattern in SOURCES for path in sorted(package.glob(pattern))), *of_studies]:
        found.update(path.read_bytes())
    return found.hexdigest()[:8]


def judgement(observed: Path) -> Path:
    """Where the judgement of a shard of observations is stored, by the sources of today."""
    return observed.with_name(f"{observed.stem}-{version()}.parquet")


def judge(observed: Path) -> None:
    """Make every interval for the samples of a shard, and remove what other sources made."""
    with np.load(observed) as arrays:
        lines = list(judge_all(Cell.of(observed), dict(arrays)))
    table = pd.DataFrame(lines).astype({"estimate": "category", "method": "category"})
    write(judgement(observed), lambda part: table.to_parquet(part, index=False))
    for earlier in {*observed.parent.glob(f"{observed.stem}*.parquet")} - {judgement(observed)}:
        earlier.unlink(missing_ok=True)


def judge_stored(cache: Path, workers: int) -> None:
    """Judge each shard of observations that the sources of today have not judged."""
    todo = [path for path in sorted(cache.glob("*/*/*/*.npz")) if not judgement(path).exists()]
    in_processes(judge, [(path,) for path in todo], workers, "shards judged")


def judge_all(cell: Cell, seen: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A line for each sample, estimate and admissible interval: bounds, true error of the target, true error of g."""
    loss = SQUARED if cell.numbers else ZERO_ONE
    for place in range(len(seen["true g"])):

        def margins(estimate: str, at: int = place) -> RepeatedByRow:
            of_rows, *of_training = seen[f"{estimate} variances"][at].tolist()
            return RepeatedByRow(seen[estimate][at], of_rows, cell.n, loss, at, *of_training)

        observed: dict[str, Any] = {
            "E_val": Tested(seen["E_val"][place], loss, place, pool=seen["E_cv"][place]),
            "E_cv": Halved(
                seen["E_cv"][place],
                loss,
                place,
                fold=seen["fold"][place],
                tested_per_trained=float(seen["tested_per_trained"][place]),
                **{name: seen[name][place] for name in FURTHER if name in seen},
            ),
            "E_prog": Tested(seen["E_prog"][place], loss, place, pool=seen["E_cv"][place]),
            "E_2cv": margins("E_2cv"),
            "disagreement": margins("disagreement"),
        }
        for estimate, of in observed.items():
            for method in EVERY:
                if estimate in method.covers and method.admits(loss) and _possible(method, of):
                    interval = method.interval(estimate, of, LEVEL)
                    yield {
                        "sample": place,
                        "estimate": estimate,
                        "method": method.name,
                        "value": of.error,
                        "low": interval.low,
                        "high": interval.high,
                        "truth": float(seen[f"true {estimate}"][place]),
                        "final": float(seen["true g"][place]),
                    }
        disagreement = observed["disagreement"]
        yield {
            "sample": place,
            "estimate": "half models",
            "method": "least mean error",
            "value": implied_error.least_mean_error(disagreement.error, loss),
            "low": implied_error.least_half_error(disagreement, loss, LEVEL),
            "high": np.inf,
            "truth": float(seen["true E_2cv"][place]),
            "final": float(seen["true g"][place]),
        }


def _possible(method: IntervalMethod, seen: Any) -> bool:
    fits = method.needs is None or bool(seen.has(method.needs))
    return fits and seen.n >= method.least


def write(path: Path, make: Callable[[Path], Any]) -> None:
    """Write the file completely or not at all, also when the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{os.getpid()}-{path.name}")
    make(part)
    part.replace(path)


def in_processes(work: Callable[..., object], arguments: Sequence[tuple[Any, ...]], workers: int, title: str) -> None:
    """`work` for each of the `arguments`, in so many processes, with a bar."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    pool = get_reusable_executor(max_workers=workers)
    with Progress(*columns) as progress:
        bar = progress.add_task(title, total=len(arguments))
        pending = {pool.submit(work, *one) for one in arguments}
        while pending:
            done = {future for future in pending if future.done()}
            for future in done:
                future.result()
                progress.advance(bar)
            pending -= done
            time.sleep(0.2)
