"""The contract of every selection rule, on values from a fixed seed."""

from collections.abc import Callable, Iterator

import numpy as np

from heldout.selection.rules import Compared, SelectionRule
from heldout.testing.law import keep, require

_DRAWS = 50


def check_rule(rule: SelectionRule) -> None:
    """Try every law of a selection rule.

    Parameters
    ----------
    rule : SelectionRule
        The rule.

    Raises
    ------
    AssertionError
        For a law that is broken: it names the law, the rule, and what was seen.

    Examples
    --------
    >>> from heldout.selection.rules.minimum import RULE
    >>> check_rule(RULE)
    """
    keep(LAWS, rule)


def it_says_which_candidate_it_takes(rule: SelectionRule) -> None:
    """In words, and what it needs for that."""
    require(rule.says.strip(), rule.name, "says must be the candidate that it takes, in words")
    law = "a rule without `largest` chooses among candidates that losses do not tell apart: needs_losses must be True"
    require(rule.largest is not None or rule.needs_losses, rule.name, law)


def it_takes_a_candidate_no_worse_than_it_admits(rule: SelectionRule) -> None:
    """One of the values; the first that is within reach, and the best is always within reach."""
    for compared in _drawn():
        first = None
        if rule.largest is not None:
            limit = rule.largest(compared.values[compared.best], compared.standard_error)
            first = next((name for name, value in compared.values.items() if value <= limit), None)
            require(first is not None, rule.name, "the candidate of least value must be within reach", f"{limit}")
        taken = rule.take(compared)
        require(taken in compared.values, rule.name, "it must take one of the candidates", f"{taken!r}")
        if first is None:
            require(taken in compared.indistinguishable, rule.name, "it must take one that is not told apart", taken)
        else:
            require(taken == first, rule.name, "it must take the first candidate within reach", f"{taken}, not {first}")


def a_single_candidate_is_taken(rule: SelectionRule) -> None:
    """Whatever its value."""
    for value in (0.0, 0.3, 40.0):
        taken = rule.take(Compared({"only": value}, "only", 0.1, ("only",)))
        require(taken == "only", rule.name, "a single candidate must be taken", f"of value {value}")


def its_reach_is_the_same_for_arrays(rule: SelectionRule) -> None:
    """Bootstraps ask for many at once."""
    if rule.largest is None:
        return
    least, error = np.array([0.0, 0.1, 0.25, 3.0]), np.array([0.0, 0.02, 0.1, 0.5])
    many = np.broadcast_to(rule.largest(least, error), least.shape)
    single = [rule.largest(float(one), float(other)) for one, other in zip(least, error, strict=True)]
    law = "largest must take arrays, with the same result as for each number"
    require(np.allclose(many, single, rtol=1e-12, atol=0), rule.name, law, f"{many} and {single}")
    require((many >= least).all(), rule.name, "largest must not be below the least value", f"{many} for {least}")


LAWS: tuple[Callable[[SelectionRule], None], ...] = (
    it_says_which_candidate_it_takes,
    it_takes_a_candidate_no_worse_than_it_admits,
    a_single_candidate_is_taken,
    its_reach_is_the_same_for_arrays,
)


def _drawn() -> Iterator[Compared]:
    """One to six candidates from simple to complex, with ties."""
    for number in range(_DRAWS):
        rng = np.random.default_rng(number)
        names = "abcdef"[: int(rng.integers(1, 7))]
        values = dict(zip(names, rng.choice([0.1, 0.2, 0.3, 0.4], len(names)).tolist(), strict=True))
        best = min(values, key=values.__getitem__)
        alike = tuple(name for name in names if name == best or rng.random() < 0.5)
        yield Compared(values, best, float(rng.choice([0.0, 0.05, 0.1, 0.5])), alike)
