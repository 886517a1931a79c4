"""Where our servers listen: at a port of loopback alone, which no other machine reaches."""

import socket

from tasks.runtime.errors import UserError
from tasks.runtime.own_code import MAKE

LOOPBACK = "127.0.0.1"


def at(port: int) -> socket.socket:
    """A socket that listens at a port of loopback. Raises UserError if nothing can."""
    if not 1 <= port <= 65_535:
        raise UserError(f"the port is {port}; it must be between 1 and 65535")
    try:
        opened = socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise UserError(
            f"nothing can listen at {LOOPBACK}:{port}: {error.strerror}; stop what does, perhaps another `{MAKE} ui` "
            f"or `{MAKE} serve`, or choose another port by --port"
        ) from None
    # accepted connections inherit it, and asyncio sets it for sockets of another protocol number alone: without it most
    # answers come 40 ms late
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened
