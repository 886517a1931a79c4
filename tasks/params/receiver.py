"""operations.notify: who is sent a message. The address is a secret, since many such addresses contain a token."""

import os
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, SecretStr, WithJsonSchema

_WEBHOOK = "webhook"
_ALLOWED = "write an address that begins with http:// or https://, or $NAME for the environment variable that holds it"


def _address(written: Any) -> Any:
    """The address, checked and hidden. Raises ValueError, whose text never contains it."""
    if isinstance(written, SecretStr):
        return written
    if isinstance(written, dict):
        if list(written) != [_WEBHOOK]:
            raise ValueError(f"is a mapping of other keys than {_WEBHOOK}; write {_WEBHOOK}: URL, or the URL alone")
        written = written[_WEBHOOK]
    if not isinstance(written, str):
        raise ValueError(f"is no text, but of the type {type(written).__name__}; {_ALLOWED}")
    if written.startswith("$"):
        written = _of_environment(written.removeprefix("$"))
    if (reason := _refused(written)) is not None:
        raise ValueError(f"{reason} (it is not shown, since it may contain a token); {_ALLOWED}")
    return SecretStr(written)


Receiver = Annotated[
    SecretStr,
    BeforeValidator(_address),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "propertyNames": {"enum": [_WEBHOOK]},
                    "additionalProperties": {"type": "string"},
                    "minProperties": 1,
                },
            ]
        }
    ),
]


def _of_environment(name: str) -> str:
    if not name.isidentifier():
        raise ValueError(f"begins with $, but no name of an environment variable follows; {_ALLOWED}")
    if name not in os.environ:
        raise ValueError(f"is ${name}, but there is no such environment variable; set it, or write null")
    return os.environ[name]


def _refused(address: str) -> str | None:
    """Why an address cannot be used."""
    if not address.isascii() or not address.isprintable() or " " in address:
        return "has a character that no URL has"
    try:
        parts = urlsplit(address)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "has a host or port that cannot be read"
    if parts.scheme not in ("http", "https"):
        return "does not begin with http:// or https://"
    if not has_host:
        return "names no host"
    return "contains a login" if "@" in parts.netloc else None
