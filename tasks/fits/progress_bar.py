"""The progress of a run: one bar in a terminal, plain lines in a log; the time left is what rich tells of its speed."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from tasks.fits.work import Work

log = logging.getLogger("heldout")
_LOG_EVERY_SECONDS = 10.0
_SPEED_SECONDS = 3600.0  # of which the speed is the mean


@dataclass
class _Done:
    """What the fan-outs of this process have done so far."""

    tasks: int = 0
    seconds: float = 0.0  # of work, as expected before


_earlier = _Done()


class Progress:
    """The tasks done and to do, of a fan-out and of those before it, by their expected seconds where all have some.

    `measuring` is for the fits by which the seconds of all others are expected: the size of the run is unknown then.
    """

    def __init__(self, what: str, todo: Sequence[Work], *, measuring: bool = False) -> None:
        self._what, self._todo, self._measuring = what, todo, measuring
        self._timed = all(work.seconds for work in todo)
        self._tasks, self._seconds = 0, 0.0  # done
        self._logged = time.monotonic()
        console = Console()
        self._shown = console.is_terminal and bool(todo)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counted]}"))
        self._bar = Bar(
            *(*columns, TimeRemainingColumn()),
            console=console,
            transient=True,
            disable=not self._shown,
            speed_estimate_period=_SPEED_SECONDS,
            get_time=time.monotonic,
        )

    def __enter__(self) -> "Progress":
        self._line = self._bar.add_task(self._what, **self._state())
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()
        _earlier.tasks += self._tasks
        _earlier.seconds += self._seconds

    def advance(self, *works: Work) -> None:
        """Count the finished tasks of one more task run."""
        self._tasks += len(works)
        self._seconds += sum(work.seconds for work in works)
        state = self._state()
        self._bar.update(self._line, **state)
        if not self._shown and time.monotonic() - self._logged >= _LOG_EVERY_SECONDS:
            self._logged = time.monotonic()
            log.info("%s: %s tasks%s", self._what, state["counted"], self._left())

    def _left(self) -> str:
        """The time left, as the bar has it; empty where nobody can tell, and where it is over at once."""
        seconds = self._bar.tasks[0].time_remaining or 0.0
        if seconds < 2:
            return ""
        return (
            f", about {seconds:.0f} s of fits left" if seconds < 100 else f", about {seconds / 60:.0f} min of fits left"
        )

    def _state(self) -> dict[str, Any]:
        """What the bar shows: how much is done, and of how much, which nobody knows while it is measured."""
        tasks, of_tasks = _earlier.tasks + self._tasks, _earlier.tasks + len(self._todo)
        done, total = float(tasks), float(of_tasks)
        if self._timed:
            done = _earlier.seconds + self._seconds
            total = _earlier.seconds + sum(work.seconds for work in self._todo)
        known = not self._measuring
        return {
            "completed": done,
            "total": total if known else None,
            "counted": f"{tasks}/{of_tasks if known else '?'}",
        }
