"""A model file in a process that may die: it is loaded there and asked there, and arrays come back (decision 58).

The file may be from somebody else. What it says is in arrays that compiled code follows, so that a prediction may never
end, take all memory, or end its process; no check of the file finds all of that.
"""

import io
import json
import os
import resource
import signal
import threading
import timeit
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure
from heldout.learners.fitting import ROWS_AT_ONCE, reason
from heldout.running.exit_code import in_words
from heldout.running.lifeline import lifeline
from heldout.running.quiet import quiet
from heldout.running.uncollected import uncollected
from heldout.running.workers import start_worker
from tasks.params import Settings
from tasks.runtime.errors import UserError, one_line
from tasks.runtime.memory_limit import allowed, limited_memory
from tasks.storage import model_file

_LONGEST = 3600.0  # seconds that a file may be loaded, or 100,000 rows be answered, where fit_timeout is null
_START_SECONDS = 300.0  # of a process, on a machine that has other work
_MOST_SECONDS = 1e8  # what timers can count
_OUT_OF_MEMORY = 125  # the exit code
_ARRAY, _OBJECTS, _REFUSED = b"a", b"o", b"!"
_TEXT = 1 << 24  # bytes that the answer to a load may have
_A_ROW = 4096  # bytes of a predicted label
_A_SHARE = 16
_KINDS = "biufU"  # of an array's numbers and texts: nothing that refers to other memory
_REPEATS = 3


class Model:
    """A model in its own process: what it answers, and what is known of it. All of it is the file's word.

    Each question raises FitFailure, with the reason, if the model does not answer it or its process dies on it, and
    UserError if the file cannot be loaded.
    """

    def __init__(self, path: Path, settings: Settings, remedy: str) -> None:
        from loky.backend import get_context

        self.path, self._remedy = path, remedy and f"; {remedy}"
        self._fit_timeout, self._memory = settings.execution.fit_timeout, allowed()
        self._expired, self._asked_for, self._loaded = False, 0.0, False
        context = get_context("loky")
        self._connection, there = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(there, lifeline(), path.absolute(), settings, self._memory)
        )
        self._process.start()
        there.close()

    def load(self) -> None:
        """Wait until the file is loaded. Raises UserError if it cannot be."""
        if self._loaded:
            return
        try:
            self._receive(None, _START_SECONDS, _TEXT)
            types, classes, features = (_decoded(self._receive(None, self._limit(0), _TEXT)) for _ in range(3))
        except FitFailure as failure:
            raise UserError(f"{self.path} cannot be loaded: {failure}{self._remedy}") from None
        except _Refused as refused:
            raise UserError(f"{refused}{self._remedy}") from None
        self._loaded = True
        self.types = [name for name in types.tolist() if name]  # an empty list has no type of its own
        if classes.ndim:
            self.classes_ = classes
        if features.ndim:
            self.feature_names_in_ = features

    def predict(self, X: Any) -> NDArray[Any]:
        """What the model's `predict` returns for the rows of X."""
        return self._ask("predict", X, _A_ROW * len(X))

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """What the model's `predict_proba` returns for the rows of X."""
        self.load()
        return self._ask("predict_proba", X, _A_SHARE * len(X) * len(getattr(self, "classes_", ())))

    def seconds(self, X: Any) -> float:
        """The seconds that `predict` takes for the rows of X, the least of some times."""
        return float(self._ask("seconds", X, 0, _REPEATS))

    def _ask(self, what: str, X: Any, most: int, times: int = 1) -> NDArray[Any]:
        self.load()
        try:
            return _decoded(self._receive((what, X), times * self._limit(len(X)), min(_TEXT + most, self._memory // 4)))
        except _Refused as refused:
            raise FitFailure(one_line(str(refused))) from None

    def _limit(self, rows: int) -> float:
        """The seconds that so many rows may take: as long as a fit for each part of them."""
        return (self._fit_timeout or _LONGEST) * max(1, -(-rows // ROWS_AT_ONCE))

    def _receive(self, request: object, seconds: float, most: int) -> bytes:
        """The next message, at most so many bytes. Raises FitFailure if the process dies or takes longer."""
        self._asked_for = seconds
        watch = threading.Timer(min(seconds, _MOST_SECONDS), self._expire)
        watch.daemon = True
        watch.start()
        try:
            if request is not None:
                self._connection.send(request)
            message: bytes = self._connection.recv_bytes(most)
        except (EOFError, ConnectionError):
            raise FitFailure(self._how()) from None
        except OSError:  # a longer message
            self.end()
            raise FitFailure(f"it answers with more than {most} bytes") from None
        finally:
            watch.cancel()
        return message

    def _how(self) -> str:
        """How the process ended."""
        self._process.join(5)
        code = self._process.exitcode
        if self._expired:
            limit = (
                "of execution.fit_timeout" if self._fit_timeout else "that it may take without execution.fit_timeout"
            )
            return f"it took longer than the {self._asked_for:g} s {limit}, and was ended"
        if code == _OUT_OF_MEMORY:
            return (
                f"it needs more than the {self._memory / 1e9:.1f} GB of memory that it may take, half of what is free"
            )
        return f"its process died: {'no exit code' if code is None else in_words(code)}"

    def _expire(self) -> None:
        self._expired = True
        self._kill()

    def _kill(self) -> None:
        """End the process with all that it started."""
        if self._process.exitcode is None:
            for kill in (os.killpg, os.kill):
                with suppress(ProcessLookupError, PermissionError):
                    kill(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """End the process, whatever it does."""
        self._kill()
        self._connection.close()
        self._process.join(5)


@contextmanager
def opened(path: Path, settings: Settings, remedy: str = "") -> Iterator[Model]:
    """The model at `path` in a process of its own, which loads it meanwhile and ends with the block.

    `remedy` is what to do if it cannot be loaded; empty where that depends.
    """
    model = Model(path, settings, remedy)
    try:
        yield model
    finally:
        model.end()


class _Refused(Exception):
    """The reason that the process gives."""


def _serve(connection: Connection, line: tuple[int, int], path: Path, settings: Settings, memory: int) -> None:
    """Load the model and answer, in the child, until it is ended."""
    os.setsid()  # an interruption of the terminal is the main process's
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for place in (1, 2):
        os.dup2(nowhere, place)
    start_worker(*line)
    with uncollected():
        import skops.io  # noqa: F401  # takes a second, which is no part of the load

    settings.use_folder()
    connection.send_bytes(b"")
    try:
        with quiet(), limited_memory(memory):
            _answer_all(connection, path, settings)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    except (EOFError, ConnectionError):  # nobody asks any more
        os._exit(0)


def _answer_all(connection: Connection, path: Path, settings: Settings) -> None:
    try:
        model = model_file.load(path, settings.execution.allowed_modules)
    except UserError as error:
        connection.send_bytes(_REFUSED + str(error).encode())
        return
    connection.send_bytes(_encoded(model_file.untrusted_types(path) or [""]))
    for name in ("classes_", "feature_names_in_"):
        connection.send_bytes(_encoded(_known(model, name)))
    while True:
        what, X = connection.recv()
        try:
            if what == "seconds":
                answer = min(timeit.repeat(lambda: model.predict(X), number=1, repeat=_REPEATS))  # noqa: B023  # at once
            else:
                answer = getattr(model, what)(X)
            connection.send_bytes(_encoded(answer))
        except (MemoryError, ConnectionError):
            raise
        except (Exception, SystemExit) as error:
            connection.send_bytes(_REFUSED + reason(error).encode())


def _known(model: Any, name: str) -> Any:
    """An attribute of the model; 0, which has no dimension, where it has none of use."""
    try:
        found = np.asarray(getattr(model, name))
    except MemoryError:
        raise
    except Exception:
        return 0
    return found if found.ndim == 1 else 0


def _encoded(values: Any) -> bytes:
    """An array as bytes; one of objects as JSON. Raises TypeError for other objects than labels."""
    array = np.asarray(values)
    if not array.dtype.hasobject:
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        return _ARRAY + buffer.getvalue()
    items = [item.item() if isinstance(item, np.generic) else item for item in array.ravel().tolist()]
    if strange := [item for item in items if not isinstance(item, str | int | float)]:
        raise TypeError(f"an answer is of type {type(strange[0]).__name__}, which is no label")
    return _OBJECTS + json.dumps([array.shape, items]).encode()


def _decoded(message: bytes) -> NDArray[Any]:
    """What `_encoded` gave, whoever wrote it. Raises _Refused for a reason, and FitFailure for anything else."""
    kind, content = message[:1], message[1:]
    if kind == _REFUSED:
        raise _Refused(content.decode(errors="replace"))
    try:
        if kind == _ARRAY:
            array: NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
            if isinstance(array, np.ndarray) and array.dtype.kind in _KINDS:
                return array
        elif kind == _OBJECTS:
            shape, items = json.loads(content)
            if all(isinstance(item, str | int | float) for item in items):
                objects: NDArray[Any] = np.empty(len(items), dtype=object)
                objects[:] = items
                return objects.reshape(shape)
    except (ValueError, TypeError, MemoryError, RecursionError, EOFError) as error:
        raise FitFailure(f"its answer cannot be read: {reason(error)}") from None
    raise FitFailure("its answer is no array of numbers or labels")
