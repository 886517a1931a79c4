"""The process of a temporary Prefect server, as tasks/runtime/server.py starts it: PORT and PARENT are its
arguments.

Ctrl-C reaches every process of a terminal. This one ignores it, since the flows that it serves still
have to say how they ended, and stops on SIGTERM, or when the process that started it is gone.
"""

import os
import signal
import sys
import threading
import time

import uvicorn


def serve(port: int, parent: int) -> None:
    """Serve Prefect's API on loopback until told to stop, or until the process `parent` is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = uvicorn.Server(
        uvicorn.Config(
            "prefect.server.api.server:create_app",
            factory=True,
            host="127.0.0.1",
            port=port,
            log_level="error",
            lifespan="on",
            timeout_graceful_shutdown=3,
        )
    )
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    thread = threading.Thread(target=server.run)  # outside of the main thread it leaves signals alone
    thread.start()
    while thread.is_alive() and not stop.is_set() and os.getppid() == parent:
        stop.wait(0.3)
    server.should_exit = True
    deadline = time.monotonic() + 8
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(0.1)
    os._exit(0)  # services that do not end by themselves must not keep it


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
