"""The items that a validation reports to a tracking store: what was set, chosen and estimated."""

from collections.abc import Iterator
from typing import Protocol

import pandas as pd

from heldout.diagnosis.more_rows import AT_2N, AT_N, GAIN
from heldout.estimates import COMPARED, PLANNED_BY
from heldout.fits import baseline
from heldout.losses.amounts import margin_text
from heldout.records import Estimate, MoreRows, PredictionPowered
from heldout.shown import about_winner
from tasks.outcome.items import ROOT, Artifact, Dataset, Item, Tag, TrackedMetric, parameters
from tasks.outcome.ledger import learner_id
from tasks.outcome.suspicious import Suspicious
from tasks.params import Candidate, Settings
from tasks.report.summary import Summary, as_records, shown_steps
from tasks.storage import files

_BEATS = {True: "true", False: "false", None: "cannot be told"}
_BY_E_CV = "E_cv"  # the estimate of the baseline that is the metric `baseline`
_PLANNED = tuple(estimate.name for estimate in PLANNED_BY)
_ARTIFACTS = (
    files.ESTIMATES,
    files.DIFFERENCES,
    files.MORE_ROWS,
    files.COLUMNS_THAT_MATTER,
    files.PREDICTION_SETS,
    files.PREDICTION_POWERED,
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
)


class _Measured(Protocol):
    """A record of a value, with an interval or without."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def outcome_items(summary: Summary, speed: object | None) -> Iterator[Item]:
    """What is compared between runs: the winner, the baseline and the bound; and the files that people read.

    Those numbers are few, since a page that compares runs lists them all: the winner's own run and the files have every
    one. `speed` is how long a prediction of the delivered hypothesis takes, None if that was not measured.
    """
    for record in _in_order(summary, summary.selected):
        if record.estimate in _PLANNED:
            yield from metric(record.estimate, record)
        elif record.estimate in COMPARED:
            yield TrackedMetric(record.estimate, record.value)
        if record.estimate in COMPARED:
            yield from _root(summary, record.estimate, record.value)
    for name in ("bound", baseline.NAME):
        if (number := summary.selection[name]) is not None:
            yield TrackedMetric(name, float(number))
            yield from _root(summary, name, number)
    for one, line in summary.test_set.headline:
        if not pd.isna(line["value"]):
            yield TrackedMetric(f"test_{one.name}", float(line["value"]))
    yield from _planned_in_words(summary, summary.selected)
    yield from _in_words(summary)
    if speed is not None:
        yield Tag("prediction_time", str(speed))
    yield from map(Artifact, _ARTIFACTS)
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
    yield from _of_candidate(summary, candidate.name)
    yield from _difference(summary, candidate.name, f"{summary.compared_by}_of_selected_less_this")
    for one in summary.of_winner:
        if one.against == candidate.name and one.by_margin is not None:
            yield Tag("by_margin", f"selected is {one.by_margin}")
    for fold, error in enumerate(summary.curves.fold_errors[candidate.name]):
        yield TrackedMetric("fold_error", float(error), fold)
    curve = summary.curves.progressive_errors.get(candidate.name, ())
    for place in shown_steps(len(curve)):
        yield TrackedMetric("progressive_error", float(curve[place]), int(place) + 1)


def version_tags(winner: Candidate, summary: Summary) -> dict[str, str]:
    """What a registered version says about itself: its data, its learner, and its estimates with their intervals."""
    estimates = {}
    for record in summary.records_of(winner.name):
        value, interval = summary.cell(winner.name, record.estimate)
        error = summary.with_unit(value)
        estimates[record.estimate] = f"{error} [{interval}] at {summary.level}" if interval else error
    return {
        "data_hash": files.read_data_hash(),
        "selected_model": winner.name,
        "criterion": str(summary.selection["criterion"]),
        "learner": learner_id(winner),
        "rows_delivered": str(summary.selection["rows_delivered"]),
        **estimates,
    }


def metric(name: str, record: _Measured) -> Iterator[TrackedMetric]:
    """A number with its interval; nothing where it was not measured."""
    if record.value is not None:
        yield TrackedMetric(name, record.value, low=record.low, high=record.high)


def _of_candidate(summary: Summary, candidate: str) -> Iterator[Item]:
    """Its estimates, what more rows gained, and what unlabelled rows do; and the estimates to plan with in words."""
    for record in _in_order(summary, candidate):
        yield from metric(record.estimate, record)
        yield from _root(summary, record.estimate, record.value)
    for line in as_records(summary.more_rows[summary.more_rows["candidate"] == candidate]):
        if line["estimate"] in (GAIN, AT_N, AT_2N):
            yield from metric(line["estimate"], MoreRows(**line))
    for line in as_records(summary.prediction_powered[summary.prediction_powered["candidate"] == candidate]):
        if line["estimate"] == _BY_E_CV:
            powered = PredictionPowered(**line)
            yield from metric("E_cv_powered", powered)
            if powered.labels_gained is not None:
                yield TrackedMetric("labels_gained", powered.labels_gained)
    yield from _planned_in_words(summary, candidate)


def _in_order(summary: Summary, candidate: str) -> list[Estimate]:
    """Its estimates, the criterion first: the pages draw the first metric of a run."""
    return sorted(summary.records_of(candidate), key=lambda one: one.estimate != summary.selection["criterion"])


def _planned_in_words(summary: Summary, candidate: str) -> Iterator[Tag]:
    """The estimates to plan with as people read them: E_cv 1.0 % [0.2–4.5]."""
    for name in _PLANNED:
        value, interval = summary.cell(candidate, name)
        if value:
            error = summary.with_unit(value)
            yield Tag(name, f"{error} [{interval}]" if interval else error)


def _in_words(summary: Summary) -> Iterator[Tag]:
    """What is decided and found, as people search and read it."""
    selection, plan = summary.selection, summary.planned
    constant, of = selection["baseline"], _BY_E_CV
    if plan is not None and plan.of_baseline is not None:
        constant, of = plan.of_baseline, plan.against
    yield Tag("baseline", f"{summary.amount(constant)} ({of})")
    yield Tag("beats_baseline", _BEATS[selection["beats_baseline"]])
    if (bound := selection["bound"]) is not None:
        yield Tag("bound", f"{summary.amount(bound)}, {selection['bound_method']}")
    if (joint := selection["bound_joint"]) is not None:
        yield Tag("bound_joint", f"approximately {summary.amount(joint)}")
    if (doubt := Suspicious.read(selection)) is not None:
        yield Tag("suspicious", ", ".join(" with ".join(one.columns) for one in doubt.carriers) or "no few columns")
    if doubts := selection.get("not_credible"):
        yield Tag("not_credible", "; ".join(f"{estimate}: {reason}" for estimate, reason in doubts.items()))
    if summary.margin is not None:
        by = about_winner.words(summary.of_winner) or "no other"
        yield Tag("margin", f"{margin_text(summary.margin, summary.loss)} of {summary.compared_by}: {by}")
    yield Tag("verdict", summary.decision.verdict)
    yield Tag("caveats", "; ".join(summary.decision.caveats) or "none")
    yield Tag("findings", "; ".join(one.line for one in summary.rows.found.findings if one.open) or "none open")
    if (halvings := summary.halvings) is not None:
        yield Tag("halvings", f"{halvings.made}: {halvings.says}")
    yield Tag("rows_delivered", str(selection["rows_delivered"]))


def _root(summary: Summary, name: str, error: float) -> Iterator[TrackedMetric]:
    """An error of the squared loss as people read it, E_cv_RMSE; nothing for another loss, or for a disagreement."""
    if summary.loss.power == 2 and name != "disagreement":
        yield TrackedMetric(f"{name}{ROOT}", float(summary.shown(error)))


def _difference(summary: Summary, against: str, name: str) -> Iterator[TrackedMetric]:
    """The error of the winner less that of another, and its bounds; nothing for the winner itself."""
    for one in summary.of_winner:
        if one.against == against:
            yield TrackedMetric(name, one.difference, low=one.low, high=one.high)
