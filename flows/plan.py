"""Plan: what a run will take, before it starts."""

from collections.abc import Sequence

from tasks.runtime.checkout_lock import checkout_lock


def plan(params: str, overrides: Sequence[str]) -> int:
    """Print the fits of every candidate and scheme, and what they will take. Raises UserError."""
    from tasks.fits import executor
    from tasks.fits import forecast as planned
    from tasks.params import load

    settings = load(params, tuple(overrides))
    with checkout_lock():
        try:
            for line in planned.lines(settings):
                print(line)
        finally:
            executor.stop(settings.execution)
    return 0
