"""Arguments of `heldout.validate` by the names that scikit-learn has for them."""

from typing import Any

from heldout.defaults import FOLDS, SEED
from heldout.errors import BadArgument
from heldout.estimates.criteria import of_metric
from heldout.losses.choice import ordered_as
from heldout.notebook.own_folds import shown


def called_otherwise(*, folds: int, cv: Any, seed: int, random_state: Any, scoring: Any) -> tuple[int, int]:
    """`folds` and `seed`, also where they were given as `cv` and `random_state`.

    Raises BadArgument where both names were given, for a splitter or a generator, and for `scoring`.
    """
    if (loss := ordered_as(scoring)) is not None:
        raise BadArgument(
            "scoring",
            f"scoring is {scoring!r}; here candidates are compared by a loss, of which less is better: say "
            f"loss={loss!r}",
        )
    if (estimate := of_metric(scoring)) is not None:
        raise BadArgument(
            "scoring",
            f"scoring is {scoring!r}; here 1 - it is {estimate}, of which less is better: say "
            f"further_estimates=[{estimate!r}], and select({estimate!r}) chooses by it",
        )
    if scoring is not None:
        raise BadArgument(
            "scoring",
            f"scoring is {scoring!r}; here candidates are compared by a loss, of which less is better: name it as loss "
            "(zero_one, log, brier, balanced, squared, absolute, pinball), or ask Validation.metric after the fits",
        )
    if cv is not None and not hasattr(cv, "__index__"):
        if folds != FOLDS:
            raise BadArgument("cv", f"cv is {shown(cv)}, and folds is {folds!r}: both say which folds; leave out one")
        cv = None  # a splitter: `own_folds`
    return (
        _whole("cv", cv, "folds", folds, FOLDS, "the number of folds; for rows that belong together give groups"),
        _whole("random_state", random_state, "seed", seed, SEED, "the seed of every random choice"),
    )


def _whole(name: str, value: Any, ours: str, given: int, default: int, meaning: str) -> int:
    if value is None:
        return given
    if given != default:
        raise BadArgument(name, f"{name} is {value!r}, and {ours} is {given!r}: both mean {meaning}; leave out {name}")
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadArgument(name, f"{name} is {value!r}; it must be a whole number, as {ours} is: {meaning}")
    return int(value)
