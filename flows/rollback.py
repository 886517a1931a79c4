"""Rollback: the former champion is the champion again."""

from collections.abc import Sequence

from tasks.params import load
from tasks.track import rollback as track


def rollback(params: str, overrides: Sequence[str]) -> int:
    """Return the alias to the version that the champion replaced; returns the exit code."""
    settings = load(params, overrides)
    done = track.rollback(settings)
    print(done, flush=True)
    from flows.events import champion_restored  # the import of Prefect takes seconds, and the alias is moved by now

    champion_restored(settings, str(done))
    return 0
