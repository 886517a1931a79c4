"""Learners that print nothing in the terminal: their warnings are counted with their fits."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_LIGHTGBM = "[LightGBM] [Warning] "
# the usual end of training on few rows, logged for each tree
_NO_NEWS = ("No further splits with positive gain", "Stopped training because there are no more leaves")


@contextmanager
def quiet() -> Iterator[None]:
    """Show no warning. LightGBM prints its messages: its warnings become Python warnings, the rest is dropped."""
    if "lightgbm" in sys.modules:
        sys.modules["lightgbm"].register_logger(_Log())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _Log:
    """The logger that LightGBM needs; its library sends warnings as information too."""

    def info(self, text: str) -> None:
        """A line of the library."""
        if text.startswith(_LIGHTGBM):
            self.warning(text.removeprefix(_LIGHTGBM).strip())

    def warning(self, text: str) -> None:
        """A line of the Python package."""
        if not text.startswith(_NO_NEWS):
            warnings.warn(text, stacklevel=2)
