"""What a run says that it changed against the run before."""

import pytest

from tasks.outcome.items import settings_items
from tasks.track.changed import Before, changed

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
TREE = "{name: tree v1.2, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: %s}}"
TAGS = {"data_hash": "a", "git_commit": "b"}
FIRST = f"candidates=[{BAYES}, {TREE % 3}]"
CHANGES = {
    ("seed=4",): "seed=4",
    ("selection.rule=one_standard_error", "seed=4"): "seed=4, rule=one_standard_error",
    (f"candidates=[{BAYES}, {TREE % 5}]",): "tree v1.2.max_depth=5",
    (f"candidates=[{BAYES}]",): "-tree v1.2",
    (f"candidates=[{BAYES}, {TREE % 3}, {BAYES.replace('bayes,', 'c,')}, {BAYES.replace('bayes,', 'd,')}]",): (
        "+2 candidates"
    ),
    ("data.drop=[x]", "seed=4", "split.folds=7", "split.repeats=2", "selection.rule=one_standard_error"): (
        "seed=4, drop=['x'], folds=7 and 2 more"
    ),
}


def before(settings) -> Before:
    return Before({item.name: item.value for item in settings_items(settings)}, TAGS)


@pytest.mark.parametrize("changes", CHANGES)
def test_each_change_is_named(settings_with, changes):
    settings = settings_with(FIRST, *changes)
    assert CHANGES[changes] == changed(settings, TAGS, before(settings_with(FIRST)))
    assert changed(settings_with(FIRST), TAGS, before(settings))  # and what was taken back


def test_the_same_again_and_the_first_run_changed_nothing_and_other_rows_or_code_are_said(settings_with):
    settings = settings_with(FIRST)
    assert "" == changed(settings, TAGS, Before()) == changed(settings, TAGS, before(settings))
    assert "other rows" == changed(settings, {**TAGS, "data_hash": "c"}, before(settings))
    assert "other code" == changed(settings, {**TAGS, "git_dirty": "d"}, before(settings))
