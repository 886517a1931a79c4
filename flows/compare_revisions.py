"""Compare two revisions: the part of `compare` whose arguments are no files."""

from collections.abc import Sequence
from pathlib import Path


def are_meant(given: Sequence[str]) -> bool:
    """Whether the arguments are two revisions. Raises UserError if one is, and the other is neither that nor a file."""
    from tasks.runtime.errors import UserError
    from tasks.storage.revisions import WORKSPACE, commit_of

    if len(given) != 2 or any("=" in name or Path(name).exists() for name in given):
        return False
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
    print("\n".join(lines((first, second), compare(*runs), (settings_at(first), settings_at(second)))))
    return 0
