"""Where the pages of this machine listen: on loopback, and on one further address for who says that it may."""

import argparse
import contextlib
import socket
import sys
from collections.abc import Iterator

from tasks.runtime.errors import UserError
from tasks.runtime.own_code import MAKE

LOOPBACK = "127.0.0.1"
_OWN = (LOOPBACK, "localhost")
_EVERY = ("0.0.0.0", "::", "")  # noqa: S104
_DOCS = "docs/operations.md, Servers"


def add_host(parser: argparse.ArgumentParser) -> None:
    """--host, and the word without which another address than loopback is refused."""
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default=LOOPBACK,
        help=f"an address of this machine by which others reach the pages, next to {LOOPBACK}; needs --trust-network",
    )
    parser.add_argument(
        "--trust-network",
        action="store_true",
        help="nobody in that network listens: all pages ask for the login, which is sent unencrypted",
    )


def check(host: str, trusted: bool) -> None:
    """Warn of an address that others reach. Raises UserError unless it is one address, and trusted."""
    if host in _OWN:
        return
    if host in _EVERY or ":" in host:
        raise UserError(f"--host is {host!r}; name one IPv4 address or one name of this machine, not all of them")
    if not trusted:
        raise UserError(
            f"--host is {host!r}, which other machines may reach, and nothing is encrypted; say --trust-network if "
            f"nobody there listens to the login and the runs, or use a tunnel: ssh -L ({_DOCS})"
        )
    print(
        f"warning: nothing is encrypted: who listens between {host} and its readers learns the login, with which all "
        f"deployments can be run, and the runs ({_DOCS})",
        file=sys.stderr,
        flush=True,
    )


def sockets(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen on loopback and on `host`. Raises UserError where one of them cannot."""
    with contextlib.ExitStack() as opened:
        found = [opened.enter_context(_listening(address, port)) for address in _addresses(host)]
        opened.pop_all()
        return found


def _addresses(host: str) -> Iterator[str]:
    yield LOOPBACK
    try:
        other = socket.gethostbyname(host)
    except OSError as error:
        raise UserError(f"--host is {host!r}, which is no address: {error.strerror or error}") from None
    if other != LOOPBACK:
        yield other


def _listening(address: str, port: int) -> socket.socket:
    if not 1 <= port <= 65_535:
        raise UserError(f"the port is {port}; it must be between 1 and 65535")
    with socket.socket() as probe:
        if probe.connect_ex((address, port)) == 0:
            raise UserError(
                f"port {port} is in use, perhaps by another `{MAKE} ui` or `{MAKE} serve`; stop it first, or choose "
                "another by --port"
            )
    try:
        return socket.create_server((address, port))
    except OSError as error:
        raise UserError(f"nothing can listen at {address}:{port}: {error.strerror}; choose another") from None
