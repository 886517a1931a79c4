"""What MLflow's list of runs shows first: the estimates of the winners, as columns and as charts.

MLflow keeps a view that people share as a tag of the experiment, and opens it at an address that names it.
"""

import json
from typing import Any

from heldout.estimates import PLANNED_BY

_NAME = "heldout"
TAG = f"mlflow.sharedViewState.{_NAME}"
_METRICS = (*(estimate.name for estimate in PLANNED_BY), "bound", "baseline", "disagreement")
_TAGS = ("selected_model", "verdict")
_SECTION = "heldout"
_OWN = {"deleted": False, "isGenerated": False}  # of a chart or a section that a person made


def state() -> str:
    """The view, as the value of the tag: all that MLflow's own button to share a view writes, with no run hidden."""
    columns = [*(f"tags.`{name}`" for name in _TAGS), *(f"metrics.`{name}`" for name in _METRICS)]
    view: dict[str, Any] = {
        "searchFilter": "",
        "orderByKey": "attributes.start_time",
        "orderByAsc": False,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "datasetsFilter": [],
        "modelVersionFilter": "All Runs",
        "selectedColumns": columns,
        "columnOrder": [],
        "columnWidths": {},
        "runsExpanded": {},
        "runsPinned": [],
        "runsHidden": [],
        "runsVisibilityMap": {},
        "runsHiddenMode": "FIRST_20_RUNS",
        "compareRunCharts": [_chart(name) for name in _METRICS],
        "compareRunSections": [
            {**_OWN, "uuid": _SECTION, "name": "Estimates", "display": True, "isReordered": False},
        ],
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


def address(experiment: str) -> str:
    """The list of the runs of an experiment in this view, from any page of the same server."""
    return f"#/experiments/{experiment}/runs?viewStateShareKey={_NAME}&workflowType=machine_learning"


def _chart(metric: str) -> dict[str, Any]:
    made = {"type": "BAR", "uuid": f"heldout-{metric}", "metricSectionId": _SECTION}
    return {**_OWN, **made, "metricKey": metric, "displayName": metric}
