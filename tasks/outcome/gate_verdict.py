"""Whether a validation passes: what its winner errs at most, and whether another revision's winner is shown better."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from heldout.decision.ship import Decision
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.estimates.methods import assumption_of
from heldout.fits import baseline
from heldout.printable import printable
from heldout.records import Estimate
from heldout.selection.separate_difference import separate_difference
from heldout.splits.dependence import DependenceKind
from tasks.outcome.decision import ON_TEST, read
from tasks.runtime.errors import UserError
from tasks.storage import files, report_tables

# a constant answer is not chosen, so nothing corrects its error; the bound is an upper limit of E_val
OF_BASELINE = {
    "bound": "E_val",
    **{name: of.planning.of_baseline for name, of in ESTIMATES.items() if of.planning and of.planning.of_baseline},
}
_CHOSEN = (
    "; the winner was chosen by such numbers, so its own interval is too low: with a test set (split.test_fraction) "
    "the gate decides by E_test"
)


_KEYS = (
    *("selected", "loss", "candidates", "criterion", "contamination", "bound", "bound_method", "test_openings"),
    *("verdict", "caveats", "advice"),
)


@dataclass(frozen=True)
class ValidatedRun:
    """The choice and the estimates of one validation: selection.json and estimates.csv."""

    selection: Mapping[str, Any]
    estimates: pd.DataFrame

    @classmethod
    def of_files(cls, selection: Path = files.SELECTION, estimates: Path = files.ESTIMATES) -> "ValidatedRun":
        """From both files. Raises UserError for a selection.json of another version, which lacks keys."""
        found = files.read_json(selection)
        if missing := [key for key in _KEYS if key not in found]:
            raise UserError(
                f"{selection.name} lacks {', '.join(missing)}: another version of heldout wrote it; validate again, or "
                "compare with a revision of this version"
            )
        return cls(found, report_tables.read(estimates))

    @property
    def winner(self) -> str:
        """The name of the selected candidate."""
        return str(self.selection["selected"])

    @property
    def decision(self) -> Decision:
        """Whether to ship the winner."""
        return read(self.selection)

    def of_baseline(self, estimate: str) -> str:
        """The same estimate of the baseline, and the difference on the same rows, as far as they are known."""
        name = OF_BASELINE.get(estimate, estimate)
        of_constant = self.estimates["candidate"] == baseline.NAME
        values = self.estimates["value"][of_constant & (self.estimates["estimate"] == name)]
        if values.empty:
            return ""
        text = f"; {name} of the baseline is {float(values.iloc[0]):.4g}"
        apart = self.selection.get(ON_TEST)
        if name != "E_test" or apart is None:
            return text
        ends = "" if apart["low"] is None else f" [{apart['low']:.4g} to {apart['high']:.4g}]"
        return f"{text}, and the winner's less it {apart['difference']:.4g}{ends}"

    def of_winner(self, estimate: str) -> Estimate | None:
        """A line of the winner with an interval; None where there is none."""
        lines = self.estimates[(self.estimates["candidate"] == self.winner) & (self.estimates["estimate"] == estimate)]
        if lines.empty or pd.isna(lines["high"].iloc[0]):
            return None
        return Estimate(**{str(name): value for name, value in lines.iloc[0].to_dict().items()})


@dataclass(frozen=True)
class UpperEnd:
    """What the winner errs at most: by E_test if the part was opened, else by the bound, else by E_cv."""

    candidate: str
    estimate: str
    upper: float
    level: float
    interval: str
    target: str
    assumption: str
    value: float | None = None
    caveat: str = ""
    of_baseline: str = ""

    def within(self, limit: float) -> bool:
        """Whether it is at most `limit`."""
        return self.upper <= limit

    def sentence(self, limit: float) -> str:
        """How it compares with `limit`, of which hypothesis it is, and under which assumption."""
        what = "bound" if self.estimate == "bound" else f"upper end of {self.estimate}"
        how = f"{self.interval}, at {100 * self.level:g} %"
        compared = "at most" if self.within(limit) else "above"
        return printable(
            f"the {what} of {self.candidate} is {self.upper:.4g} ({how}), {compared} the {limit:g} of --max-upper; it "
            f"is about {self.target}, and assumes {self.assumption}{self.caveat}{self.of_baseline}"
        )


@dataclass(frozen=True)
class Against:
    """The winner's error less that of the winner of another revision."""

    revision: str
    candidate: str
    other: str
    estimate: str
    difference: float
    low: float
    high: float
    level: float

    @property
    def worse(self) -> bool:
        """Whether the winner there is shown to err less."""
        return self.low > 0

    def __str__(self) -> str:
        known = "so the winner there errs less" if self.worse else "so the winner there is not shown to err less"
        return printable(
            f"against {self.revision}: {self.estimate} of {self.candidate} less that of {self.other} there is "
            f"{self.difference:.4g} [{self.low:.4g} to {self.high:.4g}] at {100 * self.level:g} %, {known}; they "
            "are compared by their intervals, as if they shared no row"
        )


def upper_end(results: ValidatedRun, level: float, kind: DependenceKind | None) -> UpperEnd:
    """The number that a decision to ship rests on; `level` is that of the bound. Raises UserError without any."""
    for estimate in ("E_test", "bound", "E_cv"):
        bound, line = results.selection["bound"], results.of_winner(estimate)
        if estimate == "bound" and bound is not None:
            method, count = results.selection["bound_method"], results.selection["contamination"]
            assumption = f"independent rows; it counts {count} learners ever compared on these labels"
            target = "g-, trained without the held-out rows"
            method, constant = f"{method} of E_val", results.of_baseline(estimate)
            upper = float(bound)
            return UpperEnd(results.winner, estimate, upper, level, method, target, assumption, of_baseline=constant)
        if line is not None and line.high is not None and line.level is not None and line.interval is not None:
            assumption = _assumption(estimate, line.interval, kind)
            caveat = _CHOSEN if estimate == "E_cv" else _reopened(results.selection["test_openings"])
            caveat += _not_credible(results.selection.get("not_credible", {}).get(estimate))
            numbers = (line.high, line.level, line.interval, line.target, assumption, line.value, caveat)
            return UpperEnd(results.winner, estimate, *numbers, results.of_baseline(estimate))
    raise UserError(
        f"{results.winner} has no interval of E_test, no bound and no interval of E_cv, so nothing can pass or fail; "
        "choose an interval for E_cv (intervals), or set split.test_fraction"
    )


def _assumption(estimate: str, interval: str, kind: DependenceKind | None) -> str:
    try:
        return assumption_of(estimate, interval, kind)
    except BadArgument as error:
        raise UserError(f"{files.ESTIMATES.name}, which another version of heldout wrote: {error}") from None


def _reopened(times: int) -> str:
    return f"; the test set was opened for {times} different winners, so it is too low" if times > 1 else ""


def _not_credible(reason: str | None) -> str:
    return "" if reason is None else f"; it is not credible, and likely to be too low: {reason}"


def compare(results: ValidatedRun, other: ValidatedRun, revision: str) -> Against:
    """The winner here against the winner there, by the first of E_test and E_cv that both have.

    Raises UserError where they cannot be compared.
    """
    losses = [one.selection["loss"] for one in (results, other)]
    if losses[0] != losses[1]:
        raise UserError(f"--against is {revision!r}, where the loss is {losses[1]}, and here it is {losses[0]}")
    for estimate in ("E_test", "E_cv"):
        pair = results.of_winner(estimate), other.of_winner(estimate)
        if pair[0] is None or pair[1] is None:
            continue
        try:
            apart = separate_difference(pair[0], pair[1])
        except ValueError as error:
            raise UserError(f"--against is {revision!r}: {error}; validate both at one selection.level") from None
        difference = pair[0].value - pair[1].value
        names = (results.winner, other.winner, estimate)
        return Against(revision, *names, difference, apart.low, apart.high, apart.level)
    raise UserError(
        f"--against is {revision!r}, and the winners here and there have no interval of E_test or E_cv in common; "
        "leave out --against"
    )


def check_limit(limit: float, results: ValidatedRun) -> None:
    """Raise UserError for a limit that every error would pass, or none."""
    if not limit >= 0:
        raise UserError(f"--max-upper is {limit:g}; it must be a number that is at least 0")
    if results.selection["loss"] == "zero_one" and limit > 1:
        raise UserError(f"--max-upper is {limit:g}, but an error is at most 1; write {limit / 100:g} for {limit:g} %")
