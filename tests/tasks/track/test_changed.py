"""What a run says that it changed against the run before."""

import pytest

from tasks.outcome.items import DATA_HASH, settings_values
from tasks.track.changed import GIT_COMMIT, GIT_DIRTY, Before, changed

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
TREE = "{name: tree v1-2, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: %s}}"
TAGS = {DATA_HASH: "a", GIT_COMMIT: "b"}
FIRST = f"candidates=[{BAYES}, {TREE % 3}]"
CHANGES = {
    ("seed=4",): "seed=4",
    ("selection.rule=one_standard_error", "seed=4"): "seed=4, rule=one_standard_error",
    (f"candidates=[{BAYES}, {TREE % 5}]",): "tree v1-2.max_depth=5",
    (f"candidates=[{BAYES}]",): "-tree v1-2",
    (f"candidates=[{BAYES}, {TREE % 3}, {BAYES.replace('bayes,', 'c,')}, {BAYES.replace('bayes,', 'd,')}]",): (
        "+2 candidates"
    ),
    ("selection.level=0.9",): "level=0.9",
    ("candidates=[{name: a(depth=3), estimator: sklearn.naive_bayes.GaussianNB}]",): "+a depth:3, -2 candidates",
    ("data.drop=[x]", "seed=4", "split.folds=7", "split.repeats=2", "selection.rule=one_standard_error"): (
        "seed=4, rule=one_standard_error, drop=['x'] and 2 more"
    ),
}


def before(*settings) -> list[Before]:
    return [Before(settings_values(one), TAGS) for one in settings]


@pytest.mark.parametrize("changes", CHANGES)
def test_each_change_is_named(settings_with, changes):
    settings = settings_with(FIRST, *changes)
    assert CHANGES[changes] == changed(settings, TAGS, before(settings_with(FIRST)))
    assert changed(settings_with(FIRST), TAGS, before(settings))  # and what was taken back


def test_a_setting_that_went_back_to_its_default_is_named_by_it_also_after_a_run_that_sent_defaults(settings_with):
    first = settings_with(FIRST)
    assert "level=0.95" == changed(first, TAGS, before(settings_with(FIRST, "selection.level=0.9")))
    assert "" == changed(first, TAGS, [Before({**settings_values(first), "selection.level": "0.95"}, TAGS)])


def test_the_same_again_and_the_first_run_changed_nothing_and_other_rows_or_code_are_said(settings_with):
    settings = settings_with(FIRST)
    assert "" == changed(settings, TAGS, []) == changed(settings, TAGS, before(settings))
    assert "other rows" == changed(settings, {**TAGS, DATA_HASH: "c"}, before(settings))
    assert "other code" == changed(settings, {**TAGS, GIT_DIRTY: "d"}, before(settings))


def test_a_run_is_compared_with_the_one_that_is_most_like_it(settings_with):
    first, other = settings_with(FIRST), settings_with(FIRST, "selection.rule=one_standard_error")
    assert "seed=4" == changed(settings_with(FIRST, "seed=4"), TAGS, before(other, first))
    assert "" == changed(first, TAGS, before(other, first))
