"""What this process writes below the checkout, whose stores are those of the one who runs the tests.

Python's audit events tell it (PEP 578); what a process that a test starts writes is not among it.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
_OF_TOOLS = {".pytest_cache", ".hypothesis", ".ruff_cache", ".mypy_cache", "__pycache__"}  # and of no run
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CHANGES = {  # an event of Python's: the place of each path among its arguments, and that of its folder's descriptor
    "os.mkdir": {0: 2},
    "os.remove": {0: 1},
    "os.rmdir": {0: 1},
    "os.rename": {0: 2, 1: 3},
    "os.link": {1: 3},
    "os.symlink": {1: 2},
    "sqlite3.connect": {0: None},
}
_OF_SQLITE = re.compile(r"file:([^?]*)(.*)")  # an address; else it is a path
_written: dict[str, None] = {}


def watch() -> None:
    """From now on note what is written; for the rest of the process."""
    sys.addaudithook(_note)


def written() -> list[str]:
    """What was written since the last call."""
    found = [*_written]
    _written.clear()
    return found


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" and event not in _CHANGES:  # nearly all: this is called often
        return
    for path in paths(event, arguments):
        _written[f"{event} {path}"] = None


def paths(event: str, arguments: tuple[object, ...]) -> Iterator[Path]:
    """The paths below the checkout, as seen from it, that an audit event changes; not those of caches of tools."""
    places: dict[int, int | None] = _CHANGES.get(event, {})
    if event == "open":
        _, mode, flags = arguments
        writes = bool({*str(mode)} & {*"wax+"}) if mode else bool(int(str(flags)) & _WRITES)
        places = {0: None} if writes else {}
    for place, folder in places.items():
        path = arguments[place]
        if not isinstance(path, str | bytes | os.PathLike) or (folder is not None and arguments[folder] != -1):
            continue
        if event == "sqlite3.connect" and (address := _OF_SQLITE.fullmatch(os.fsdecode(path))):
            if "mode=ro" in address[2]:
                continue
            path = address[1]
        with suppress(OSError):  # the current folder is gone
            full = Path(os.path.normpath(Path.cwd() / os.fsdecode(path)))  # no links resolved: that takes long
            if full.is_relative_to(ROOT) and not _OF_TOOLS & {*full.relative_to(ROOT).parts}:
                yield full.relative_to(ROOT)
