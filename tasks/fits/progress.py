"""The progress of a fan-out: a bar in a terminal, plain lines in a log."""

import logging
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

log = logging.getLogger("heldout")
_LOG_EVERY_SECONDS = 10.0


class Progress:
    """The tasks done, their rate and the time left of one fan-out."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._started = self._logged = time.monotonic()
        console = Console()
        self._bar = (
            Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=console,
            )
            if console.is_terminal and total
            else None
        )

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=self._total, rate="")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def advance(self) -> None:
        """Count one more finished task."""
        self._done += 1
        now = time.monotonic()
        rate = self._done / max(now - self._started, 1e-9)
        if self._bar:
            self._bar.update(self._task, advance=1, rate=f"{rate:.1f} tasks/s")
        elif now - self._logged >= _LOG_EVERY_SECONDS:
            self._logged = now
            seconds_left = (self._total - self._done) / rate
            log.info(
                "%s: %d/%d tasks, %.1f tasks/s, %.0f s left", self._what, self._done, self._total, rate, seconds_left
            )
