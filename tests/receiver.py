"""A receiver of notifications: a real HTTP server in a thread, which answers well or not."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "-".join(("T0K3N", "in", "the", "path"))  # not in a file of a clone


class Receiver:
    """What arrived; `address` contains a secret."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/hooks/{TOKEN}?key={TOKEN}"
        self.messages: list[dict[str, Any]] = []
        self.paths: list[str] = []


@contextlib.contextmanager
def receiving(answer: str = "200") -> Iterator[Receiver]:
    """A receiver that answers with a status; or never (`hangs`); or a byte now and then (`drips`)."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.paths.append(self.path)
            receiver.messages.append(json.loads(content))
            if answer == "hangs":
                ended.wait()
            elif answer == "drips":
                with contextlib.suppress(OSError):
                    while not ended.wait(0.1):
                        self.wfile.write(b"H")
                        self.wfile.flush()
            else:
                self.send_response(int(answer))
                if answer.startswith("3"):
                    self.send_header("Location", "/elsewhere")
                self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        receiver = Receiver(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield receiver
        finally:
            ended.set()
            server.shutdown()
