"""What a run of a deployment may be given: it comes from a server, to which everyone with its login may send it."""

import copy
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.params.left_out import default_of
from tasks.params.settings import Settings
from tasks.params.written import Written
from tasks.runtime.errors import UserError, one_line

# Which method is run on which rows. Everything else is as params.yaml has it: where results are written or sent, whose
# code runs, what is promoted.
_SECTIONS = {
    *("seed", "data", "split", "progressive", "covalidation", "candidates", "loss", "loss_max", "selection"),
    *("intervals", "further_estimates", "deliver", "report", "muted_checks"),
}
_KEYS = {"execution.workers", "execution.budget", "execution.shortcuts", "tracking.experiment"}
_STORE = "tracking.uri"
_OWN_STORE = re.compile(r"sqlite:///([\w./-]+)")  # no query: SQLite's own addresses leave the checkout


def check_given(params: str, overrides: Sequence[str]) -> None:
    """Raise UserError for parameters outside of the checkout, and for an override of a key that only the file may set.

    Called in the checkout, before anything is imported that the parameters name.
    """
    root = Path.cwd().resolve()
    if not Path(params).resolve().is_relative_to(root):
        raise UserError(
            f"params is {one_line(params)}, but a deployment reads parameters of this checkout alone, as in params.yaml"
        )
    written = Written(Path(params), Settings.model_fields)
    before = copy.deepcopy(written.value)
    for override in overrides:
        written.override(override)
    for key, value in _changed(before, written.value):
        if key == _STORE and _is_own(value, root):
            continue
        if key not in _KEYS:
            inside = ", or a store in the checkout, as in sqlite:///mlruns/mlflow.db" if key == _STORE else ""
            raise UserError(
                f"overrides: {one_line(key)} is set to {one_line(repr(value))}, but a deployment may override "
                f"only {', '.join(sorted(_SECTIONS | _KEYS))}{inside}; write it into {one_line(params)} instead"
            )


def _changed(before: dict[Any, Any], after: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The keys outside of `_SECTIONS` whose value is another one, and that value; a section that is none as a whole."""
    for section in after:
        old, new = before.get(section), after[section]
        if section in _SECTIONS or old == new:
            continue
        if not isinstance(new, dict):
            yield str(section), new
            continue
        old = old if isinstance(old, dict) else {}
        for key in [*new, *(key for key in old if key not in new)]:
            if _value(section, key, old) != _value(section, key, new):
                yield f"{section}.{key}", new.get(key)


def _value(section: str, key: str, of: dict[Any, Any]) -> Any:
    """The value of a key, also of one that is left out; an unknown key that is left out has none."""
    try:
        return of[key] if key in of else default_of((section, key))
    except KeyError:
        return None


def _is_own(uri: Any, root: Path) -> bool:
    found = _OWN_STORE.fullmatch(uri) if isinstance(uri, str) else None
    return found is not None and (root / found[1]).resolve().is_relative_to(root)
