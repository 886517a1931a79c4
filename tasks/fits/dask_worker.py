"""What a Dask worker does with a task: have a process of its own make the fit.

The process is new for each run, so that it has the code as it is now; it is a local worker in all else: if a fit ends
it, or takes too long, Dask's worker lives on.
"""

import functools
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heldout import extensions
from heldout.extensions import identity
from heldout.running.workers import Workers
from tasks.fits.reached_packages import reached
from tasks.fits.workers import fit_workers
from tasks.runtime import own_code
from tasks.runtime.errors import UserError
from tasks.runtime.secret import checkout_secret

_IDLE_SECONDS = 10
_workers: dict[tuple[str, int], Workers] = {}  # by run and thread


@dataclass(frozen=True)
class Here:
    """Where a run takes place: a process that differs in one of these is refused, since its bytes might differ."""

    proof: str  # that it reads the same folder
    packages: tuple[tuple[str, str | None], ...]
    kernels: tuple[str, ...]
    extensions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()  # that params.yaml allows, whose packages are among those above

    @classmethod
    def now(cls, modules: tuple[str, ...] = ()) -> "Here":
        """This process."""
        from distributed.versions import get_versions

        packages = get_versions(packages=[*reached(modules)])["packages"]
        return cls(checkout_secret("dask worker"), tuple(sorted(packages.items())), _kernels(), identity(), modules)


@dataclass(frozen=True)
class Failed:
    """What a task raised."""

    error: Exception


def unpack(done: bytes) -> Any:
    """The result of a task, or what it raised."""
    result = pickle.loads(done)  # noqa: S301  # of a cluster that the user trusts
    if isinstance(result, Failed):
        raise result.error
    return result


def run(folder: str, ours: str, name: str, fit_timeout: float | None, payload: bytes) -> bytes:
    """In Dask's worker: have the process of the run `name` do `payload` in `folder`, by our code in `ours`."""
    # Dask's worker is a daemon, which may have no children; this one's end with it (workers.start_worker)
    multiprocessing.current_process().daemon = False
    key = name, threading.get_ident()
    if key not in _workers:
        _workers[key] = fit_workers(1, fit_timeout, idle_seconds=_IDLE_SECONDS)
    try:
        done: bytes = _workers[key].submit(_perform, folder, ours, payload).result()
    except Exception as error:  # Dask would write the task, with all settings, into its log
        if error.__cause__ is not None:
            error.add_note(str(error.__cause__))  # where it was raised
        return pickle.dumps(Failed(error))
    return done


def end(name: str) -> None:
    """In Dask's worker: end the processes of the run, whatever they do."""
    for key in [key for key in _workers if key[0] == name]:
        _workers.pop(key).shutdown()


def pack(here: Here, function: Callable[..., Any], arguments: Sequence[Any]) -> bytes:
    """A task as bytes, which neither the scheduler nor Dask's worker reads."""
    return pickle.dumps((extensions.allowed(), pickle.dumps((here, function, tuple(arguments)))))


def differences(expected: Mapping[str, str | None], found: Mapping[str, str | None]) -> str:
    """The packages whose versions differ, in words; empty if none does."""
    names = sorted(name for name in {*expected, *found} if expected.get(name) != found.get(name))
    return ", ".join(f"{name} is {found.get(name)} there and {expected.get(name)} here" for name in names)


def _perform(folder: str, ours: str, payload: bytes) -> bytes:
    """In the process of the run."""
    os.chdir(folder)
    if Path(ours) != own_code.FOLDER:
        raise UserError(f"its code is that of {own_code.FOLDER}, and not of {ours}; start the worker again")
    allowed, task = pickle.loads(payload)  # noqa: S301  # Dask's workers run what their client says
    extensions.use(allowed)  # before a module that lists names is imported
    if allowed:
        extensions.load()
    here, function, arguments = pickle.loads(task)  # noqa: S301
    _check(here)
    return pickle.dumps(function(*arguments))


@functools.cache
def _check(here: Here) -> None:
    """Raise UserError if this process is another place than the run's."""
    found = Here.now(here.modules)
    if found.proof != here.proof:
        raise UserError(f"{Path.cwd()} is another folder there, with a .cache of its own; share the run's folder")
    if wrong := differences(dict(here.packages), dict(found.packages)):
        raise UserError(f"{wrong}; use the same {own_code.PACKAGES}")
    if found.extensions != here.extensions:
        raise UserError(
            f"extensions are {', '.join(found.extensions) or 'none'} there and {', '.join(here.extensions) or 'none'} "
            "here; install the same"
        )
    if found.kernels != here.kernels:
        raise UserError(
            f"BLAS uses the kernels {', '.join(found.kernels)} there and {', '.join(here.kernels)} here, whose last "
            "bits differ; use the same kind of processor, or set OPENBLAS_CORETYPE to one value in all processes"
        )


def _kernels() -> tuple[str, ...]:
    """The kinds of processor for which the BLAS libraries choose their code: it decides the last bits of a sum."""
    import numpy as np  # noqa: F401  # loads its library
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    return tuple(sorted({str(library["architecture"]) for library in threadpool_info() if "architecture" in library}))
