"""How processes end: one with many imports, which need not be taken apart since the system frees them, and a child."""

import atexit
import os
import signal
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


def of_exit_code(code: int) -> str:
    """What an exit code says, in words."""
    if code == -signal.SIGKILL:
        return "killed, as the system does when memory runs out"
    return f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"
