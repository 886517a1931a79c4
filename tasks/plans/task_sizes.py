"""How long a task is: the more work there is for each worker, the longer; the last tasks are the short ones."""

_LEAST_SECONDS = 1.0  # less would be lost in the messages
_MOST_SECONDS = 30.0  # more would be too long for the progress of a run, and for workers that come later
_LEAST_PARTS = 250  # so that a run on few workers has tasks of a second as long as they are not many
_SHORTEST = 16


class TaskSizes:
    """Sizes of consecutive tasks that share `seconds` of work among `workers`, which start the longest first.

    A task takes one part in 2 w of the work that is left, where w is the number of workers, and the shortest a
    sixteenth of the first: guided self-scheduling (Polychronopoulos and Kuck, IEEE Trans. Computers C-36, 1987) with
    twice their number of parts. So there are at most about 2 w (1 + ln 16), or 7.6 tasks a worker, and the last worker
    ends after the first by at most about 1/32 of the time, or by the longest single fit.
    """

    def __init__(self, seconds: float, workers: int) -> None:
        self._parts, self._left = max(2 * workers, _LEAST_PARTS), seconds
        self._least = max(_LEAST_SECONDS, seconds / self._parts / _SHORTEST)

    def take(self, seconds: float, most: int) -> int:
        """How many units of so many seconds are in the next task: at least one, at most `most`."""
        wanted = min(_MOST_SECONDS, max(self._least, self._left / self._parts))
        units = max(1, min(most, round(wanted / max(seconds, 1e-6))))
        self._left -= units * seconds
        return units
