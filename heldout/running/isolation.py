"""Calls in processes of their own: a learner that never ends, or ends its process, fails there and nowhere else."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from heldout.errors import FitFailure

_IDLE_SECONDS = 60.0  # after which a process ends


@dataclass(frozen=True)
class Isolation:
    """At most so many `processes` at once, and `fit_timeout`, the seconds that a fit may take there.

    It is a record, and can be pickled. The processes start with the first call (`heldout.running.workers`).
    """

    processes: int
    fit_timeout: float

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Start a call; what it returns, or raises, is pickled. Its fits enter `time_limit`."""
        return _workers(self).submit(function, *arguments)

    def result(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a call returns. Raises what it raises, TaskFailed if it ends its process, and as `sent`."""
        with self.sent():
            return self.submit(function, *arguments).result()

    @contextmanager
    def sent(self) -> Iterator[None]:
        """Around what waits for calls: an interruption ends the processes, whatever they do.

        Raises FitFailure for a learner that cannot be pickled.
        """
        try:
            yield
        except (pickle.PicklingError, TypeError) as error:
            raise FitFailure(f"it cannot be sent to a process of its own, as fit_timeout needs: {error}") from error
        except Exception:
            raise
        except BaseException:
            end()
            raise


def time_limit(seconds: float | None, fits: int = 1) -> AbstractContextManager[None]:
    """Around so many fits, in one of the processes: they end with theirs if they take longer. None is no limit."""
    if seconds is None:
        return nullcontext()
    from heldout.running.fit_limit import limited

    return limited(seconds, fits)


def end() -> None:
    """End the processes of this process, whatever they do."""
    while _open:
        _open.popitem()[1].shutdown()


_open: dict[Isolation, Executor] = {}  # at most one set of processes


def _workers(of: Isolation) -> Executor:
    from heldout.running.workers import Workers  # a system without its signals has none

    if of not in _open:
        end()
        _open[of] = Workers(of.processes, of.fit_timeout, idle_seconds=_IDLE_SECONDS)
    return _open[of]
