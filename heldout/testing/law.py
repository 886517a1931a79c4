"""What the contract tests share: a broken law is an AssertionError that says which, of what, and what was seen."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Subject = TypeVar("Subject")


def require(holds: Any, what: str, law: str, seen: str = "") -> None:
    """Raise AssertionError unless the law `holds`: `what` has broken it, as was `seen`."""
    if not holds:
        raise AssertionError(f"{what}: {law}{f'; {seen}' if seen else ''}")


def refused(call: Callable[[], Any], error: type[Exception]) -> bool:
    """Whether a call raises this error."""
    try:
        call()
    except error:
        return True
    return False


def keep(laws: Sequence[Callable[[Subject], None]], subject: Subject) -> None:
    """Try every law."""
    for law in laws:
        law(subject)
