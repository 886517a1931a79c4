"""The packages whose extensions a run takes up (`heldout.extensions`): those that execution.allowed_modules names.

Names of losses, estimates, … are listed when `heldout` is imported, so that a command reads this one key before.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from heldout import extensions
from heldout.errors import BadArgument
from tasks.params import allowed_imports
from tasks.params.hidden import reveal
from tasks.params.written import Written
from tasks.runtime.errors import UserError


def enter(path: Path, overrides: Sequence[str]) -> None:
    """Have this process, and those that it starts, take up what the modules named in `path` offer, and nothing else.

    Call it before a module that lists names is imported. Raises UserError for an extension that cannot be taken up; a
    file that cannot be read is reported by `load`.
    """
    try:
        written = Written(path, ())
        for override in overrides:
            written.override(reveal(override))
    except UserError:
        extensions.use(())
        return
    named = _of_others(allowed_imports.named(written.value))
    extensions.use([module for module in named if extensions.offered_by([module])])
    try:
        if extensions.allowed():
            extensions.load()
    except BadArgument as error:
        raise UserError(f"{path}: execution.allowed_modules: {error}") from None


def why_others(allowed: Collection[str]) -> str | None:
    """Why this process cannot work with the `allowed` modules: it has not taken up what they offer, or other things."""
    wanted = {*extensions.offered_by(_of_others(allowed))}
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


def _of_others(allowed: Iterable[str]) -> list[str]:
    """The allowed modules that may hold extensions."""
    return [module for module in allowed if module not in (*allowed_imports.DEFAULT, allowed_imports.PROJECT)]


def _packages(found: Iterable[extensions.Extension]) -> str:
    return ", ".join(sorted({f"{one.package} {one.version}" for one in found}))
