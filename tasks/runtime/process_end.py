"""How a process with many imports ends: taking apart what they made takes a second, and the system frees it anyway."""

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
