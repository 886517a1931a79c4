"""Whether this process has taken up the extensions that execution.allowed_modules names, and no others."""

from collections.abc import Collection, Iterable

from heldout import extensions
from tasks.params import allowed_imports


def why_others(allowed: Collection[str]) -> str | None:
    """Why this process cannot work with the `allowed` modules: it has not taken up what they offer, or other things."""
    wanted = {*extensions.offered_by(of_others(allowed))}
    if wanted or extensions.loaded():
        extensions.load()
    missing, surplus = wanted - {*extensions.loaded()}, {*extensions.loaded()} - wanted
    if missing:
        return (
            f"names a module with extensions ({_packages(missing)}) that this process started without; start the "
            f"command, `make serve` or Python again; in Python call heldout.allow before all else"
        )
    if surplus:
        return (
            f"does not name the module of extensions that this process has taken up ({_packages(surplus)}); name it, "
            f"or start without it (heldout.allow, {extensions.VARIABLE})"
        )
    return None


def of_others(allowed: Iterable[str]) -> list[str]:
    """The allowed modules that may hold extensions."""
    return [module for module in allowed if module not in (*allowed_imports.DEFAULT, allowed_imports.PROJECT)]


def _packages(found: Iterable[extensions.Extension]) -> str:
    return ", ".join(sorted({f"{one.package} {one.version}" for one in found}))
