"""What `heldout.from_predictions` returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.decision.select import select
from heldout.display import about_winner, cells
from heldout.errors import BadArgument
from heldout.intervals import confidence_sequence
from heldout.losses import Loss, Losses
from heldout.losses.amounts import rounded
from heldout.losses.tested_losses import CrossValidated, Tested, in_units_of_limit
from heldout.notebook.tables import as_rmse
from heldout.notebook.taken import Taken
from heldout.predictions.read_predictions import MANY, ReadPredictions
from heldout.printable import printable
from heldout.records import Difference, Estimate
from heldout.rows import frames
from heldout.selection.bound import SelectionBound, selection_bound
from heldout.selection.comparison import Comparison
from heldout.selection.margin import checked
from heldout.selection.paired_losses import Paired
from heldout.selection.rules import Rule
from heldout.selection.selection import Selection

_COLUMNS = ("candidate", "estimate", "value", "low", "high", "level", "target", "interval", "n_tested")


@dataclass(frozen=True, eq=False)
class Compared:
    """What answers that somebody else made say of the candidates; `print` shows it.

    Attributes
    ----------
    estimates : tuple of Estimate
        E_val or E_cv of each candidate, in their order.
    candidates : tuple of str
        Their names.
    rows : ndarray of shape (N,)
        The names of the rows.
    loss : Loss
        The loss that was averaged.
    level : float
        The level of the intervals.
    models : int
        How many candidates were ever compared on these rows.
    observed : mapping of str to heldout.losses.tested_losses.Tested
        The losses of each candidate, in the order of `rows`.
    weighted : bool
        Whether rows had weights.
    left_out : int
        How many rows were left out, since not every candidate has an answer there.
    counted_wrong : int
        How many missing answers count as errors.
    margin : float or None
        The largest difference of errors that does not matter, in units of the loss.
    is_mean : bool
        Whether the estimates are means of losses of rows; else they are 1 - a metric, and `observed` has its terms.
    is_of_windows : bool
        Whether rows were forecast from several cutoffs.
    strata : tuple of int
        The rows of each stratum; empty without strata.
    taken : Taken or None
        What the lines of a table were taken for; None where the answers are those of `heldout.validate`.
    read : ReadPredictions or None
        What was read, where a reader knows the tool that wrote the table.
    no_bound, no_interval : str
        Why there is no bound, and why no interval is claimed; empty where there may be one.
    """

    estimates: tuple[Estimate, ...]
    candidates: tuple[str, ...]
    rows: NDArray[Any] = field(repr=False)
    loss: Loss = field(repr=False)
    level: float
    models: int
    observed: Mapping[str, Tested] = field(repr=False)
    weighted: bool = False
    left_out: int = 0
    counted_wrong: int = 0
    margin: float | None = None
    is_mean: bool = True
    is_of_windows: bool = field(default=False, repr=False)
    strata: tuple[int, ...] = field(default=(), repr=False)
    taken: Taken | None = None
    read: ReadPredictions | None = field(default=None, repr=False)
    no_bound: str = field(default="", repr=False)
    no_interval: str = ""

    def select(self, rule: Rule = "minimum") -> Selection:
        """The candidate that a rule takes, and those that are not shown to err more than it.

        Raises BadArgument for a rule that is not known.
        """
        values = {record.candidate: record.value for record in self.estimates}
        terms = {
            name: seen.fold_errors if isinstance(seen, CrossValidated) else seen.losses
            for name, seen in self.observed.items()
        }
        cluster = None if self._folds else self._first.cluster
        paired = Paired(self.observed, terms, self._folds, cluster)
        return select(values, self.estimates[0].estimate, rule, paired, self._comparison)

    def differences(self, candidate: str | None = None, *, margin: float | None = None) -> tuple[Difference, ...]:
        """The error of a candidate less that of each other, with intervals that hold together.

        None is the candidate of least error, and the margin of `from_predictions`. Raises BadArgument for a name that
        is no candidate, and for a margin outside its limits.
        """
        made = self._comparison
        if margin is not None:
            made = replace(made, margin=checked(margin, self.loss))
        return tuple(made.differences(self._checked(candidate)))

    def bound(self, candidate: str | None = None) -> SelectionBound:
        """What the true error of a candidate is at most, although it was chosen among `models`.

        None is the candidate of least error. Raises BadArgument for a name that is no candidate, and where there is no
        bound: with folds, groups or weights, and for a loss whose limit is not known.
        """
        name = self._checked(candidate)
        if (reason := self._no_bound) is not None:
            raise BadArgument(*reason)
        every = np.stack([seen.losses for seen in self.observed.values()], axis=1)
        return selection_bound(self.observed[name], self.models, self.level, every)  # type: ignore[return-value]

    def band(self, candidate: str | None = None) -> tuple[Losses, Losses]:
        """Bounds of the error along a progressive stream up to each step, that hold at every step at once.

        Two arrays of shape (m,), by `heldout.intervals.confidence_sequence`, for a stream that may go on. None is the
        candidate of least error. Raises BadArgument where there is none: for answers that are of no stream, rows of
        groups, and a loss whose limit is not known.
        """
        seen = self.observed[self._checked(candidate)]
        if (reason := self._no_band) is not None:
            raise BadArgument("progressive", f"band: {reason}")
        low, high = confidence_sequence.band(
            in_units_of_limit(seen).losses, self.level, errors=seen.loss.binary or seen.loss.two_valued
        )
        return low * self.loss.limit, high * self.loss.limit

    def to_frame(self) -> Any:
        """The estimates as a data frame of pandas. Raises ImportError where pandas is not installed."""
        return frames.frame_of(Estimate, _COLUMNS, self.estimates, "pandas", as_rmse(self.estimates, self.loss))

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        count = len(self)
        return f"<Compared: {count} candidate{'s' * (count > 1)}, {len(self.rows)} rows; least: {self._least}>"

    def __str__(self) -> str:
        order = sorted(self.candidates, key=list(self.candidates).index)
        order.sort(key={record.candidate: record.value for record in self.estimates}.__getitem__)
        estimate, winner = self.estimates[0].estimate, self._least
        error = min(one.value for one in self.estimates)
        columns = {cells.WORSE: cells.worse(self.differences(), error, self.loss)} if len(self) > 1 else {}
        table = cells.text(self.estimates, order, self.loss, winner, f"least {estimate}", further=columns)
        return "\n".join([table, *(f"{name}: {printable(text)}" for name, text in self._sentences().items() if text)])

    def _sentences(self) -> dict[str, str]:
        """What follows, a word and a sentence each; empty where there is nothing to say."""
        winner, level = self._least, f"{100 * self.level:g} %"
        estimate, of_winner = self.estimates[0].estimate, self.differences()
        doubts = {
            one.estimate: one.not_credible
            for one in self.estimates
            if one.candidate == winner and one.not_credible is not None
        }
        out = "rows without a label, or without an answer of every candidate"
        read = self.read
        return {
            "read as": "" if read is None else read.says,
            "rows": "" if self.taken is None else self.taken.of_lines(),
            "taken as": "" if self.taken is None else self.taken.of_models(),
            "strata": self._of_strata(),
            "left out": "; ".join(self._left_out(out)),
            "printed": self._of_printed(),
            "note": "" if read is None else "; ".join(read.notes),
            "no interval": self.no_interval,
            "band": self._of_band(),
            "missing": f"{self.counted_wrong} answers, which count as errors" if self.counted_wrong else "",
            "not ruled out": ""
            if not self._compares
            else about_winner.not_ruled_out(winner, self.select().indistinguishable, level),
            "differences": ""
            if not self._compares
            else about_winner.differences(winner, of_winner, self.level, estimate),
            "margin": about_winner.by_margin(winner, of_winner, self.margin, level, self.loss, estimate),
            "not credible": about_winner.not_credible(winner, doubts, self.loss, weighted=self.weighted),
            "bound": self._of_bound(),
            "not known": ""
            if self.taken is None
            else f"{self._not_known}the disagreement and a model to deliver, which need the learners; "
            f"{self._counted} taken to be all that were ever compared here",
        }

    def _of_strata(self) -> str:
        """How many strata there are, of how many rows, and what they weigh."""
        if not self.strata:
            return ""
        count, shown = len(self.strata), [str(rows) for rows in self.strata[:MANY]]
        more = f" and {count - MANY} others" if count > MANY else ""
        sizes = f"{', '.join(shown)}{more}" if more or count == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
        return f"the mean over {count} of {sizes} rows, each with the weight 1/{count}; variance within each"

    def _left_out(self, rows: str) -> list[str]:
        """What was left out, by whom and why."""
        by_reader = {} if self.read is None else self.read.left_out
        ours = [f"{self.left_out} {rows}"] if self.left_out else []
        return [f"{count} {why}" for why, count in by_reader.items()] + ours

    def _of_printed(self) -> str:
        """The tool's own number of the candidate of least error, where it is another one as a table shows it."""
        winner, said = self._least, []
        ours = next(record.value for record in self.estimates if record.candidate == winner)
        for one in () if self.read is None or not self.is_mean else self.read.printed:
            theirs = one.values.get(winner)
            if theirs is None or one.loss != self.loss.name or rounded(theirs, self.loss) == rounded(ours, self.loss):
                continue
            said.append(f"{self.read.tool} prints {rounded(theirs, self.loss)}: {one.how}")  # type: ignore[union-attr]
        return "; ".join(said)

    def _of_band(self) -> str:
        """The last of the band of the candidate of least error."""
        if self._no_band is not None:
            return ""
        low, high = (rounded(float(side[-1]), self.loss) for side in self.band())
        return (
            f"{self._least}'s error along the stream is {low}–{high} by "
            "limits that hold at every step at once, however long the stream goes on"
        )

    @property
    def _no_band(self) -> str | None:
        """Why there is no band; None where there is one."""
        if self.estimates[0].estimate != "E_prog" or self.is_of_windows:
            return "the answers are of no stream that is tested before it trains"
        if self._first.cluster is not None or self.loss.weighted:
            return "it needs rows that count alike, in no groups"
        return None if self.loss.bounded else "no limit of the loss is known; state it as loss_max"

    def _of_bound(self) -> str:
        if self._no_bound is not None:
            return ""
        winner, found = self._least, self.bound()
        of_one = selection_bound(self.observed[winner], 1, self.level)
        count = self._counted.rpartition(" ")[0]
        return about_winner.bound(
            f"{winner}'s",
            found.value,
            of_one.value if of_one else found.value,
            found.method,
            count,
            self.level,
            self.loss,
            "if these rows were not in its training",
        )

    @property
    def _no_bound(self) -> tuple[str, str] | None:
        """The argument to which there is no bound, and why; None where there is one."""
        if not self.is_mean:
            return "metric", "bound: it is about a mean of losses, and a metric is none; leave out metric"
        if self.no_bound:
            return "table", f"bound: {self.no_bound}"
        if self._folds is not None:
            return "fold", "bound: it is about one model that answered all rows; leave out fold if there is one"
        if self._first.cluster is not None:
            return "group", "bound: it needs independent rows, and rows of a group are not"
        if self.loss.weighted:
            return "weight", "bound: it needs rows that count alike, and these have weights"
        if not self.loss.bounded:
            return "loss_max", "bound: no limit of the loss is known; state it as loss_max"
        return None

    @property
    def _compares(self) -> bool:
        """Whether differences have intervals, also where the errors by themselves have none."""
        return not self.no_interval or self._first.origins is not None

    @property
    def _not_known(self) -> str:
        return "" if self.estimates[0].estimate == "E_prog" else "E_prog, "

    @property
    def _counted(self) -> str:
        return "1 candidate is" if self.models == 1 else f"{self.models} candidates are"

    @property
    def _first(self) -> Tested:
        return next(iter(self.observed.values()))

    @property
    def _folds(self) -> int | None:
        return self._first.folds if isinstance(self._first, CrossValidated) else None

    @cached_property
    def _comparison(self) -> Comparison:
        return Comparison(self.observed, self._folds, self.level, self.models - len(self), self.margin)

    @property
    def _least(self) -> str:
        return min(self.estimates, key=lambda record: record.value).candidate

    def _checked(self, candidate: str | None) -> str:
        if candidate is not None and candidate not in self.candidates:
            allowed = ", ".join(self.candidates)
            raise BadArgument("candidate", f"candidate is {candidate!r}; it must be one of {allowed}")
        return self._least if candidate is None else candidate
