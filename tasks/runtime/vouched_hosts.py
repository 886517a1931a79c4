"""Which servers a run may talk to where a file of the project names one, which may be somebody else's file.

A login of the environment (MLFLOW_TRACKING_PASSWORD, PGPASSWORD, …) would follow every address, and so would the
results. So a server is used only if the user vouches for it: it is named outside of the project, or it is a process of
the same user on this machine. SECURITY.md says who is trusted.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

from tasks.runtime.errors import UserError

_PREFECT = "PREFECT_API_URL"
OF_THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")
_HOST = r"\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]*"
_ADDRESS = re.compile(
    rf"([a-z][a-z0-9+.-]*)://(?:[^/?#@\\\s]*@)?({_HOST})(?::(\d{{1,5}}))?(/[^?#\\\s]*)?(\?[^#\\\s]*)?"
)
# of an address that names no port, by which a server is known
_PORTS = {"http": 80, "https": 443, "postgresql": 5432, "mysql": 3306, "mssql": 1433, "ssh": 22}
# what may follow the name of a database; anything else may lead to another server, as host=, service= and passfile= do
_HARMLESS = {"sslmode", "sslrootcert", "connect_timeout", "application_name", "charset"}


@dataclass(frozen=True)
class Server:
    """Where an address leads to: two addresses of one server are equal. `kind` is its scheme without a driver."""

    kind: str
    host: str
    port: int

    @classmethod
    def of(cls, address: str) -> "Server | None":
        """The server of an address; None where it cannot be told, or where a query may change it."""
        found = _ADDRESS.fullmatch(address)
        if found is None:
            return None
        kind = re.sub("^postgres$", "postgresql", found[1].partition("+")[0])
        asked = {pair.partition("=")[0] for pair in (found[5] or "")[1:].split("&") if pair}
        if asked - _HARMLESS and not kind.startswith("http"):
            return None
        return cls(kind, found[2].lower(), int(found[3] or _PORTS.get(kind, 0)))

    @property
    def is_named_elsewhere(self) -> bool:
        """Whether the address names no host: a database's driver takes that of the user's environment (PGHOST)."""
        return self.kind == "postgresql" and not self.host


def check(
    key: str, address: str, own: Iterable[str | None], *, remedy: str, gets: str, start: str = "start the server"
) -> None:
    """Raise UserError unless the user vouches for the server at an address, which a file of the project has at `key`.

    `own` are addresses that the user has named outside of the project; `remedy` is how to do so, `gets` what the server
    would be given, and `start` how to have one here.
    """
    server, known = Server.of(address), [one for one in own if one]
    if address in known or (server is not None and server in map(Server.of, known)):
        return
    if server is not None and (server.is_named_elsewhere or (server.host in OF_THIS_MACHINE and _is_ours(server))):
        return
    if server is not None and server.host in OF_THIS_MACHINE:
        why = f"which is no server of yours: no process of yours listens there; {start}. If you trust another user's"
    else:
        why = f"which is not this machine, and which you have not named yourself: {gets}. If you trust it"
    raise UserError(f"{key} is {address}, {why}, {remedy}")


def check_prefect(address: str) -> None:
    """Raise UserError unless Prefect's API at the address is named in the user's environment, or on this machine.

    Prefect also reads prefect.toml, pyproject.toml and .env of a project.
    """
    server, own = Server.of(address), os.environ.get(_PREFECT)
    if server is None or server.host not in OF_THIS_MACHINE:  # where another user's server is refused by the secret
        remedy = f"set the environment variable {_PREFECT} to this address"
        check(f"{_PREFECT} of this folder", address, [own], remedy=remedy, gets="it would be sent your login")


def _is_ours(server: Server) -> bool:
    """Whether a process whose files we may see, so a process of this user, listens at the port of this machine."""
    try:
        found = psutil.net_connections("tcp")
    except psutil.AccessDenied:  # a system that tells nobody
        return False
    listening = [each for each in found if each.status == psutil.CONN_LISTEN and each.pid is not None]
    return any(each.laddr and each.laddr.port == server.port for each in listening)
