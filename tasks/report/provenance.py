"""Where the numbers come from: the rows, the parameters, and how to repeat the run. Nothing of a day or a machine."""

import json
from collections.abc import Iterator

from tasks.report.section import Section, Table
from tasks.report.summary import Summary, shown_count
from tasks.runtime.own_code import COMMAND

_KINDS_SHOWN = 12
_COMMAND = "dvc repro"
_HALVINGS = "covalidation.repeats"
# the parameters that say what was done; those left out are about where and how fast
_PARAMETERS = (
    "seed",
    "data.source",
    "data.target",
    "data.positive",
    "data.drop",
    "data.known_after",
    "loss",
    "split.test_fraction",
    "split.validation_fraction",
    "split.folds",
    "split.repeats",
    "progressive.tested_fraction",
    _HALVINGS,
    "selection.criterion",
    "selection.rule",
    "selection.level",
    "deliver",
)


def section(summary: Summary) -> Section:
    """The rows and the parameters in two tables."""
    of_rows = Table("Rows", ["what", "how many, or which"], list(_rows(summary)), words=frozenset({1}))
    parameters = Table("Parameters", ["key in params.yaml", "value"], list(_parameters(summary)), words=frozenset({1}))
    return Section(
        "provenance",
        "Where these numbers come from",
        f"With the same rows and the same params.yaml, {_COMMAND} (or {COMMAND} validate) repeats them to the "
        "last digit.",
        tables=[of_rows, parameters],
    )


def _rows(summary: Summary) -> Iterator[list[str]]:
    rows = summary.selection["rows"]
    yield ["data source", summary.settings.data.source]
    yield ["target", summary.settings.data.target or "target"]
    if labels := summary.rows.labels:
        names = [f"{name} ({shown_count(count)})" for name, count in labels[:_KINDS_SHOWN]]
        more = f", and {len(labels) - _KINDS_SHOWN} more" if len(labels) > _KINDS_SHOWN else ""
        yield ["classes, with their rows", ", ".join(names) + more]
    yield ["labelled rows", f"{shown_count(rows['labeled'])}{summary.in_groups('estimates')}"]
    if rows["estimates"] != rows["labeled"]:
        yield ["of these in the estimates", shown_count(rows["estimates"])]
    yield ["rows of the test set", shown_count(rows["test"])]
    used = [report for report in summary.unlabeled.shards if report.bad is None]
    if used:
        unlabeled = sum(report.rows or 0 for report in used)
        yield ["unlabelled rows", f"{shown_count(unlabeled)} in {len(used)} shard{'s' * (len(used) > 1)}"]
    yield ["rows behind the delivered model", shown_count(summary.selection["rows_delivered"])]
    if summary.rows.data_hash:
        yield ["content hash of the labelled rows", summary.rows.data_hash[:16]]


def _parameters(summary: Summary) -> Iterator[list[str]]:
    settings = summary.settings.model_dump(mode="json")
    for key in _PARAMETERS:
        value = settings
        for part in key.split("."):
            value = value[part]
        yield [key, _text(value) if key != _HALVINGS else _halvings(summary, value)]
    for candidate in settings["candidates"]:
        params = ", ".join(f"{name}={_text(value)}" for name, value in candidate["params"].items())
        preprocess = f" after {candidate['preprocess']}" if candidate["preprocess"] else ""
        yield [f"candidate {candidate['name']}", f"{candidate['estimator']}({params}){preprocess}"]


def _halvings(summary: Summary, value: object) -> str:
    """The number of halvings; where a rule decided it also why no more were made."""
    found = summary.halvings
    return _text(value) if found is None else f"{_text(value)}: {found.made} halvings, {found.says}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
