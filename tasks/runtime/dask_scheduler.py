"""Which Dask scheduler a run may use: a scheduler can run programs here and on its workers, and sees the rows.

So its address in params.yaml is not enough, which may be somebody else's: docs/how-to/machines.md.
"""

import re

from tasks.runtime import vouched_hosts
from tasks.runtime.errors import UserError

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+):(\d{1,5})")
VARIABLE = "DASK_SCHEDULER_ADDRESS"


def is_address(text: str) -> bool:
    """Whether the text is tcp://HOST:PORT or tls://HOST:PORT."""
    return _ADDRESS.fullmatch(text) is not None


def configured() -> str | None:
    """The address in the user's own configuration of Dask: its environment variable, or a file of `~/.config/dask`."""
    from dask import config

    address = config.get("scheduler-address", None)
    return address if address is None or "://" in address else f"tcp://{address}"


def allowed(written: str | None) -> str:
    """The address `written` in params.yaml, or else the configured one. Raises UserError if no user vouches for it.

    Allowed are the configured address; tls:// with the certificates of Dask's configuration, by which the scheduler
    proves that it is the user's; and a process of the same user on this machine.
    """
    own = configured()
    address = written or own or ""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UserError(f"the Dask scheduler is {address!r}; write tcp://HOST:PORT or tls://HOST:PORT")
    kind = found[1]
    if not (kind == "tls" and _has_certificates()):
        vouched_hosts.check(
            "execution.scheduler",
            address,
            [own],
            remedy=f"set the environment variable {VARIABLE}={address}, or use tls:// with certificates of your own",
            gets="its scheduler could run programs here, and its workers see your rows",
            start=f"start `dask scheduler --host 127.0.0.1 --port {address.rpartition(':')[2]}`",
        )
    return address


def is_exposed(address: str) -> bool:
    """Whether others than users of this machine can reach a scheduler at this address without a certificate."""
    found = _ADDRESS.fullmatch(address)
    return found is None or (found[1] != "tls" and found[2] not in vouched_hosts.OF_THIS_MACHINE)


def _has_certificates() -> bool:
    from dask import config

    tls = config.get("distributed.comm.tls", {})
    return bool(tls.get("ca-file")) and bool((tls.get("client") or {}).get("cert"))
