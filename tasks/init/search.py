"""How many further candidates a budget allows, and how many of all get every fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tasks.init.edit_params import KeyPath
from tasks.init.learners import Family
from tasks.plans import budget
from tasks.plans.budget import FINALISTS, Choice, Cost, TableSize

_BLOCKS = 10  # at most, of E_prog: each candidate makes their fits
_SHARE = 0.6  # of the budget that a run with a search may be expected to take: drawn points are not measured
_DRAWN = 1.5  # times the cost of the candidate as it is written, for each draw


@dataclass(frozen=True)
class Search:
    """The draws of each family, as a `share` of the most; None for the candidates that need no search alone.

    Of all candidates so many are `finalists`; None for all.
    """

    share: float | None
    finalists: int | None = None

    def values(self, families: Sequence[Family]) -> dict[KeyPath, Any]:
        """The candidates of params.yaml, from simple to complex, and how many of them are finalists."""
        written = [self._candidate(family) for family in families if family.always or self.share is not None]
        by_name = {each["name"]: {key: of for key, of in each.items() if key != "name"} for each in written}
        return {("candidates",): by_name, ("selection", "finalists"): self.finalists}

    def draws(self, family: Family) -> int:
        """The number of further candidates."""
        return round((self.share or 0) * family.draws)

    def _candidate(self, family: Family) -> dict[str, Any]:
        draws = self.draws(family)
        if not draws or family.values is None:
            return {**family.learner}
        values = {name: of if isinstance(of, str) else [*of] for name, of in family.values.items()}
        return {**family.learner, "search": {"draws": draws, "values": values}}


NONE, EACH_ONCE = Search(None), Search(0.0)
_FROM_THE_MOST = (Search(1.0, FINALISTS), Search(0.5, FINALISTS))


def choose(
    families: Sequence[Family],
    costs: Mapping[str, Cost],
    table: TableSize,
    choice: Choice,
    seconds: float,
    workers: int,
) -> tuple[Search, Choice]:
    """The largest search that a part of `seconds` allows with the rows of the `choice`, and the fits and seconds then.

    `costs` are by the name of the family. There is no search on part of the rows: that all are used comes first; and
    none on few, which cannot tell so many candidates apart.
    """
    if choice.rows < table.labeled or table.labeled < budget.FEWEST_ROWS:
        return NONE, choice
    effort = replace(choice.effort, blocks=min(_BLOCKS, choice.effort.blocks))
    for search in _FROM_THE_MOST:
        searched = replace(choice, effort=effort)
        needed = expected(search, families, costs, table, searched, workers)
        if needed <= _SHARE * seconds:
            return search, replace(searched, seconds=needed)
    return NONE, choice


def expected(
    search: Search,
    families: Sequence[Family],
    costs: Mapping[str, Cost],
    table: TableSize,
    choice: Choice,
    workers: int,
) -> float:
    """The seconds of a run in which nobody is dropped before the slowest candidates are the finalists."""
    every = [
        costs[family.name].times(factor) for family in families for factor in (1.0, *[_DRAWN] * search.draws(family))
    ]
    every.sort(key=lambda cost: cost.seconds(choice.rows, choice.rows), reverse=True)
    before = [*budget.before_race(choice.rows, choice.effort)]
    later = [*budget.after_race(choice.rows, choice.effort, table.unlabeled_next_to(choice.rows))]
    made = [(cost, [*before, *(later if place < FINALISTS else ())]) for place, cost in enumerate(every)]
    after = budget.after_the_choice(choice.rows, choice.effort.folds, table)
    return budget.run_seconds(made, after, table, workers)
