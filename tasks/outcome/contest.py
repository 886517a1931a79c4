"""The winner against the champion, on rows of the test set that neither of them has seen: decision 36."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from heldout.errors import FitFailure
from heldout.learners.fitting import test
from heldout.losses import Loss
from heldout.losses.ratio import error_of
from heldout.monitoring.promotion import FRACTIONS, EProcess, differences, needed
from heldout.splits.weights import Weights
from tasks.outcome.champion_error import ChampionError
from tasks.outcome.new_rows import KnownRows, fresh, hidden, unit_of
from tasks.params import Settings
from tasks.plans.all_labeled import read_all_labeled
from tasks.runtime.own_code import COMMAND
from tasks.storage import files
from tasks.storage.row_ids import Ids, read_row_ids

DRAW = "not distinguishable"
MOST_HIDDEN = 0.5  # of the new rows: from here on no row could win
UNCOMPARED = "cannot be compared"
WITHHELD = "the advice is not to ship it"
ANYWAY = "promoted by a person (--anyway) against the advice"
# for a champion that gives no answers: every later winner would meet the same
REMEDY = f"remove the alias champion to begin again, or return to the version before with `{COMMAND} rollback`"
_QUANTILE = 0.99  # of the winner's losses in cross-validation: the limit of a loss that has none
Promoted = Literal["yes", "no", "first"]


@dataclass(frozen=True, eq=False)
class Champion:
    """A registered hypothesis; `seen` are the rows that it was trained on and chosen by, and their units."""

    version: str
    hypothesis: Any
    seen: Ids
    same: bool = False  # whether the winner has the same bytes


@dataclass(frozen=True, eq=False)
class PairRecord:
    """What the nights left of a pair: a champion and a learner."""

    process: EProcess = field(default_factory=EProcess)
    limit: float | None = None  # of the loss; set in the first night, from other rows
    nights: tuple[Mapping[str, Any], ...] = ()

    def numbers(self) -> dict[str, Any]:
        """The record, for JSON."""
        return {**asdict(self.process), "bets": FRACTIONS.tolist(), "limit": self.limit, "nights": list(self.nights)}

    @classmethod
    def parsed(cls, numbers: Mapping[str, Any]) -> "PairRecord":
        """The record that `numbers` gave."""
        process = EProcess(tuple(numbers["logs"]), numbers["rows"], numbers["total"])
        return cls(process, numbers["limit"], tuple(numbers["nights"]))


@dataclass(frozen=True, eq=False)
class Promotion:
    """Whether the winner is promoted, why, the record of its pair, None without rows, and the rows of this night.

    `champion` is the error of the champion that the winner met, None where nothing is known of it.
    """

    promoted: Promoted
    reason: str
    record: PairRecord | None = None
    numbers: Mapping[str, Any] = field(default_factory=dict)
    used: Ids = field(default_factory=lambda: np.empty(0, np.uint64))
    trial: bool = False  # whether nothing was to be decided
    compared: bool = True  # False if one of the two gives no answers
    champion: ChampionError | None = None
    pin: int | None = None  # the entry of the rollback that pinned the line of the winner
    prevented: bool = False  # whether the winner would be the champion without the pin
    prevented_before: bool = False  # whether an earlier run said so
    withheld: bool = False  # whether the winner would be the champion if the advice were to ship it
    anyway: bool = False  # whether a person promoted it against that advice

    def as_advised(self, stopped: str, *, anyway: bool = False) -> "Promotion":
        """The decision, but for a winner that it would promote against the advice `stopped`; empty for none.

        That is promoted where a person says so, `anyway`.
        """
        if self.promoted == "no" or not stopped:
            return self
        if anyway:
            return replace(self, reason=f"{self.reason}; {ANYWAY}: {stopped}", anyway=True)
        reason = f"{WITHHELD}: {stopped}. Without this it would be: {self.reason}"
        return replace(self, promoted="no", reason=reason, withheld=True)


def contest(
    settings: Settings, winner: str, hypothesis: Any, champion: Champion, record: PairRecord, spent: Ids
) -> Promotion:
    """Bet on the rows that are not `spent` for the pair; promote the winner as soon as it is shown to err less."""
    against, level = f"version {champion.version}, the champion", settings.operations.promote_level
    if champion.same:
        return Promotion("no", f"{DRAW} from {against}: the winner has the same bytes, and no row was used")
    if settings.split.test_fraction == 0:
        return Promotion("no", f"{DRAW} from {against}: split.test_fraction is 0, so every row was used to choose")
    X, y = files.read_table(files.TEST)
    columns = getattr(champion.hypothesis, "feature_names_in_", X.columns)
    if missing := [str(name) for name in columns if name not in X]:
        return uncompared(champion.version, f"it needs the column {missing[0]}, which the table lacks")
    trained, ids = read_all_labeled(settings), read_row_ids("test")
    known, every = KnownRows(np.concatenate([champion.seen, spent])), read_row_ids()
    copies = settings.split.duplicates == "keep_together" and settings.data.groups is None
    rows, left_out = fresh(ids, known), hidden(ids, every, known, copies=copies)
    if left_out >= MOST_HIDDEN:
        return Promotion("no", f"{DRAW} from {against}: {_unfair(left_out, copies=copies)}")
    cluster = None if ids.of_units is None else ids.of_units[rows]
    limit = record.limit or limit_of(trained.loss, winner, trained.weights)
    counted = np.ones(len(rows))
    if trained.weights is not None:
        counted = trained.weights.relative_of(files.read_test_roles()["weight"])[rows]
    try:
        theirs = test(champion.hypothesis, X[list(columns)], y, rows, trained.loss)
    except FitFailure as failure:
        return uncompared(champion.version, str(failure))
    try:
        ours = test(hypothesis, X, y, rows, trained.loss)
    except FitFailure as failure:
        return uncompared(champion.version, f"the winner gives no answers: {failure}", "`dvc repro` fits it again")
    process = record.process.after(differences(counted * theirs, counted * ours, limit, cluster, left_out))
    errors = [error_of(of, counted) if counted.any() else None for of in (theirs, ours)]
    night = {
        "rows": len(rows),
        "hidden": left_out,
        "error_champion": errors[0],
        "error_challenger": errors[1],
        "capital": process.wealth,
    }
    after = PairRecord(process, limit, (*record.nights, night))
    numbers = {
        "level": level,
        "capital": process.wealth,
        "capital_needed": math.exp(needed(level)),
        "rows_of_this_night": len(rows),
        "rows_of_all_nights": process.rows,
        "difference": process.mean * limit,
        "rows_still_needed": process.rows_needed(level),
    }
    reason = f"{against}: {_sentence(process, level, after, trained.loss, unit_of(settings, ids))}"
    spent = ids.words(~known.rows(ids))  # also those that are left out
    if process.shown(level):
        return Promotion("yes", f"shown to err less than {reason}", after, numbers, spent)
    return Promotion("no", f"{DRAW} from {reason}", after, numbers, spent)


def uncompared(version: str, why: str, remedy: str = REMEDY) -> Promotion:
    """The decision where one of the two gives no answers: the champion stays, and the run says so as a failure."""
    return Promotion("no", f"{UNCOMPARED} with version {version}, the champion: {why}; {remedy}", compared=False)


def _unfair(share: float, *, copies: bool) -> str:
    """Why no bet is placed, and what to do."""
    if copies:
        return (
            "many new rows of the test set have the features of earlier rows, which split.duplicates keep_together "
            "takes for their copies; the others are no fair sample of the new rows. If equal rows are independent "
            "draws, set split.duplicates to allow"
        )
    return (
        f"rows have left the table, and {100 * share:.0f} % of the rows equal another, so that new rows cannot be told "
        "from old ones; those that can are no fair sample of the new rows: give the file a column that tells its rows "
        "apart and does not change, such as a time, and name it in data.drop"
    )


def limit_of(loss: Loss, winner: str, weights: Weights | None = None) -> float:
    """The known limit of a loss, else what few of the winner's losses in cross-validation, by `weights`, exceed."""
    if loss.bounded:
        return loss.limit
    filters = [("candidate", "==", winner), ("scheme", "==", "cross_validation")]
    lines = pd.read_parquet(files.LOSSES, filters=filters)
    losses = lines["loss"] if weights is None else lines["loss"] * weights.relative_of(lines["weight"].to_numpy())
    return float(losses.quantile(_QUANTILE)) or float(losses.max()) or 1.0


def _sentence(process: EProcess, level: float, record: PairRecord, loss: Loss, unit: str) -> str:
    """The numbers in words."""
    if not process.rows:
        return "no new labelled rows in the test set"
    tonight = record.nights[-1]
    nights = sum(night["rows"] > 0 for night in record.nights)
    gain = process.mean * (record.limit or 1.0)
    amount = f"{100 * abs(gain):.2f} percentage points" if loss.binary else f"{abs(gain):.4g}"
    without = "" if tonight["rows"] else "no new labelled rows in the test set; "
    text = (
        f"{without}capital {process.wealth:.3g} of the {math.exp(needed(level)):.3g} that level {level:g} needs, after "
        f"{process.rows} {unit} of {nights} night{'s' * (nights != 1)}, on which it errs {amount} "
        f"{'less' if gain >= 0 else 'more'}"
    )
    if not loss.bounded:
        text += f" (a loss above {record.limit:.4g} counts as that)"
    if tonight["hidden"]:
        text += (
            f" ({100 * tonight['hidden']:.2g} % of tonight's new rows cannot be told from earlier rows, and count as "
            "rows on which it errs and the champion does not)"
        )
    more = process.rows_needed(level)
    if more is None:
        return f"{text}; no number of further rows would do if they are like these"
    return f"{text}; about {more} further {unit} are needed if they are like these" if more else text
