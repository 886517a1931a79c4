"""Intervals for a mean of losses, one method a file.

| module | covers | losses | kind |
|---|---|---|---|
| `wilson` | the error of a fixed hypothesis | 0/1 | asymptotic |
| `hoeffding` | the error of a fixed hypothesis | in [0, 1] | finite-sample |
| `k_fold_hoeffding` | the error of the k-fold hypothesis | in [0, 1] | finite-sample |
| `student_t` | the error of a fixed hypothesis | unbounded | asymptotic |
"""

from heldout.errors import BadArgument


def check_level(level: float) -> None:
    """Raise BadArgument unless 0 < level < 1."""
    if not 0 < level < 1:
        raise BadArgument("level", f"level is {level}; it must lie between 0 and 1, both excluded")
