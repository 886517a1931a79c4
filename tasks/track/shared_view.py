"""What MLflow's list of runs shows first: the winners' errors, or what `watch` found, as columns and as charts.

MLflow keeps a view that people share as a tag of the experiment, and opens it at an address that names it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heldout.estimates import PLANNED_BY
from heldout.losses import Loss
from tasks.outcome.items import ROOT

_NAME = "heldout"
TAG = f"mlflow.sharedViewState.{_NAME}"
_ERRORS = (*(estimate.name for estimate in PLANNED_BY if estimate.name != "E_val"), "bound", "baseline")
_DISAGREEMENT = "disagreement"
# and their widths in pixels: the decision, then the error that most runs share; the last are right of a small window
_COLUMNS = {"verdict": 115, "changed": 120, "E_cv": 130, "E_test": 230, "E_bbc": 230}
_WIDTH, _NAME_WIDTH = 130, 320
_SECTION, _PICTURES = "heldout", "decision"
_OWN = {"deleted": False, "isGenerated": False}  # of a chart or a section that a person made
_LINE: dict[str, Any] = {
    "xAxisKey": "step",
    "useGlobalXaxisKey": False,
    "lineSmoothness": 0,
    "useGlobalLineSmoothing": False,
}


def _state(columns: Mapping[str, int], charts: Sequence[dict[str, Any]], title: str) -> str:
    """A view, as the value of the tag: all that MLflow's own button to share a view writes, with no run hidden."""
    view: dict[str, Any] = {
        "searchFilter": "",
        "orderByKey": "attributes.start_time",
        "orderByAsc": False,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "datasetsFilter": [],
        "modelVersionFilter": "All Runs",
        "selectedColumns": [*columns],
        "columnOrder": [*_FIRST, *columns],
        "columnWidths": {_FIRST[-1]: _NAME_WIDTH, **columns},
        "runsExpanded": {},
        "runsPinned": [],
        "runsHidden": [],
        "runsVisibilityMap": {},
        "runsHiddenMode": "FIRST_20_RUNS",
        "compareRunCharts": charts,
        "compareRunSections": [*_sections(charts, title)],
        "isAccordionReordered": False,
        "viewMaximized": False,
        "runListHidden": False,
        "groupBy": None,
        "groupsExpanded": {},
        "autoRefreshEnabled": True,
        "useGroupedValuesInCharts": True,
        "hideEmptyCharts": True,
        "globalLineChartConfig": None,
        "chartsSearchFilter": "",
    }
    return json.dumps(view)


def _sections(charts: Sequence[dict[str, Any]], title: str) -> Iterator[dict[str, Any]]:
    """Of the pictures, as wide as the page; and of the numbers, folded then, since their bars have no interval."""
    with_pictures, section = charts[0]["metricSectionId"] == _PICTURES, {**_OWN, "isReordered": False}
    if with_pictures:
        yield {**section, "display": True, "uuid": _PICTURES, "name": "Decision", "columns": 1, "cardHeight": 720}
    yield {**section, "display": not with_pictures, "uuid": _SECTION, "name": title}


def _chart(metric: str, kind: str = "BAR", **more: Any) -> dict[str, Any]:
    made = {"type": kind, "uuid": f"heldout-{metric}", "metricSectionId": _SECTION}
    return {**_OWN, **made, "metricKey": metric, "displayName": metric, **more}


def _line(metric: str) -> dict[str, Any]:
    return _chart(metric, "LINE", selectedMetricKeys=[metric], displayPoints=True, **_LINE)


PICTURE = "decision"  # the image of a run: the winner's errors with their intervals, in percent or the target's unit
_OF_DECISION = {
    **_chart(PICTURE, "IMAGE"),
    "imageKeys": [PICTURE],
    "step": 0,
    "showRunParams": False,
    "metricSectionId": _PICTURES,
}
_FIRST = ("1", "attributes.`Run Name`")  # MLflow's own names of a mark and the name of a run
# texts with unit and interval: MLflow writes all digits of a metric
_TAGS = {f"tags.`{name}`": width for name, width in _COLUMNS.items()}
OF_ERRORS = _state(_TAGS, [_OF_DECISION, *(_chart(name) for name in (*_ERRORS, _DISAGREEMENT))], "Estimates")
_OF_ROOTS = _state(
    _TAGS, [_OF_DECISION, *(_chart(f"{name}{ROOT}") for name in _ERRORS)], "Estimates, in units of the target"
)
_OF_WATCH = [f"tags.`{name}`" for name in ("model", "candidate")]
_OF_WATCH += [f"metrics.`{name}`" for name in ("alarm", "evidence", _DISAGREEMENT)]
OF_SHARDS = _state(
    dict.fromkeys(_OF_WATCH, _WIDTH),
    [_line(name) for name in ("evidence", _DISAGREEMENT, "alarm", "evidence_of_answers")],
    "Shards, in their order",
)


def of(loss: Loss) -> str:
    """The view of errors under a loss: of the squared loss their roots, in the unit of the target."""
    return _OF_ROOTS if loss.power == 2 else OF_ERRORS


def is_alike(state: str | None, view: str) -> bool:
    """Whether an experiment with the tag `state` has a `view`, or that of another loss, which a run sets at its end."""
    of_errors = (OF_ERRORS, _OF_ROOTS)
    return state == view or (state in of_errors and view in of_errors)


def address(experiment: str) -> str:
    """The list of the runs of an experiment in this view, from any page of the same server."""
    return f"#/experiments/{experiment}/runs?viewStateShareKey={_NAME}&workflowType=machine_learning"
