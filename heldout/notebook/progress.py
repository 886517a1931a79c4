"""The progress of `heldout.validate`: a bar of the fits made, on stderr."""

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, Self

from heldout.printable import printable

_SECONDS = 1.0  # a run that ends before shows nothing


class FitBar:
    """A bar in a terminal or in a notebook, where tqdm is installed; elsewhere nothing."""

    def __init__(self, *, shown: bool) -> None:
        self._total: Callable[[], int] = int
        self._done, self._started = 0, time.monotonic()
        self._shown = shown and _seen_by_a_person()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._shown, self._total = False, int  # a validation, which is pickled, has its bar
        if self._bar is not None:
            self._bar.total = self._bar.n  # in a notebook tqdm 4.70 leaves a red bar where some are missing
            self._bar.close()
            self._bar = None

    def advance(self, candidate: str, fits: int = 1) -> None:
        """Count the fits that were made for a candidate, or that it did not need."""
        self._done += fits
        if not self._shown or time.monotonic() - self._started < _SECONDS:
            return
        if self._bar is None:
            self._bar = _tqdm(self._total())
            self._shown = self._bar is not None
            if not self._shown:
                return
        self._bar.total = self._total()
        self._bar.set_description_str(printable(candidate), refresh=False)
        self._bar.update(self._done - self._bar.n)

    def expect(self, total: Callable[[], int]) -> None:
        """Count up to so many fits, which is asked for whenever the bar is shown."""
        self._total = total


def _seen_by_a_person() -> bool:
    stream = sys.stderr
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel"))


def _tqdm(total: int) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a notebook without widgets gets a bar of text
            from tqdm.auto import tqdm
    except ImportError:
        return None
    # without the time left: the fits of the next candidate may take longer
    return tqdm(total=total, leave=False, mininterval=0.3, bar_format="{desc} {bar} {n_fmt} of {total_fmt} fits")
