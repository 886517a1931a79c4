"""Plan: what a run will take, before it starts."""

from collections.abc import Sequence

from tasks.lock import alone


def plan(params: str, overrides: Sequence[str]) -> int:
    """Print the fits of every candidate and scheme, and what they will take. Raises UserError."""
    from tasks import execution
    from tasks import plan as planned
    from tasks.params import load

    settings = load(params, tuple(overrides))
    with alone():
        try:
            for line in planned.lines(settings):
                print(line)
        finally:
            execution.stop(settings.execution)
    return 0
