"""The params.yaml for a profiled table: rows and fits that a budget allows, and learners for its columns and target."""

from collections.abc import Mapping
from typing import Any

from heldout.defaults import TESTED_FRACTION, VALIDATION_FRACTION
from heldout.splits.partition import part_size
from tasks.init import describe, learners
from tasks.init.edit_params import Commented, CommentedItems, KeyPath, plain
from tasks.init.profile import Profile
from tasks.init.search import Search
from tasks.params.left_out import default_of
from tasks.plans import budget
from tasks.plans.budget import Choice, TableSize

BUDGET_MINUTES = 5.0  # of a run, unless the user says another number
_TEST_FRACTION = 0.2
_FEWER_FOLDS = 5
_CLASSES_STRATIFIED = 2  # by split.stratify: null
_SHARDS = 4


def decide(
    profile: Profile, source: str, unlabeled: str | None, search: Search, choice: Choice | None = None
) -> dict[KeyPath, Any]:
    """The values of params.yaml that depend on the table; all others stay as they are.

    `search` has the candidates that a budget allows, `choice` its rows and fits, None all rows and the most fits.
    """
    test = part_size(profile.labeled, _TEST_FRACTION, "test_fraction")
    together = profile.proposed.get("duplicates")
    dependent = any(one is not None for one in (profile.time, profile.groups, together))
    table = TableSize(profile.labeled - test, test, profile.rows - profile.labeled, dependent=dependent)
    choice = budget.richest(table) if choice is None else choice
    planned = budget.values(choice, dependent=table.dependent, binary=bool(profile.classes))
    hidden = table.unlabeled + choice.labeled - choice.rows
    folds, stratify = _folds(profile, choice.rows, planned["split.folds"])
    return {
        ("data", "source"): source,
        ("data", "target"): Commented(profile.target, describe.task(profile)),
        ("data", "positive"): Commented(
            profile.positive, "the last by the type of the column" * bool(profile.positive)
        ),
        ("data", "drop"): CommentedItems([(column.column, column.why) for column in profile.dropped]),
        ("data", "known_after"): [],
        ("data", "missing"): list(profile.missing) or None,
        ("data", "columns"): Commented({**profile.read_as} or None, f"found: {describe.kinds(profile)}"),
        ("data", "groups"): Commented(profile.groups, profile.proposed.get("groups", "")),
        ("data", "time"): Commented(profile.time, profile.proposed.get("time", "")),
        ("data", "weight"): None,
        ("data", "labeled_rows"): None,
        ("data", "unlabeled"): unlabeled,
        ("data", "shards"): min(_SHARDS, hidden) or _SHARDS,
        ("data", "sampling"): "iid",
        ("data", "label_probability"): None,
        ("split", "test_fraction"): _TEST_FRACTION,
        ("split", "validation_fraction"): VALIDATION_FRACTION,
        ("split", "folds"): folds,
        ("split", "rows"): planned["split.rows"],
        ("split", "stratify"): stratify,
        ("split", "gap"): 0,
        ("split", "duplicates"): Commented("keep_together", together) if together else "allow",
        ("split", "repeats"): 1,
        ("progressive", "tested_fraction"): TESTED_FRACTION,
        ("progressive", "block"): planned["progressive.block"],
        ("covalidation", "repeats"): planned["covalidation.repeats"],
        **search.values(learners.families(profile)),
        ("selection", "criterion"): "E_cv",
        ("selection", "rule"): "minimum",
        ("selection", "race"): "auto",
        ("selection", "margin"): None,
        ("selection", "open_test"): False,
        ("selection", "reopen_test"): False,
        ("loss",): Commented(None, profile.proposed.get("loss", "")),
        ("loss_max",): None,
        ("intervals",): planned["intervals"],
        ("further_estimates",): [],
        ("muted_checks",): [],
        ("deliver",): "final",
    }


def _folds(profile: Profile, rows: int, most: int) -> tuple[int, bool | None]:
    """The number of folds, and split.stratify: false if one of two classes has too few rows for every fold."""
    if len(profile.classes) != _CLASSES_STRATIFIED:
        return max(2, min(most, rows)), None
    smallest = int(min(count for _, count in profile.classes) * rows / profile.labeled)
    for folds in (most, _FEWER_FOLDS):
        if smallest >= folds and VALIDATION_FRACTION * rows >= _CLASSES_STRATIFIED:
            return folds, None
    return max(2, min(most, rows)), False


def named(values: Mapping[KeyPath, Any], template: Mapping[str, Any]) -> dict[KeyPath, Any]:
    """`values` without the defaults of keys that `template` does not name."""
    known = {(key,) for key in template} | {
        (key, inner) for key, section in template.items() if isinstance(section, dict) for inner in section
    }
    return {path: value for path, value in values.items() if path in known or plain(value) != default_of(path)}
