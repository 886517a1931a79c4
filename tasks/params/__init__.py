"""What params.yaml may say, and what is reported when it is wrong.

May import `runtime` alone. Each key is described once, in the `Field` of its section. The names below are loaded at
their first use: `allowed_extensions` decides before which losses, estimates, … there are.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tasks.params.settings import Candidate, Deliver, Settings, load

__all__ = ["Candidate", "Deliver", "Settings", "load"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("tasks.params.settings"), name)
    raise AttributeError(f"module 'tasks.params' has no attribute {name!r}")
