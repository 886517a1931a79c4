"""Verify: whether the history behind a report is whole, and what it says of the report."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from flows.arguments import absolute, add_params

if TYPE_CHECKING:
    from tasks.outcome.history import History
    from tasks.params import Settings

NOT_WHOLE = 3
DESCRIPTION = """\
Check the ledger of operations: that no entry and no validation was removed,
changed, moved or re-dated. With REPORT, a file of reports/ (report.html,
summary.md, selection.json, metrics.json or estimates.csv), also that a
validation of this store wrote it, that its test set was opened once for its
model, and how many candidates were compared.

The store is that of the parameters. --export writes what is checked into a
file, by which somebody without the store checks the same with --ledger. --head
is what a message, a run's tag `ledger` or the terminal said: it is how
somebody who kept it finds a history that was made again. This folder keeps that
of its last night.

Exit codes: 0 nothing was found, 3 something was, 2 there is nothing to check."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The report, the ledger, and a head that somebody kept."""
    parser.add_argument("report", metavar="REPORT", nargs="?", type=absolute, help="a file that a validation wrote")
    parser.add_argument("--ledger", metavar="FILE", type=absolute, help="check an exported file, not the store")
    parser.add_argument("--export", metavar="FILE", type=absolute, help="write what is checked to a file")
    parser.add_argument("--head", metavar="'N HASH'", help="the head of the ledger that was kept, as '12 3f9a1c22…'")
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """Print what was found; returns the exit code. Raises UserError where there is nothing to check."""
    from heldout.printable import printable
    from tasks.outcome.chain import Head
    from tasks.outcome.verified_history import UNSEEN, verify
    from tasks.params import load
    from tasks.runtime import environment
    from tasks.runtime.errors import UserError
    from tasks.storage import files
    from tasks.track import known_store
    from tasks.track.ledger_tags import entry_of

    witness = None if options.head is None else Head.parsed(options.head)
    if options.ledger:  # in any folder
        history = _read(Path(options.ledger))
    else:
        environment.enter()
        settings = load(options.params, options.overrides)
        history, witness = _of_store(settings), witness or known_store.head(settings)
    if options.export:
        Path(options.export).write_text(history.exported(), encoding="utf-8")
    report = None
    if options.report:
        path = Path(options.report)
        if not path.is_file():
            raise UserError(f"REPORT is {path}, which is no file; name one that a validation wrote below reports/")
        report = {path.name: files.file_hash(path)}
    found = verify(history, entry_of, report, witness)
    for line in found.remarks:
        print(printable(f"note      {line}"))
    for line in found.faults:
        print(printable(f"FOUND     {line}"))
    for line in UNSEEN:
        print(f"not seen  {line}")
    print("verified: nothing was removed, changed or moved" if not found.faults else f"found: {len(found.faults)}")
    if found.head is not None:
        print(f"head of the ledger, for others to keep: {found.head}")
    return NOT_WHOLE if found.faults else 0


def _read(path: Path) -> "History":
    from tasks.outcome.history import History
    from tasks.runtime.errors import UserError

    try:
        return History.parsed(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"--ledger is {path}, which cannot be read ({error}); `verify --export FILE` writes one"
        ) from None


def _of_store(settings: "Settings") -> "History":
    from tasks.runtime.errors import UserError
    from tasks.track.operations_ledger import history
    from tasks.track.store import connect, database

    path = database(settings)
    if path is not None and not path.exists():
        raise UserError(
            f"tracking.uri: there is no store at {path}, so there is nothing to check; name one, or --ledger"
        )
    found = history(connect(settings))
    if not found.ledgers and not found.runs:
        raise UserError("the store has no ledger and no validation: there is nothing to check")
    return found
