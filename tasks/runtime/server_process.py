"""The process of a Prefect server, started by tasks/runtime/server.py with the arguments PORT and PARENT.

Ctrl-C reaches every process of a terminal. The server ignores it, because the flows still have to report
how they ended. It stops on SIGTERM, or when the process that started it is gone.
"""

import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

sys.path.append(str(Path(__file__).parents[2]))  # last: a file of ours replaces no library

from heldout.running.uncollected import uncollected
from tasks.runtime import empty_database, listening
from tasks.runtime.own_address import OwnAddressOnly


def application() -> ASGIApp:
    """Prefect's API and pages, for this machine's own programs and pages alone."""
    with uncollected():
        from prefect.server.api.server import create_app

        return OwnAddressOnly(asked_again_soon(create_app()))


def asked_again_soon(app: ASGIApp) -> ASGIApp:
    """`app`, which says with each 503 that a tenth of a second is enough.

    Prefect answers so where a transaction that has read finds that another one has written to SQLite: a quarter of the
    smallest runs had one. Its client waits 2, 4, 8 … seconds where no header says how long.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 503:
                message = {**message, "headers": [*message["headers"], (b"retry-after", b"0.1")]}
            await send(message)

        await app(scope, receive, with_header)

    return answer


def serve(port: int, parent: int) -> None:
    """Serve until SIGTERM, or until the process `parent` is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = uvicorn.Server(
        uvicorn.Config(application, factory=True, log_level="error", lifespan="on", timeout_graceful_shutdown=3)
    )
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    # outside of the main thread uvicorn handles no signals
    thread = threading.Thread(target=_run, args=(server, listening.at(port)))
    thread.start()
    while thread.is_alive() and not stop.is_set() and os.getppid() == parent:
        stop.wait(0.3)
    server.should_exit = True
    deadline = time.monotonic() + 8
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(0.1)
    os._exit(0)  # without waiting for services that do not end


def _run(server: uvicorn.Server, listener: socket.socket) -> None:
    with uncollected():
        empty_database.prepare()
    server.run([listener])


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
