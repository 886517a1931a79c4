"""Servers of other machines that anybody in the network can read and change: a run says so."""

import ipaddress
import logging
import os
from collections.abc import Iterator
from urllib.parse import urlsplit

log = logging.getLogger("heldout")

_PREFECT = "PREFECT_API_URL"
_PASSWORDS = {
    "tracking.uri": ("MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_TOKEN"),
    _PREFECT: ("PREFECT_API_AUTH_STRING", "PREFECT_API_KEY"),
}


_said: set[str] = set()  # by this process


def warn(tracking_uri: str) -> None:
    """Log each of the `warnings` once."""
    for warning in warnings(tracking_uri):
        if warning not in _said:
            _said.add(warning)
            log.warning("%s", warning)


def warnings(tracking_uri: str) -> Iterator[str]:
    """A line for MLflow's server, and a line for Prefect's, if it is reached in the clear and without a password."""
    for name, address in (("tracking.uri", tracking_uri), (_PREFECT, os.environ.get(_PREFECT, ""))):
        place = urlsplit(address)
        known = place.username or any(os.environ.get(variable) for variable in _PASSWORDS[name])
        if place.scheme == "http" and not known and not _is_here(place.hostname or ""):
            yield (
                f"{name} leads to {place.hostname}, another machine, by http and without a password: whoever is in the "
                f"network can read and change what is there. Use https and a password ({_PASSWORDS[name][0]}), or a "
                "tunnel: docs/how-to/stores.md"
            )


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
