"""The progress of a run: one bar in a terminal, plain lines in a log; the time left once it can be told."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from tasks.fits import prefetch
from tasks.fits.work import Work

log = logging.getLogger("heldout")
_LOG_EVERY_SECONDS = 10.0
_ENOUGH_SECONDS, _ENOUGH_SHARE = 5.0, 0.1  # of the run must be done before its speed says when the rest is done


@dataclass
class _Done:
    """What the fan-outs of this process have done so far."""

    tasks: int = 0
    expected: float = 0.0  # seconds of work, as expected before
    seconds: float = 0.0  # that the fan-outs with known expectations took


_earlier = _Done()


class Progress:
    """The tasks done and to do, of a fan-out and of the stages after it, as far as they are known.

    `measuring` is for the fits by which the seconds of all others are expected: the size of the run is unknown then.
    """

    def __init__(self, what: str, todo: Sequence[Work], *, measuring: bool = False) -> None:
        self._what, self._todo = what, todo
        self._known = not measuring and all(work.seconds for work in todo)
        self._tasks, self._expected = 0, 0.0  # done
        self._measuring = measuring
        self._started = self._logged = time.monotonic()
        self._end: float | None = None  # when the last fit will be finished
        console = Console()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Left(self))
        self._bar = Bar(*columns, console=console, transient=True) if console.is_terminal and todo else None

    def __enter__(self) -> "Progress":
        self._end = self._expected_end()
        if self._bar:
            done, total = self._counted()
            self._line = self._bar.add_task(self._what, completed=done, total=total)
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
        _earlier.tasks += self._tasks
        if self._known:
            _earlier.expected += self._expected
            _earlier.seconds += time.monotonic() - self._started

    def advance(self, *works: Work) -> None:
        """Count the finished tasks of one more task run."""
        self._tasks += len(works)
        self._expected += sum(work.seconds for work in works)
        self._end = self._expected_end()
        done, total = self._counted()
        if self._bar:
            self._bar.update(self._line, completed=done, total=total)
        elif time.monotonic() - self._logged >= _LOG_EVERY_SECONDS:
            self._logged = time.monotonic()
            left = self.left()
            log.info("%s: %d/%s tasks%s", self._what, done, total or "?", f", {left}" if left else "")

    def share(self) -> float | None:
        """The share of the run's tasks that is done; None while nobody knows how many there are."""
        done, total = self._counted()
        return done / total if total else None

    def left(self) -> str:
        """The time left; empty as long as it is not worth telling, and when it is over."""
        seconds = 0.0 if self._end is None else self._end - time.monotonic()
        if seconds < 1:
            return ""
        return f"about {seconds:.0f} s of fits left" if seconds < 100 else f"about {seconds / 60:.0f} min of fits left"

    def _counted(self) -> tuple[int, int | None]:
        """The tasks of the run that are done, and all, None while nobody knows how many."""
        later = prefetch.of_later_stages(self._todo)
        done = _earlier.tasks + self._tasks + sum(finished for _, finished in later)
        return done, None if self._measuring else _earlier.tasks + len(self._todo) + len(later)

    def _expected_end(self) -> float | None:
        """When all known tasks will be done at the speed of the run so far; None before enough is done."""
        if not self._known:
            return None
        later = prefetch.of_later_stages(self._todo)
        done = _earlier.expected + self._expected + sum(work.seconds for work, finished in later if finished)
        to_do = sum(work.seconds for work in self._todo) - self._expected
        to_do += sum(work.seconds for work, finished in later if not finished)
        now = time.monotonic()
        seconds = _earlier.seconds + now - self._started
        if seconds < _ENOUGH_SECONDS or done <= 0 or done < _ENOUGH_SHARE * (done + to_do):
            return None
        return now + to_do * seconds / done


class _Left(ProgressColumn):
    """The time left, counted down between two tasks."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:  # noqa: ARG002
        return Text(self._progress.left())
