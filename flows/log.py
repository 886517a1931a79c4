"""Log: the runs that their store did not take are sent later."""

import argparse
from dataclasses import asdict

from flows.arguments import add_json, add_params, print_json
from tasks.runtime.checkout_lock import checkout_lock

DESCRIPTION = """\
Send each run that its MLflow store did not take, once, to the store that
tracking.uri names now. The store is reached before anything is removed here."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The parameters, which name the store."""
    add_params(parser)
    add_json(parser)


def main(options: argparse.Namespace) -> int:
    """Send each run that waits; returns the exit code. Raises UserError if the store does not take them."""
    from tasks.params import load
    from tasks.track import pending
    from tasks.track.send_pending import send_pending

    settings = load(options.params, tuple(options.overrides))
    sent = []
    with checkout_lock():
        for run in send_pending(settings):
            sent.append(asdict(run))
            if not options.json:
                print(run, flush=True)
    if options.json:
        print_json({"sent": sent})
    elif not sent:
        print(f"no run waits below {pending.FOLDER}/")
    return 0
