"""The contract of every estimate: it is explained, its schemes exist, and it gives records for small tables."""

from collections.abc import Callable
from typing import Any

import numpy as np

from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.estimates.definition import Definition
from heldout.estimates.methods import DEFAULTS
from heldout.losses import SQUARED, ZERO_ONE
from heldout.schemes import SCHEMES
from heldout.testing.law import keep, require

_ROWS = 60


def check_estimate(definition: Definition) -> None:
    """Try every law of an estimate.

    Parameters
    ----------
    definition : Definition
        The estimate. That of another package has to be allowed (`heldout.allow`).

    Raises
    ------
    AssertionError
        For a law that is broken: it names the law, the estimate, and what was seen.
    BadArgument
        For an estimate that is not in the registry.

    Examples
    --------
    >>> from heldout.estimates import ESTIMATES
    >>> check_estimate(ESTIMATES["E_val"])
    """
    if ESTIMATES.get(definition.name) is not definition:
        raise BadArgument(
            "definition",
            f"{definition.name} is not in the registry of estimates; install the package that has it, and call "
            "heldout.allow with its module right after import heldout",
        )
    keep(LAWS, definition)


def it_is_explained(definition: Definition) -> None:
    """In words, wherever it is shown."""
    empty = [name for name in ("meaning", "about", "trained_on", "interval") if not getattr(definition, name)]
    require(not empty, definition.name, "meaning, about, trained_on and interval must be words", f"not {empty}")
    require(definition.meaning.endswith("."), definition.name, "meaning must be a sentence", definition.meaning)
    law = "after_the_choice is for an estimate of the winner, which must have it"
    require(bool(definition.after_the_choice) == bool(definition.of_winner), definition.name, law)


def it_is_made_of_schemes_that_exist(definition: Definition) -> None:
    """Those of `heldout.schemes`, or its own."""
    wanted = {*definition.further, *([definition.scheme] if definition.scheme else [])}
    require(wanted <= {*SCHEMES}, definition.name, f"its schemes must be among {', '.join(SCHEMES)}", f"{wanted}")
    law = "own_schemes must be its scheme, or among the further"
    require({*definition.own_schemes} <= wanted, definition.name, law, f"{[*definition.own_schemes]}")
    made = bool(definition.of_candidate or definition.of_winner)
    require(bool(wanted) == made, definition.name, "what has of_candidate or of_winner, and that alone, has a scheme")


def every_method_of_it_covers_it(definition: Definition) -> None:
    """And the defaults admit the losses that they are for."""
    methods = [*definition.methods, *(method for some in definition.valid.values() for method in some)]
    chosen = definition.default
    if chosen is not None:
        methods += chosen.methods
        both = chosen.zero_one.admits(ZERO_ONE) and chosen.other.admits(SQUARED)
        require(both, definition.name, "the default of 0/1 losses and that of others must admit these losses")
    for method in methods:
        law = "each of its methods must name it in covers"
        require(definition.name in method.covers, definition.name, law, f"{method.name} covers {[*method.covers]}")
    for kind, some in definition.valid.items():
        both = all(any(method.admits(loss) for method in some) for loss in (ZERO_ONE, SQUARED))
        require(both, definition.name, f"valid must have a method of every loss for rows with {kind}")
    carried = not definition.carried_from or definition.carried_from in DEFAULTS
    require(carried, definition.name, f"carried_from must be one of {', '.join(DEFAULTS)}", definition.carried_from)


def it_gives_a_record_for_every_table_that_admits_it(definition: Definition) -> None:
    """Of its name, with a target, bounds about the value or none, and the same for the same seed."""
    if definition.of_candidate is None and definition.of_winner is None:
        return
    for loss in (ZERO_ONE, SQUARED):
        if definition.refused_by(loss) is not None:
            continue
        records, again = _records(definition, loss.name), _records(definition, loss.name)
        law = f"it must give a record for a table of the {loss.name} loss"
        require(records, definition.name, law, "there is none")
        require(repr(records) == repr(again), definition.name, "the same seed must give the same records", f"{records}")
        for record in records:
            named = record.estimate == definition.name and record.target
            require(named, definition.name, "a record must have its name and a target", f"{record}")
            law = "a record must have an interval and both bounds, or none of them"
            there = {bound is None for bound in (record.low, record.high, record.interval)}
            require(len(there) == 1, definition.name, law, f"{record}")
            if record.low is not None and record.high is not None:
                about = record.low <= record.value <= record.high
                require(about, definition.name, "the bounds must bracket the value", f"{record}")


LAWS: tuple[Callable[[Definition], None], ...] = (
    it_is_explained,
    it_is_made_of_schemes_that_exist,
    every_method_of_it_covers_it,
    it_gives_a_record_for_every_table_that_admits_it,
)


def _records(definition: Definition, loss: str) -> list[Any]:
    """Its records for two candidates and a small table."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    import heldout

    rng = np.random.default_rng(0)
    X, unlabeled = rng.normal(size=(_ROWS, 2)), rng.normal(size=(2 * _ROWS, 2))
    numbers = X[:, 0] + rng.normal(size=_ROWS)
    tree, y = (DecisionTreeClassifier, numbers > 0) if loss == "zero_one" else (DecisionTreeRegressor, numbers)
    candidates = {f"tree of {depth}": tree(max_depth=depth, random_state=0) for depth in (1, 3)}
    # of the winner alone: made from what decides who wins
    names = [definition.name] if definition.of_candidate else ["E_cv", definition.name]
    found = heldout.validate(candidates, X, y, unlabeled=unlabeled, loss=loss, estimates=names, repeats=3, seed=0)
    return [record for record in found.estimates if record.estimate == definition.name]
