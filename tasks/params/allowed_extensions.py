"""The packages whose extensions a run takes up (`heldout.extensions`): those that execution.allowed_modules names.

Names of losses, estimates, … are listed when `heldout` is imported, so that a command reads this one key before.
"""

from collections.abc import Sequence
from pathlib import Path

from heldout import extensions
from heldout.errors import BadArgument
from tasks.params import allowed_imports, taken_up
from tasks.params.hidden import reveal
from tasks.params.yaml_lines import Written
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
    named = taken_up.of_others(allowed_imports.named(written.value))
    extensions.use([module for module in named if extensions.offered_by([module])])
    try:
        if extensions.allowed():
            extensions.load()
    except BadArgument as error:
        raise UserError(f"{path}: execution.allowed_modules: {error}") from None
