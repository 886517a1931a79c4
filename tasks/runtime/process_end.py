"""The end of a process with many imports, which need not be taken apart since the system frees them."""

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def leave(code: int, *, at_once: bool = False) -> NoReturn:
    """End this process with an exit code, its modules as they are.

    As at every end threads are waited for, and what was registered with `atexit` is called, unless it ends `at_once`:
    then nothing is waited for.
    """
    if not at_once:  # what the interpreter does before it takes modules apart: the first ends a pool's processes
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    with suppress(BrokenPipeError):  # nobody reads any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
