"""What the system has no more of, as one line that a user can act on: space, files, processes."""

from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import full_disk, is_full
from tasks.runtime.process_limits import is_limited, limited


def used_up(error: BaseException) -> UserError | None:
    """What the user reads of an error that says so; None for another error, which is a crash of ours."""
    if is_full(error):
        return full_disk()
    return limited() if is_limited(error) else None
