"""How a process with many imports ends: taking apart what they made takes a second, and the system frees it anyway."""

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn


def leave(code: int, *, at_once: bool = False) -> NoReturn:
    """End this process with an exit code, its modules as they are.

    What was registered with `atexit` is called, as at every end, unless it ends `at_once`: then nothing is waited for.
    """
    if not at_once:
        atexit._run_exitfuncs()
    with suppress(BrokenPipeError):  # nobody reads any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
