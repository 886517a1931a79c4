"""The items that a validation reports to a tracking store: what was set, chosen and estimated."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from heldout.diagnosis.more_rows import AT_2N, AT_N, GAIN
from heldout.estimates import ESTIMATES, PLANNED_BY
from heldout.fits import baseline
from heldout.losses.amounts import margin_text
from heldout.shown import about_winner
from tasks.outcome.items import ROOT, Artifact, Dataset, Item, Tag, TrackedMetric, TrackedTable, parameters
from tasks.outcome.ledger import learner_id
from tasks.outcome.suspicious import Suspicious
from tasks.params import Candidate, Settings
from tasks.report.summary import Summary, shown_steps
from tasks.storage import files

_BEATS = {True: "true", False: "false", None: "cannot be told"}


def outcome_items(summary: Summary, speed: object | None) -> Iterator[Item]:
    """The estimates of the selected candidate and of the baseline, and the files that people read.

    `speed` is how long a prediction of the delivered hypothesis takes, None if that was not measured.
    """
    yield TrackedTable("estimates.json", summary.estimates)
    lines = summary.estimates_of(summary.selected).to_dict("records")
    # the criterion first: the pages draw the first metric of a run
    for line in sorted(lines, key=lambda line: line["estimate"] != summary.selection["criterion"]):
        yield from _with_bounds(line, "value", line["estimate"])
        if ESTIMATES[line["estimate"]].kind != "disagreement":
            yield from _root(summary, line["estimate"], line["value"])
    for line in summary.estimates_of(baseline.NAME).to_dict("records"):
        yield TrackedMetric(f"{baseline.NAME}_{line['estimate']}", float(line["value"]))
    for name in ("bound", "bound_joint", "baseline"):
        if (number := summary.selection[name]) is not None:
            yield TrackedMetric(name, float(number))
            yield from _root(summary, name, number)
    yield from _difference(summary, baseline.NAME, f"{summary.compared_by}_less_{baseline.NAME}")
    yield from _more_rows(summary, summary.selected)
    yield from _prediction_sets(asdict(summary.prediction_sets))
    yield from _powered(summary, summary.selected)
    for metric, line in summary.test_part.headline:
        yield from _with_bounds(line, "value", f"test_{metric.name}")
    yield from _as_read(summary, summary.selected)
    plan, constant, of = summary.planned, summary.selection["baseline"], "E_cv"
    if plan is not None and plan.of_baseline is not None:
        constant, of = plan.of_baseline, plan.against
    yield Tag("baseline", f"{summary.amount(constant)} ({of})")
    yield Tag("beats_baseline", _BEATS[summary.selection["beats_baseline"]])
    if (bound := summary.selection["bound"]) is not None:
        yield Tag("bound", f"{summary.amount(bound)}, {summary.selection['bound_method']}")
    if (joint := summary.selection["bound_joint"]) is not None:
        yield Tag("bound_joint", f"approximately {summary.amount(joint)}")
    if (doubt := Suspicious.read(summary.selection)) is not None:
        yield Tag("suspicious", ", ".join(" with ".join(one.columns) for one in doubt.carriers) or "no few columns")
    if doubts := summary.selection.get("not_credible"):
        yield Tag("not_credible", "; ".join(f"{estimate}: {reason}" for estimate, reason in doubts.items()))
    if summary.margin is not None:
        by = about_winner.words(summary.of_winner) or "no other"
        yield Tag("margin", f"{margin_text(summary.margin, summary.loss)} of {summary.compared_by}: {by}")
    yield Tag("verdict", summary.decision.verdict)
    yield Tag("caveats", "; ".join(summary.decision.caveats) or "none")
    yield Tag("findings", "; ".join(one.line for one in summary.rows.found.findings if one.open) or "none open")
    if (halvings := summary.halvings) is not None:
        yield Tag("halvings", f"{halvings.made}: {halvings.says}")
    yield Tag("rows_delivered", str(summary.selection["rows_delivered"]))
    if speed is not None:
        yield Tag("prediction_time", str(speed))
    for path in (
        files.ESTIMATES,
        files.DIFFERENCES,
        files.MORE_ROWS,
        files.COLUMNS_THAT_MATTER,
        files.PREDICTION_SETS,
        files.POWERED,
        files.NOT_CREDIBLE,
        files.TEST_METRICS,
        files.CONFUSION,
        files.CALIBRATION,
        files.ROC,
        files.RESIDUALS,
        files.HARD_ROWS,
        files.TO_LABEL,
        files.SHARD_DISAGREEMENT,
        files.SELECTION,
        files.FINDINGS,
        files.REPORT,
    ):
        yield Artifact(path)
    for path in sorted(files.PLOTS.iterdir()):
        yield Artifact(path, "plots")


def labeled_rows(settings: Settings) -> Dataset:
    """The rows that all numbers are about, under the name of their source."""
    X, y = files.read_table(files.LABELED)
    return Dataset(
        name=settings.source_name,
        table=pd.concat([X, pd.Series(y, X.index, name=files.TARGET)], axis=1),  # `assign` warns of many columns
        target=files.TARGET,
        source=files.LABELED,
        digest=files.read_data_hash()[:32],
        context="validation",
    )


def candidate_items(candidate: Candidate, summary: Summary) -> Iterator[Item]:
    """The settings of a candidate, its estimates with their bounds and its curves, or why it failed or was dropped."""
    yield Tag("data_hash", files.read_data_hash())
    yield Tag("learner", learner_id(candidate))
    if candidate.name == summary.selected:
        yield Tag("selected", "yes")
    yield from parameters(candidate.model_dump(exclude={"name", "grid"}))
    if candidate.name in summary.warned:
        yield Tag("warnings", str(summary.warned[candidate.name]))
    if candidate.name in summary.lacking:
        yield Tag("lacking", summary.lacking[candidate.name])
    if candidate.name in summary.failures:
        yield Tag("failure", summary.failures[candidate.name])
        return
    if candidate.name in summary.dropped:
        yield Tag("dropped", summary.dropped[candidate.name])
        return
    for line in summary.estimates_of(candidate.name).to_dict("records"):
        yield from _with_bounds(line, "value", line["estimate"])
        if ESTIMATES[line["estimate"]].kind != "disagreement":
            yield from _root(summary, line["estimate"], line["value"])
    yield from _as_read(summary, candidate.name)
    yield from _difference(summary, candidate.name, f"{summary.compared_by}_of_selected_less_this")
    for one in summary.of_winner:
        if one.against == candidate.name and one.by_margin is not None:
            yield Tag("by_margin", f"selected is {one.by_margin}")
    yield from _more_rows(summary, candidate.name)
    yield from _powered(summary, candidate.name)
    for fold, error in enumerate(summary.curves.fold_errors[candidate.name]):
        yield TrackedMetric("fold_error", float(error), fold)
    curve = summary.curves.progressive_errors.get(candidate.name, ())
    for place in shown_steps(len(curve)):
        yield TrackedMetric("progressive_error", float(curve[place]), int(place) + 1)


def version_tags(winner: Candidate, summary: Summary) -> dict[str, str]:
    """What a registered version says about itself: its data, its learner, and its estimates with their intervals."""
    estimates = {}
    for line in summary.estimates_of(winner.name).to_dict("records"):
        value, interval = summary.cell(winner.name, line["estimate"])
        error = summary.with_unit(value)
        estimates[line["estimate"]] = f"{error} [{interval}] at {summary.level}" if interval else error
    return {
        "data_hash": files.read_data_hash(),
        "selected_model": winner.name,
        "criterion": str(summary.selection["criterion"]),
        "learner": learner_id(winner),
        "rows_delivered": str(summary.selection["rows_delivered"]),
        **estimates,
    }


def _more_rows(summary: Summary, candidate: str) -> Iterator[TrackedMetric]:
    """What more rows gained, and the errors after training on all rows and on twice as many, with their bounds."""
    of_candidate = summary.more_rows[summary.more_rows["candidate"] == candidate]
    for line in of_candidate[of_candidate["estimate"].isin([GAIN, AT_N, AT_2N])].to_dict("records"):
        yield from _with_bounds(line, "value", line["estimate"])


def _prediction_sets(line: Mapping[str, Any]) -> Iterator[TrackedMetric]:
    """The threshold, and what was measured of it; nothing without one."""
    yield from _with_bounds(line, "coverage", "prediction_sets_coverage")
    for column in ("threshold", "mean_size", "mean_width", "single", "empty"):
        if line[column] is not None:
            yield TrackedMetric(f"prediction_sets_{column}", line[column])


def _powered(summary: Summary, candidate: str) -> Iterator[TrackedMetric]:
    """E_cv with the unlabelled rows and its bounds, and the labels that they replace."""
    lines = summary.powered
    for line in lines[(lines["candidate"] == candidate) & (lines["estimate"] == "E_cv")].to_dict("records"):
        yield from _with_bounds(line, "value", "E_cv_powered")
        if not pd.isna(line["labels_gained"]):
            yield TrackedMetric("labels_gained", float(line["labels_gained"]))


def _with_bounds(line: Mapping[Any, Any], value: str, name: str) -> Iterator[TrackedMetric]:
    for suffix, column in (("", value), ("_low", "low"), ("_high", "high")):
        if not pd.isna(line[column]):
            yield TrackedMetric(f"{name}{suffix}", float(line[column]))


def _root(summary: Summary, name: str, error: float) -> Iterator[TrackedMetric]:
    """An error of the squared loss as people read it, E_cv_RMSE; nothing for another loss."""
    if summary.loss.power == 2:
        yield TrackedMetric(f"{name}{ROOT}", float(summary.shown(error)))


def _as_read(summary: Summary, candidate: str) -> Iterator[Tag]:
    """The estimates to plan with, with units and intervals: E_cv 1.0 % [0.2–4.5]."""
    for estimate in PLANNED_BY:
        value, interval = summary.cell(candidate, estimate.name)
        if value:
            yield Tag(
                estimate.name, f"{summary.with_unit(value)} [{interval}]" if interval else summary.with_unit(value)
            )


def _difference(summary: Summary, against: str, name: str) -> Iterator[TrackedMetric]:
    """The error of the winner less that of another, and its bounds; nothing for the winner itself."""
    for line in summary.differences[summary.differences["against"] == against].to_dict("records"):
        yield from _with_bounds(line, "difference", name)
