"""The items that a validation reports to a tracking store: what was set, chosen and estimated."""

from collections.abc import Iterable, Iterator
from typing import Protocol

import pandas as pd

from heldout.diagnosis.more_rows import AT_2N, AT_N, GAIN
from heldout.estimates import COMPARED, PLANNED_BY
from heldout.fits import baseline
from heldout.fits.fit_cost import FitCost
from heldout.records import Estimate
from tasks.outcome.items import ROOT, Artifact, Dataset, Item, Tag, TrackedMetric, parameters
from tasks.outcome.ledger import learner_id
from tasks.params import Candidate, Settings
from tasks.report.summary import Summary, shown_steps
from tasks.storage import files

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
    files.CLASS_ERRORS,
    files.CALIBRATION,
    files.ROC,
    files.RESIDUALS,
    files.HARD_ROWS,
    files.TO_LABEL,
    files.SHARD_DISAGREEMENT,
    files.SELECTION,
    files.FINDINGS,
)


class _Measured(Protocol):
    """A record of a value, with an interval or without."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def outcome_items(summary: Summary) -> Iterator[Item]:
    """What is compared between runs: the winner, the baseline and the bound; and the files that people read.

    Those numbers are few, since a page that compares runs lists them all: the winner's own run and the files have every
    one.
    """
    for record in _in_order(summary, summary.selected):
        if record.estimate in COMPARED:
            yield from _compared(summary, record)
    for name in ("bound", baseline.NAME):
        if (number := summary.selection[name]) is not None:
            yield TrackedMetric(name, float(number))
            yield from _root(summary, name, number)
    for one, line in summary.test_set.headline:
        if not pd.isna(line["value"]):
            yield TrackedMetric(f"test_{one.name}", float(line["value"]))
    yield from _in_words(summary)
    yield from map(Artifact, _ARTIFACTS)
    for path in sorted(files.PLOTS.glob("*.csv")):  # their pictures are in the report
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


def candidate_items(candidate: Candidate, summary: Summary, cost: FitCost | None = None) -> Iterator[Item]:
    """The settings of a candidate, its estimates with their bounds and its curves, or why it failed or was dropped.

    And what a fit on all labelled rows, a prediction and its model cost, as far as this machine has measured it.
    """
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
    if cost is not None:
        of_all = cost.of_all(summary.selection["rows"]["labeled"])
        yield from (TrackedMetric(name, number) for name, number in of_all.items())
    yield from _difference(summary, candidate.name, f"{summary.compared_by}_of_selected_less_this")
    one = summary.winner_less.get(candidate.name)
    if one is not None and one.by_margin is not None:
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
    for more in summary.more_rows_of(candidate):
        if more.estimate in (GAIN, AT_N, AT_2N):
            yield from metric(more.estimate, more)
    for powered in summary.powered_of(candidate):
        if powered.estimate == _BY_E_CV:
            yield from metric("E_cv_powered", powered)
            if powered.labels_gained is not None:
                yield TrackedMetric("labels_gained", powered.labels_gained)
    yield from _in_words_of(summary, candidate, _PLANNED)


def _in_order(summary: Summary, candidate: str) -> list[Estimate]:
    """Its estimates, the criterion first: the pages draw the first metric of a run."""
    return sorted(summary.records_of(candidate), key=lambda one: one.estimate != summary.selection["criterion"])


def _compared(summary: Summary, record: Estimate) -> Iterator[TrackedMetric]:
    """An estimate of the winner, with its interval where it decides: of the squared loss that of its root."""
    if record.estimate not in _deciding(summary):
        yield TrackedMetric(record.estimate, record.value)
    elif not _has_root(summary, record.estimate):
        yield from metric(record.estimate, record)
    else:
        yield TrackedMetric(record.estimate, record.value)
        low, high = (None if end is None else float(summary.shown(end)) for end in (record.low, record.high))
        yield TrackedMetric(f"{record.estimate}{ROOT}", float(summary.shown(record.value)), low=low, high=high)


def _deciding(summary: Summary) -> list[str]:
    """The estimate to plan with, and the one that chose."""
    plan = summary.planned
    return [*([] if plan is None else [plan.record.estimate]), summary.ordered_by]


def _in_words_of(summary: Summary, candidate: str, names: Iterable[str]) -> Iterator[Tag]:
    """Some estimates as people read them: E_cv 1.0 % [0.2–4.5]."""
    for name in names:
        value, interval = summary.cell(candidate, name)
        if value:
            error = summary.with_unit(value)
            yield Tag(name, f"{error} [{interval}]" if interval else error)


def _in_words(summary: Summary) -> Iterator[Tag]:
    """The decision, as people search and read it, with the best constant's error; the note and the files have more."""
    plan = summary.planned
    of_baseline = plan.of_baseline if plan is not None else None
    constant = summary.amount(summary.selection["baseline"] if of_baseline is None else of_baseline)
    first, *others = _in_words_of(summary, summary.selected, dict.fromkeys(_deciding(summary)))
    yield from (Tag(first.name, f"{first.value}, a constant {constant}"), *others)
    if summary.value(summary.selected, "E_test") is None and summary.settings.split.test_fraction:
        yield Tag("E_test", "not opened")
    yield Tag("verdict", summary.decision.verdict)


def _has_root(summary: Summary, name: str) -> bool:
    return summary.loss.power == 2 and name != "disagreement"


def _root(summary: Summary, name: str, error: float) -> Iterator[TrackedMetric]:
    """An error of the squared loss as people read it, E_cv_RMSE; nothing for another loss, or for a disagreement."""
    if _has_root(summary, name):
        yield TrackedMetric(f"{name}{ROOT}", float(summary.shown(error)))


def _difference(summary: Summary, against: str, name: str) -> Iterator[TrackedMetric]:
    """The error of the winner less that of another, and its bounds; nothing for the winner itself."""
    one = summary.winner_less.get(against)
    if one is not None:
        yield TrackedMetric(name, one.difference, low=one.low, high=one.high)
