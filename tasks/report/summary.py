"""What one validation found, gathered for people: read from the contract's files alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import covalidation, intervals, progressive
from heldout.delivery import FORMS
from heldout.dependence import Kind
from heldout.design import OF_UNLABELED, cross_validated, tested
from heldout.family import BOUND
from heldout.intervals import confidence_sequence
from heldout.losses import Loss, Losses
from heldout.schemes import STAGES
from heldout.selection import bbc
from heldout.warned import Warnings
from tasks.fits import fit_warnings
from tasks.outcome.estimate import Results, estimate_all, read_results
from tasks.params import Settings
from tasks.storage import files
from tasks.storage.shard_report import ShardReport

SHOWN = ("E_in", "E_val", "E_cv", "E_prog", "E_2cv", "disagreement", "E_dis", "E_maxdt")
_SHARDS_SHOWN = 10
_STEPS_SHOWN = 1000
_FEW_ROWS_A_CLASS = 30  # docs/decisions/0005


@dataclass(frozen=True, eq=False)
class Summary:
    """Estimates, selection, failures and curves of one validation."""

    estimates: pd.DataFrame
    selection: Mapping[str, Any]
    failures: Mapping[str, str]
    warned: Mapping[str, Warnings]  # the fits of each candidate that gave warnings
    fold_errors: Mapping[str, Losses]
    progressive_errors: Mapping[str, Losses]
    band: tuple[Losses, Losses] | None  # of the selected candidate along the stream, at all steps at once
    paths: pd.DataFrame
    families: pd.DataFrame
    least_half_error: float | None  # what the disagreement alone says of the selected candidate's half models
    rows_a_class: float | None  # the mean, where parts are stratified and classes more than two
    assumptions: Mapping[str, str]  # what the selected candidate's interval of each estimate rests on
    percent: bool
    loss: Loss
    unlabeled: bool  # whether there are unlabelled rows
    settings: Settings
    kind: Kind | None = None  # how the rows depend on one another
    shards: Sequence[ShardReport] = ()

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
        """An error as people read it: in percent for a loss of 0 and 1."""
        return f"{100 * value:.1f}" if self.percent else f"{value:.4g}"

    def amount(self, value: float) -> str:
        """The same with its unit."""
        return f"{self.number(value)} %" if self.percent else self.number(value)

    def sentences(self) -> dict[str, str]:
        """What was chosen, what is known of it, and what that knowledge cost."""
        selection = self.selection
        selected, level = selection["selected"], f"{100 * self.settings.selection.level:g} %"
        value, _ = self.cell(selected, selection["criterion"])
        known = f" = {value}{' %' if self.percent else ''}" if value else ""
        said = {"selected": f"{selected}, by {selection['rule'].replace('_', ' ')} of {selection['criterion']}{known}"}
        if self.settings.loss is not None:
            said["loss"] = f"{self.loss.name}: {self.loss.says}"
        if self.settings.data.weight is not None:
            said["weights"] = (
                f"rows count by {self.settings.data.weight}: each error is a weighted mean, about the population that "
                "the weights stand for, if they are right"
            )
        alike = selection["indistinguishable"]
        if len(alike) > 1:
            said["alike"] = f"at {level} these {len(alike)} cannot be told apart: {', '.join(alike)}"
        said |= self._after_winning(level)
        said |= self._of_the_test_part()
        said |= {f"family {row.candidate}": self._of_family(row) for row in self.families.itertuples()}
        if self.least_half_error is not None:
            said["disagreement"] = (
                f"with {level} confidence {selected}, trained on half of the rows, errs at least "
                f"{self.amount(self.least_half_error)}: the unlabelled rows alone say so"
            )
        refused = [name for name in OF_UNLABELED if self.loss.refuses(name) is not None]
        if refused and self.unlabeled:
            said["left out"] = f"{', '.join(refused)}: {self.loss.refuses(refused[0])}"
        form = selection["deliver"]
        size = f"{form['bytes'] / 1024:.0f} KiB"
        if form["form"] != "final":
            size += f" beside {form['bytes_final'] / 1024:.0f} KiB of the single model"
        said["delivered"] = f"{form['target']} ({size}); {FORMS[form['form']].about}"
        said |= self._of_dependence()
        if self.rows_a_class is not None and self.rows_a_class < _FEW_ROWS_A_CLASS:
            said["warning"] = (
                f"parts are stratified, with {self.rows_a_class:.0f} rows a class: tested rows then follow the class "
                "shares of the rows trained on, and every estimate is optimistic; set split.stratify to false"
            )
        for name, reason in self.failures.items():
            said[f"{name} failed"] = reason
        for name, counted in self.warned.items():
            said[f"{name} warned"] = str(counted)
        return said | self._of_shards()

    def _of_shards(self) -> dict[str, str]:
        """The shards that were skipped, with the rows lost, and how many rows lie beyond the labelled ones."""
        said = {}
        bad = [report for report in self.shards if report.bad is not None]
        if bad:
            lost = sum(report.rows or 0 for report in bad)
            unread = sum(report.rows is None for report in bad)
            more = f", and those of {unread} that cannot be read" if unread else ""
            said["shards skipped"] = (
                f"{len(bad)} of {len(self.shards)}, {lost} rows lost{more}; the disagreement is that of the others: "
                + "; ".join(f"{report.file} {report.bad}" for report in bad[:_SHARDS_SHOWN])
                + ("; …" if len(bad) > _SHARDS_SHOWN else "")
            )
        noted = [report for report in self.shards if report.noted]
        if noted:
            rows = sum(report.rows or 0 for report in self.shards if report.bad is None)
            beyond = sum(report.noted for report in noted)
            said["shards"] = (
                f"{beyond} of {rows} unlabelled rows ({beyond / rows:.1%}), in {len(noted)} shards, have a value "
                "outside of the labelled ones' range or categories; report.html lists the columns"
            )
        return said

    def _after_winning(self, level: str) -> dict[str, str]:
        said = {}
        table = self.estimates.set_index("estimate")
        for name, how in (
            ("E_bbc", "its E_cv corrected for having won, by a bootstrap of the selection"),
            (
                "E_nested",
                "the error of what the whole selection delivers, by selection inside each fold's training rows",
            ),
        ):
            if name in table.index:
                winner = str(table["candidate"][name])
                value, bounds = self.cell(winner, name)
                said[name] = f"{value}{' %' if self.percent else ''} [{bounds}] for {winner}: {how}"
        bound, alone, compared = (self.selection[name] for name in ("bound", "bound_of_one", "contamination"))
        if bound is not None:
            said["bound"] = (
                f"with probability {level} the winner's error, trained without the held-out rows, is at most "
                f"{self.amount(bound)}: E_val, and Hoeffding over all learners ever compared on these labels, "
                f"{compared} so far; comparing more than one adds {self.number(bound - alone)}"
                f"{' percentage points' if self.percent else ''} to it"
            )
        return said

    def _of_the_test_part(self) -> dict[str, str]:
        selection = self.selection
        if selection["test_refused"]:
            return {"E_test": f"not opened: {selection['test_refused']}"}
        if selection["E_test"] is None:
            return {}
        _, interval = self.cell(selection["selected"], "E_test")
        openings = selection["test_openings"]
        seen = "this model alone" if openings == 1 else f"{openings} different winners so far"
        return {
            "E_test": (
                f"{self.amount(selection['E_test'])}{f' [{interval}]' if interval else ''}, of "
                f"{selection['deliver']['target']}; the test part has been opened for {seen}, and is spent: a choice "
                "made after reading this number needs fresh rows"
            )
        }

    def _of_dependence(self) -> dict[str, str]:
        said = {}
        if self.kind is not None:
            said["dependent rows"] = (
                f"rows depend by {self.kind}: intervals that need independent rows are left out, and so is the bound"
            )
        if found := self.selection.get("duplicates"):
            said["duplicates"] = (
                f"{found['rows']} labelled rows have the features of another one, {found['differing'] or 'none'} of "
                f"them another label; E_cv of {self.selection['selected']} is {self.amount(found['E_cv'])}"
            )
            together = found["E_cv_kept_together"]
            if together is not None:
                said["duplicates"] += f", and {self.amount(together)} with copies kept on one side of each fold"
        return said

    def _of_family(self, row: Any) -> str:
        said = (
            f"{row.parameter} = {row.chosen} by validation on {row.validated_on} of its training rows; the error "
            f"there, {self.amount(row.E_val)}, is optimistic, corrected {self.amount(row.corrected)}"
        )
        if row.bound is not None and not pd.isna(row.bound):
            said += f", and at most {self.amount(row.bound)} ({BOUND})"
        if row.many:
            said += f". Warning: one tuned degree of freedom is many for {row.validated_on} rows"
        return said + ". Its E_val, E_cv and E_prog are honest: every fit of it chooses anew"


def read_summary(settings: Settings) -> Summary:
    """Gather the summary from the files that `select` left."""
    results = read_results(settings)
    design = results.design
    kind = design.dependence.kind
    folds, curves = {}, {}
    for name, of in results.evidence.items():
        folds[name] = cross_validated(design, of).fold_errors
        curves[name] = progressive.curve(tested(design, of, "progressive").losses)
    selection = files.read_json(files.SELECTION)
    own = estimate_all(results)[selection["selected"]]
    assumptions = {record.estimate: record.assumption for record in own if record.assumption is not None}
    for name in ("E_test", "E_nested"):
        if name in design.methods:
            assumptions[name] = design.methods[name].covers[name]
    assumptions["E_bbc"] = bbc.ASSUMPTION if kind is None else bbc.ASSUMPTION_OF_GROUPS
    return Summary(
        estimates=files.read_estimates(),
        selection=selection,
        failures=results.failures,
        warned=fit_warnings.read(STAGES),
        fold_errors=folds,
        progressive_errors=curves,
        band=_band(results, selection["selected"]),
        paths=files.read_result("holdout", "paths"),
        families=files.read_result("holdout", "families"),
        least_half_error=_least_half_error(results, selection["selected"]),
        rows_a_class=len(design.y) / design.classes if design.stratify and design.classes > 2 else None,
        assumptions=assumptions,
        percent=design.loss.binary,
        loss=design.loss,
        unlabeled=bool(files.shards()),
        settings=settings,
        kind=kind,
        shards=files.read_shard_reports(),
    )


def shown_steps(steps: int) -> NDArray[np.intp]:
    """The places of the steps of a curve that are drawn and logged: all, or 1000 of them, the last one too."""
    return np.unique(np.linspace(0, steps - 1, min(steps, _STEPS_SHOWN)).round().astype(np.intp))


def why(summary: Summary, estimate: str) -> str:
    """Why the interval of an estimate is what it is: chosen by the user, or by the coverage study."""
    if estimate in (summary.settings.intervals or {}):
        return "named in params.yaml"
    if estimate not in intervals.DEFAULTS:
        return ""
    if summary.kind is not None:
        return f"its argument does not need independent rows, which rows with {summary.kind} are not"
    default = intervals.DEFAULTS[estimate]
    return default.why_zero_one if summary.percent else default.why_other


def _band(results: Results, selected: str) -> tuple[Losses, Losses] | None:
    """The confidence sequence along the stream, for losses in [0, 1]."""
    design = results.design
    if not design.loss.bounded or design.dependence.group is not None:
        return None
    return confidence_sequence.band(tested(design, results.evidence[selected], "progressive").losses, design.level)


def _least_half_error(results: Results, selected: str) -> float | None:
    design, disagreement = results.design, results.evidence[selected].disagreement
    method = design.methods.get("disagreement")
    if disagreement is None or method is None or disagreement.n < method.least or design.loss.bound_factor is None:
        return None
    return covalidation.lower_limit(disagreement, method, design.loss, design.classes, design.level)
