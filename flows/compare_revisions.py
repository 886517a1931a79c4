"""Compare two revisions: the part of `compare` whose arguments are no files."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heldout.notebook.result import Validation


def are_meant(given: Sequence[str]) -> bool:
    """Whether the arguments are two revisions. Raises UserError if one is, and the other is neither that nor a file."""
    if len(given) != 2 or any("=" in name or Path(name).exists() for name in given):
        return False  # before imports that take longer than a small comparison
    from tasks.runtime.errors import UserError
    from tasks.storage.revisions import WORKSPACE, commit_of

    known = [name == WORKSPACE or commit_of(name) is not None for name in given]
    if any(known) and not all(known):
        other = given[known.index(False)]
        raise UserError(f"{other!r} is no file, and neither git nor DVC knows it as a revision; `git log` lists them")
    return all(known)


def main(names: Sequence[str], option: str | None) -> int:
    """Print the comparison; returns the exit code. Raises UserError, also for an `option` that is for files."""
    from tasks.outcome.compared_revisions import compare
    from tasks.outcome.gate_verdict import ValidatedRun
    from tasks.report.revisions_text import lines
    from tasks.runtime import environment
    from tasks.runtime.errors import UserError
    from tasks.storage import files
    from tasks.storage.revisions import files_at, settings_at

    if option is not None:
        raise UserError(f"{option} is for files, and {names[0]} and {names[1]} are revisions; leave it out")
    environment.enter()
    runs = []
    for name in names:
        with files_at(name, (files.SELECTION, files.ESTIMATES)) as (selection, estimates):
            runs.append(ValidatedRun.of_files(selection, estimates))
    first, second = names
    with on_the_same_rows(first, second) as results:
        compared = compare(runs[0], runs[1], results)
    print("\n".join(lines((first, second), compared, (settings_at(first), settings_at(second)))))
    return 0


@contextmanager
def on_the_same_rows(first: str, second: str) -> Iterator["tuple[Validation, Validation] | None"]:
    """The results of two revisions, for as long as they are read, if the rows of both have the same content.

    None too where one of them has no saved result, or a loss that is a function.
    """
    from heldout.errors import BadArgument
    from heldout.notebook.load import load
    from tasks.runtime.errors import UserError
    from tasks.storage import files
    from tasks.storage.revisions import files_at

    with ExitStack() as stack:

        def found(path: Path) -> list[Path]:
            return [stack.enter_context(files_at(name, (path,)))[0] for name in (first, second)]

        results = None
        with suppress(UserError, BadArgument):
            one, other = (path.read_text() for path in found(files.DATA_HASH))
            if one == other:
                before, after = map(load, found(files.VALIDATION))
                results = (before, after)
        yield results
