"""Splitters of scikit-learn as `cv`: each is taken, or refused with what to do; repeated folds count by their mean."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, RepeatedKFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
GROUPS = np.arange(90) // 6
LEARNERS = {"bayes": GaussianNB(), "lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier(random_state=0)}

ONCE = "each row must be tested once, by a hypothesis that was trained on all other folds"
# what each splitter needs, and why it is refused; with GROUPS where its name has Group
SPLITTERS: dict[str, tuple[dict, str]] = {
    "BaseShuffleSplit": ({}, f"again before row .*{ONCE}"),
    "GroupKFold": ({}, ""),
    "GroupShuffleSplit": ({"random_state": 0}, f"again before row .*{ONCE}"),
    "KFold": ({}, ""),
    "LeaveOneGroupOut": ({}, ""),
    "LeaveOneOut": ({}, ""),
    "LeavePGroupsOut": ({"n_groups": 2}, f"tests row 0 again before row .*{ONCE}"),
    "LeavePOut": ({"p": 2}, f"tests row 0 again before row 2.*{ONCE}"),
    "PredefinedSplit": ({"test_fold": np.arange(90) % 4}, ""),
    "RepeatedKFold": ({"n_repeats": 2}, ""),
    "RepeatedStratifiedKFold": ({"n_repeats": 2}, ""),
    "ShuffleSplit": ({}, f"again before row .*{ONCE}.*RepeatedKFold"),
    "StratifiedGroupKFold": ({}, ""),
    "StratifiedKFold": ({}, ""),
    "StratifiedShuffleSplit": ({}, f"again before row .*{ONCE}"),
    "TimeSeriesSplit": ({}, f"leaves 60 rows out of both parts, .*{ONCE}.*give time"),
}


def validate(learners=LEARNERS, X=X, y=Y, **more):
    return heldout.validate(learners, X, y, **{"estimates": ["E_cv"], "progress": False, **more})


def test_every_splitter_of_scikit_learn_is_listed():
    names = [name for name in sklearn.model_selection.__all__ if "Halving" not in name]
    kinds = {name: getattr(sklearn.model_selection, name) for name in names}
    splitters = {name for name, kind in kinds.items() if inspect.isclass(kind) and hasattr(kind, "split")}
    assert {*SPLITTERS} == splitters - {"BaseCrossValidator"}  # which has no splits of its own


@pytest.mark.parametrize("name", SPLITTERS)
def test_a_splitter_is_taken_with_an_interval_or_refused_with_a_reason(name):
    arguments, refusal = SPLITTERS[name]
    cv = getattr(sklearn.model_selection, name)(**arguments)
    groups = GROUPS if "Group" in name else None
    if refusal:
        with pytest.raises(BadArgument, match=re.compile(refusal, re.DOTALL)):
            validate({"bayes": GaussianNB()}, cv=cv, groups=groups)
        return
    found = validate({"bayes": GaussianNB()}, cv=cv, groups=groups)["bayes"]["E_cv"]
    assert found.low < found.value < found.high


def test_a_splitter_of_groups_without_groups_says_what_is_missing():
    with pytest.raises(
        BadArgument, match=r"GroupKFold\(.*which cannot split these rows: The 'groups' parameter should"
    ):
        validate(cv=sklearn.model_selection.GroupKFold())


REPEATED = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=1)


@pytest.mark.parametrize("shortcuts", ["auto", "off"])
def test_the_loss_of_a_row_is_its_mean_over_the_partitions(shortcuts):
    made = validate(cv=REPEATED, shortcuts=shortcuts)
    for name, learner in LEARNERS.items():
        by_hand = np.zeros(90)
        for train, tested in REPEATED.split(X, Y):
            by_hand[tested] += (learner.fit(X[train], Y[train]).predict(X[tested]) != Y[tested]) / 4
        assert made.losses("E_cv")[name] == pytest.approx(by_hand, abs=1e-12)
        assert made[name]["E_cv"].value == pytest.approx(by_hand.mean(), abs=1e-12)
        assert 20 == len(made.target(name, "E_cv"))
    assert (72, "one of the 4 k hypotheses") == (made["tree"]["E_cv"].n_train, made["tree"]["E_cv"].target[23:48])


def test_one_repetition_is_the_same_as_its_folds_once():
    splits = [*RepeatedKFold(n_splits=5, n_repeats=1, random_state=3).split(X)]
    once = validate(cv=RepeatedKFold(n_splits=5, n_repeats=1, random_state=3))
    assert once == validate(cv=splits)
    assert once["tree"]["E_cv"].target == validate(cv=KFold(5))["tree"]["E_cv"].target


def test_a_repeated_splitter_without_a_state_has_the_seed_and_any_number_of_processes():
    cv = RepeatedKFold(n_splits=3, n_repeats=2)
    made = validate(cv=cv, seed=5)
    assert made == validate(cv=cv, seed=5, n_jobs=2)
    assert made["tree"]["E_cv"].value != validate(cv=cv, seed=6)["tree"]["E_cv"].value
    assert cv.random_state is None


def test_what_is_for_one_partition_is_refused_and_what_further_fits_show_is_not():
    for name in ("corrected fold Wilson", "k-fold Hoeffding", "Bayle within folds"):
        with pytest.raises(BadArgument, match=f"{name} is for one partition into folds, not 4; use corrected t"):
            validate(cv=REPEATED, intervals={"E_cv": name})
    for name in ("corrected t", "corrected repeated t"):
        assert name == validate(cv=REPEATED, intervals={"E_cv": name})["bayes"]["E_cv"].interval
    assert "corrected Wilson" == validate(cv=REPEATED)["bayes"]["E_cv"].interval
    with pytest.raises(BadArgument, match="E_nested is for one partition"):
        validate(cv=REPEATED, estimates=["E_cv", "E_nested"])
    numbers = validate({"ridge": Ridge()}, y=X[:, 1] + RNG.normal(size=90), cv=RepeatedKFold(n_splits=5, n_repeats=2))
    assert "corrected log t" == numbers["ridge"]["E_cv"].interval


def test_setitions_that_are_not_whole_or_not_alike_or_of_groups_are_refused():
    rows = np.arange(90)

    def pairs(*folds):
        return [(rows[fold != part], rows[fold == part]) for fold in folds for part in range(fold.max() + 1)]

    thirds, halves = rows % 3, rows % 2
    with pytest.raises(BadArgument, match="which divides the rows into 2 folds and into 3; take one"):
        validate(cv=pairs(thirds, halves))
    with pytest.raises(BadArgument, match="tests less often than others row 2"):
        validate(cv=pairs(thirds, thirds)[:-1])
    with pytest.raises(BadArgument, match="has 2 partitions of groups; give the folds of one"):
        validate(cv=pairs(GROUPS % 3, GROUPS // 5), groups=GROUPS)


def test_all_that_a_result_can_say_is_said_of_repeated_folds(tmp_path):
    two = {name: LEARNERS[name] for name in ("bayes", "tree")}
    made = validate(two, cv=REPEATED, estimates=None, repeats=2, further_estimates=["E_auc"])
    assert "E_bbc" in {record.estimate for record in made.estimates}
    for question in (
        "hard_rows",
        "more_rows",
        "prediction_powered",
        "differences",
        "columns",
        "decide",
        "plot",
        "__str__",
    ):
        assert getattr(made, question)() is not None
    assert "<dd>5, 4 times</dd>" in made.report(tmp_path / "report.html").read_text(encoding="utf-8")
    auc = pd.Series([1 - made[name]["E_auc"].value for name in two])
    assert auc.between(0.5, 1).all()
