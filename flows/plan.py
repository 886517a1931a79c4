"""Plan: the fits, seconds and memory of a run, before it starts."""

from collections.abc import Sequence

from tasks.runtime.checkout_lock import checkout_lock


def plan(params: str, overrides: Sequence[str]) -> int:
    """Print the fits of every candidate and scheme, and their expected seconds and memory. Raises UserError."""
    from tasks.fits import executor, forecast
    from tasks.params import load

    settings = load(params, tuple(overrides))
    with checkout_lock("python -m flows plan"):
        try:
            for line in forecast.lines(settings):
                print(line)
        finally:
            executor.stop(settings.execution)
    return 0
