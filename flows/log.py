"""Log: the runs that their store did not take are sent later."""

from collections.abc import Sequence

from tasks.runtime.checkout_lock import checkout_lock


def log(params: str, overrides: Sequence[str]) -> int:
    """Send each run that waits, once; returns the exit code. Raises UserError if the store does not take them."""
    from tasks.params import load
    from tasks.track.send_pending import send_pending

    settings = load(params, tuple(overrides))
    with checkout_lock():
        for line in send_pending(settings):
            print(line, flush=True)
    return 0
