"""A file is read, and its content checked in full, in a process with limits of memory and time, before it is used.

It is data from a stranger, or cut short on its way: compiled readers believe what it says, so that a few bytes may ask
for all memory, never end, or end the process that reads them. No check of the file finds all of that.
"""

import atexit
import os
import resource
import signal
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from heldout.running import exit_code, lifeline
from tasks.data import file_formats
from tasks.data.file_formats import FileRows
from tasks.data.text_form import TextForm
from tasks.runtime.errors import UserError
from tasks.runtime.memory_limit import allowed, limited_memory

SMALL_TEXT = 200_000  # bytes of plain text in columns, which cannot ask for more than some hundred megabytes
_LEAST_SECONDS, _A_BYTE_SECONDS = 300.0, 1e-5  # that reading may take
_IDLE_SECONDS = 60.0  # after which the process ends
_OUT_OF_MEMORY = 125  # its exit code then


def read(path: Path, key: str, missing: Sequence[str], as_strings: Collection[str], text: TextForm) -> FileRows:
    """The rows of a file, as `file_formats.read` in another process.

    Raises UserError that names `key` and the file, also where reading it needs more memory or time than it may take, or
    ends its process. Plain text of at most `SMALL_TEXT` bytes is read here, without the start of a process.
    """
    if not path.is_file() or (path.suffix in (".csv", ".tsv") and path.stat().st_size <= SMALL_TEXT):
        return file_formats.read(path, key, missing, as_strings, text)
    memory, seconds = allowed(), _LEAST_SECONDS + _A_BYTE_SECONDS * path.stat().st_size
    try:
        found = _Reader.current().ask((Path.cwd(), path, key, [*missing], [*as_strings], text, memory), seconds)
    except _Ended as ended:
        raise UserError(f"{key}: {path} cannot be read: reading it {ended}; give another file") from None
    if isinstance(found, FileRows):
        return found
    raise UserError(str(found))


class _Ended(Exception):
    """How a process ended before it answered."""


class _Reader:
    """A process that reads one file after the other."""

    _newest: "_Reader | None" = None

    def __init__(self) -> None:
        from loky.backend import get_context

        context = get_context("loky")
        self._connection, there = context.Pipe()
        self._process: Any = context.Process(target=_serve, args=(there, lifeline.lifeline()))
        self._process.start()
        there.close()
        self._used = time.monotonic()
        try:
            self._connection.recv()  # it is there: its imports are no part of a file's time
        except (EOFError, ConnectionError):
            self.end()
            raise _Ended("needs a process, which did not start") from None
        self._used = time.monotonic()

    @classmethod
    def current(cls) -> "_Reader":
        """The process of the last file, or a new one where it has ended or is about to."""
        newest = cls._newest
        if newest is None or not newest._lives():
            newest = cls._newest = cls()
            atexit.register(newest.end)
        return newest

    def ask(self, request: object, seconds: float) -> object:
        """Its answer. Raises _Ended if it takes longer, or ends."""
        try:
            self._connection.send(request)
            if not self._connection.poll(seconds):
                raise _Ended(f"took longer than the {seconds:.3g} s that it may take")
            found = self._connection.recv()
        except (EOFError, ConnectionError):
            self._process.join(5)
            code = self._process.exitcode or 0
            self.end()
            if code == _OUT_OF_MEMORY:
                raise _Ended("needs more memory than it may take, half of what is free") from None
            raise _Ended(
                f"ended its process ({exit_code.in_words(code)}), as where it lacks memory: half of what is free"
            ) from None
        except BaseException:  # also an interruption: its answer would be that to the next file
            self.end()
            raise
        self._used = time.monotonic()
        return found

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process.exitcode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        self._connection.close()
        self._process.join(5)
        atexit.unregister(self.end)
        if _Reader._newest is self:
            _Reader._newest = None

    def _lives(self) -> bool:
        if time.monotonic() - self._used < _IDLE_SECONDS / 2 and self._process.exitcode is None:
            return True
        self.end()
        return False


def _serve(connection: Connection, line: tuple[int, int]) -> None:
    """Read files, in the child, until nobody asks for a while."""
    os.setsid()  # an interruption of the terminal is the main process's
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for place in (1, 2):
        os.dup2(nowhere, place)
    lifeline.end_with(*line)
    with suppress(EOFError, ConnectionError):
        import pyarrow  # noqa: F401  # with pandas, which takes a second

        connection.send(None)
        while connection.poll(_IDLE_SECONDS):
            folder, path, key, missing, as_strings, text, memory = connection.recv()
            os.chdir(folder)
            try:
                with limited_memory(memory):
                    _answer(connection, partial(file_formats.read, path, key, missing, as_strings, text))
            except MemoryError:
                os._exit(_OUT_OF_MEMORY)


def _answer(connection: Connection, reads: Any) -> None:
    try:
        connection.send(reads())
    except UserError as error:
        connection.send(str(error))
