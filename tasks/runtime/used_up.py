"""What the system has no more of, as one line that a user can act on: space, files, processes."""

from pathlib import Path

from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import check_space, full_disk, is_full
from tasks.runtime.process_limits import is_limited, limited


def used_up(error: BaseException) -> UserError | None:
    """What the user reads of an error that says so; None for another error, which is a crash of ours."""
    if is_full(error):
        return full_disk()
    if is_limited(error):
        return limited()
    try:
        check_space(Path())  # of a full disk Prefect's server says no more than "Internal Server Error"
    except UserError as full:
        return full
    return None
