"""A secret of this checkout, which other users of the machine and web pages do not know."""

from heldout.running.secret import secret_of
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError


def checkout_secret(purpose: str) -> str:
    """64 hexadecimal digits that are the same in every process of this checkout, and differ between purposes.

    They are derived from the random bytes of `.cache/secret`, which the first call writes and only its owner may read.
    Raises UserError if other users may have read the file.
    """
    try:
        return secret_of(CACHE / "secret", purpose)
    except PermissionError as error:
        raise UserError(str(error)) from None
