"""The error of the champion on all rows of the test set that neither trained nor chose it.

Their number grows with the table, and every night looks at all of them: `heldout.monitoring.growing_test_set`.
"""

from dataclasses import dataclass
from typing import Any

from heldout.learners.fitting import test
from heldout.losses import Loss
from heldout.losses.amounts import number, with_unit
from heldout.monitoring.growing_test_set import error_so_far
from tasks.outcome.new_rows import KnownRows, fresh, hidden, unit_of
from tasks.params import Settings
from tasks.plans.all_labeled import AllLabeled
from tasks.storage import files
from tasks.storage.row_ids import read_row_ids

NAME = "E_champion"
_NO_LIMIT = "no interval: it would have to hold in every night, which takes a limit of the loss; state it as loss_max"
_WEIGHTED = "no interval: it would have to hold in every night, and rows have weights, of which no limit is known"


@dataclass(frozen=True)
class ChampionError:
    """The mean loss of version `version` on `rows` rows, or units of rows, and its interval at `level`.

    Rows count by their weights. `hidden` is the share of the new rows that cannot be told from earlier rows, and are
    not among these.
    """

    version: str
    rows: int
    unit: str
    value: float
    low: float | None
    high: float | None
    level: float
    hidden: float

    def numbers(self) -> dict[str, float]:
        """The numbers by their names in MLflow, in events and in promotion.json."""
        ends = {f"{NAME}_low": self.low, f"{NAME}_high": self.high}
        known = {name: end for name, end in ends.items() if end is not None}
        return {NAME: self.value, **known, f"{NAME}_rows": float(self.rows)}

    def sentence(self, loss: Loss) -> str:
        """The record in words."""
        of = f"version {self.version} on {self.rows:,} {self.unit} that neither trained nor chose it"
        error = number(self.value, loss)
        if self.low is None or self.high is None:
            return f"{with_unit(error, loss)}: {of}; {_WEIGHTED if loss.weighted else _NO_LIMIT}"
        ends = f"{number(self.low, loss)}–{number(self.high, loss)}"
        left = f"; {100 * self.hidden:.2g} % of the new rows equal known rows, and are left out" if self.hidden else ""
        return f"{with_unit(f'{error} [{ends}]', loss)}: {of}; at {100 * self.level:g} %, in all nights at once{left}"


def champion_error(
    settings: Settings, version: str, hypothesis: Any, seen: KnownRows, trained: AllLabeled
) -> ChampionError | None:
    """The error of the champion now; None while the test set has no new row. Raises FitFailure as `test`."""
    X, y = files.read_table(files.TEST)
    ids, every = read_row_ids("test"), read_row_ids()
    rows = fresh(ids, seen)
    weights = files.read_test_roles()["weight"] if trained.loss.weighted else None
    if weights is not None:
        rows = rows[weights[rows] > 0]  # others change nothing
    if not len(rows):
        return None
    copies = settings.split.duplicates == "keep_together" and settings.data.groups is None
    losses = test(hypothesis, X[list(getattr(hypothesis, "feature_names_in_", X.columns))], y, rows, trained.loss)
    found = error_so_far(
        losses,
        trained.loss,
        settings.selection.level,
        settings.seed,
        None if weights is None else weights[rows],
        None if ids.of_units is None else ids.of_units[rows],
    )
    return ChampionError(
        version,
        found.observations,
        unit_of(settings, ids),
        found.value,
        found.low,
        found.high,
        settings.selection.level,
        hidden(ids, every, seen, copies=copies),
    )
