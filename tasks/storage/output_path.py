"""Where a command may write a file that the user names: below the checkout."""

from contextlib import suppress
from pathlib import Path

from tasks.runtime.errors import UserError


def below_checkout(option: str, written: str, ending: str) -> Path:
    """The file that an option names, with its links followed.

    Raises UserError unless it lies below the current folder, in no hidden folder, with this ending.
    """
    root = Path.cwd().resolve()
    path = root
    with suppress(OSError, ValueError, RuntimeError):  # a null character, links in a circle
        path = (root / written).resolve()
    parts = path.relative_to(root).parts if path.is_relative_to(root) else ()
    if not parts or path.suffix != ending or path.is_dir() or any(part.startswith(".") for part in parts):
        raise UserError(
            f"{option} is {written!r}; it must be a file below the checkout, in no hidden folder, whose name ends with "
            f"{ending}, as in labels/asked{ending}"
        )
    return path
