"""Where MLflow's pages of this checkout are, for links: the process that shows them says it."""

from tasks.runtime.environment import CACHE
from tasks.runtime.listening import LOOPBACK
from tasks.runtime.private_files import write_private
from tasks.runtime.process_identity import alive, identity

PORT = 5000
USUAL = f"http://{LOOPBACK}:{PORT}"
_NOTE = CACHE / "pages"


def note(address: str) -> None:
    """Note that this process shows the pages at `address`, for as long as it lives."""
    _NOTE.parent.mkdir(exist_ok=True)
    write_private(_NOTE, f"{identity()} {address}".encode())


def current() -> str:
    """The address that a process noted which still lives, the last if there are two; else that of `make ui`."""
    try:
        process, _, address = _NOTE.read_text(encoding="utf-8").partition(" ")
    except (OSError, UnicodeDecodeError):
        return USUAL
    return address if address.startswith("http://") and alive(process) else USUAL
