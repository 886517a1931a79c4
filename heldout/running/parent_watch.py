"""The end of a process whose parent is gone: `kill -9` ends one process alone, and its children would run on."""

import os
import threading
import time


def end_with(parent: int) -> None:
    """End this process within a second after the process `parent`, which started it, is gone.

    At once, whatever it does: nobody waits for it, and its finished fits are stored.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
