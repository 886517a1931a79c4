"""What one validation found, gathered for people: read from the contract's files alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from heldout import cross_validation, progressive
from heldout.losses import ZERO_ONE, Losses, natural_loss
from tasks import files
from tasks.estimates import estimate_all, read_results
from tasks.params import Settings

SHOWN = ("E_in", "E_val", "E_cv", "E_prog", "E_2cv", "disagreement", "E_dis", "E_maxdt")


@dataclass(frozen=True, eq=False)
class Summary:
    """Estimates, selection, failures and curves of one validation."""

    estimates: pd.DataFrame
    selection: Mapping[str, Any]
    failures: Mapping[str, str]
    fold_errors: Mapping[str, Losses]
    progressive_errors: Mapping[str, Losses]
    assumptions: Mapping[str, str]  # what the selected candidate's interval of each estimate rests on
    percent: bool
    settings: Settings

    def cell(self, candidate: str, estimate: str) -> tuple[str, str]:
        """A value and its interval as people read them; empty where there is none."""
        table = self.estimates
        found = table[(table["candidate"] == candidate) & (table["estimate"] == estimate)]
        if found.empty:
            return "", ""
        row = found.iloc[0]
        value = self.number(row["value"])
        return value, "" if pd.isna(row["low"]) else f"{self.number(row['low'])}–{self.number(row['high'])}"

    def number(self, value: float) -> str:
        """An error as people read it: in percent for classes."""
        return f"{100 * value:.1f}" if self.percent else f"{value:.4g}"

    def sentences(self) -> dict[str, str]:
        """What was chosen, what is known of it, and what that knowledge cost."""
        selection, unit = self.selection, " %" if self.percent else ""
        selected, level = selection["selected"], 100 * self.settings.selection.level
        value, interval = self.cell(selected, selection["criterion"])
        known = f" = {value}{unit}" if value else ""
        said = {"selected": f"{selected}, by {selection['rule'].replace('_', ' ')} of {selection['criterion']}{known}"}
        if selection["bound"] is not None:
            said["bound"] = (
                f"with probability {level:g} % its error, trained without the held-out rows, is at most "
                f"{self.number(selection['bound'])}{unit}: E_val, and Hoeffding over all learners ever compared on "
                f"these labels, {selection['contamination']} so far"
            )
        if selection["E_test"] is not None:
            _, interval = self.cell(selected, "E_test")
            openings = selection["test_openings"]
            seen = "this model alone" if openings == 1 else f"{openings} different winners so far"
            said["E_test"] = (
                f"{self.number(selection['E_test'])}{unit}{f' [{interval}]' if interval else ''}, of the model trained "
                f"on all labelled rows; the test part has been opened for {seen}, and is spent: a choice made after "
                "reading this number needs fresh rows"
            )
        for name, reason in self.failures.items():
            said[f"{name} failed"] = reason
        return said


def read_summary(settings: Settings) -> Summary:
    """Gather the summary from the files that `select` left."""
    results = read_results(settings)
    partition = files.read_partition()
    folds, curves = {}, {}
    for name in results.candidates:
        by_row = results.of(name, "cross_validation").sort_values("row")
        folds[name] = cross_validation.fold_errors(by_row["loss"].to_numpy(), partition.fold)
        curves[name] = progressive.curve(results.of(name, "progressive").sort_values("unit")["loss"].to_numpy())
    _, y = files.read_table(files.LABELED)
    selection = files.read_json(files.SELECTION)
    own = estimate_all(settings, results)[selection["selected"]]
    assumptions = {record.estimate: record.assumption for record in own if record.assumption is not None}
    if "E_val" in assumptions:
        assumptions["E_test"] = assumptions["E_val"]  # the same method
    return Summary(
        estimates=files.read_estimates(),
        selection=selection,
        failures=results.failures,
        fold_errors=folds,
        progressive_errors=curves,
        assumptions=assumptions,
        percent=natural_loss(y) is ZERO_ONE,
        settings=settings,
    )
