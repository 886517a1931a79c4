"""The members are the hypotheses of cross-validation and of progressive validation, under the same seed."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.errors import BadArgument
from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED, ZERO_ONE
from heldout.schemes import cross_validation, fit_state, progressive
from heldout.splits.partition import make_partition

SEED = 9
X, y = make_classification(n_samples=83, n_features=5, flip_y=0.3, weights=[0.6], random_state=2)
XR, yr = make_regression(n_samples=83, n_features=5, noise=20, random_state=2)


def partition(y, stratify, folds=10):
    return make_partition(y, validation_fraction=0.2, folds=folds, tested_fraction=0.4, stratify=stratify, seed=SEED)


def cases():
    """The whole, its data, and the scheme and splits of its members."""
    for learner, data, stratify, loss in [
        (DecisionTreeClassifier(max_features=2), (X, y), True, ZERO_ONE),
        (DecisionTreeClassifier(max_features=2), (pd.DataFrame(X).add_prefix("p"), y), False, ZERO_ONE),
        (DecisionTreeRegressor(max_features=2), (XR, yr), True, SQUARED),
    ]:
        drawn = partition(data[1], stratify and loss is ZERO_ONE)
        settings = {"stratify": stratify, "seed": SEED}
        yield KFoldHypothesis(learner, **settings), data, "cross_validation", cross_validation.splits(drawn.fold), loss
        along = ProgressiveHypothesis(learner, tested_fraction=0.4, block=4, **settings)
        yield along, data, "progressive", progressive.splits(drawn.step, 4), loss


@pytest.mark.parametrize(("whole", "data", "scheme", "splits", "loss"), list(cases()))
def test_the_members_are_those_of_the_scheme_and_of_makes_the_same_whole(whole, data, scheme, splits, loss):
    whole.fit(*data)
    tested = [
        fit_and_test(whole.learner, *data, split, loss, fit_state(SEED, scheme, number))
        for number, split in enumerate(splits)
    ]
    assert [len(split.validation) for split in splits] == whole.tested_.tolist()
    n = sum(len(split.validation) for split in splits)
    assert [len(split.validation) / n for split in splits] == whole.weights_.tolist()
    for member, (expected, split) in zip(whole.members_, zip(tested, splits, strict=True), strict=True):
        held_out = data[0].iloc[split.validation] if hasattr(data[0], "iloc") else data[0][split.validation]
        found = loss.pointwise(data[1][split.validation], member.predict(held_out))
        assert expected.losses.tolist() == found.tolist()

    of = type(whole).of([fitted.hypothesis for fitted in tested], whole.weights_, **whole.get_params(deep=False))
    assert whole.predict(data[0]).tolist() == of.predict(data[0]).tolist()
    assert repr(whole) == repr(of)
    for name in ("n_features_in_", "feature_names_in_", "classes_"):
        assert hasattr(whole, name) == hasattr(of, name)
        assert np.array_equal(getattr(whole, name, None), getattr(of, name, None))


def test_as_many_folds_as_rows_is_leave_one_out_and_never_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = KFoldHypothesis(DecisionTreeClassifier(), folds=len(y)).fit(X, y)
    assert [1 / len(y)] * len(y) == whole.weights_.tolist()


def test_blocks_of_one_step_have_a_member_a_tested_row():
    assert 33 == len(ProgressiveHypothesis(DecisionTreeClassifier(), tested_fraction=0.4).fit(X, y).members_)  # of 83


def test_classes_too_rare_to_be_stratified_warn_and_the_folds_are_not_stratified():
    rare = np.where(np.arange(83) < 3, 2, y)
    with pytest.warns(UserWarning, match="not stratified: folds is 10, but class 2 has 3 rows") as caught:
        whole = KFoldHypothesis(DecisionTreeClassifier(), stratify=True, seed=SEED).fit(X, rare)
    assert __file__ == caught[0].filename
    expected = cross_validation.splits(partition(rare, stratify=False).fold)
    assert [len(split.validation) for split in expected] == whole.tested_.tolist()
    assert [0, 1, 2] == whole.classes_.tolist()
    single = np.where(np.arange(83) < 1, 2, y)
    message = "not stratified: a tested part of 42 of 83 rows cannot be divided evenly among 3 classes"
    with pytest.warns(UserWarning, match=message):
        ProgressiveHypothesis(DecisionTreeClassifier(), stratify=True).fit(X, single)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # three classes are not stratified unless asked for
        plain = KFoldHypothesis(DecisionTreeClassifier(), seed=SEED).fit(X, rare)
    assert whole.tested_.tolist() == plain.tested_.tolist()


@pytest.mark.parametrize(
    ("whole", "argument", "message"),
    [
        (KFoldHypothesis, {"folds": 84}, "folds is 84; it must lie between 2 and 83, the number of labelled rows"),
        (KFoldHypothesis, {"folds": 1}, "folds is 1; it must lie between 2 and 83, the number of labelled rows"),
        (
            ProgressiveHypothesis,
            {"tested_fraction": 1.0},
            "tested_fraction is 1.0; it must lie between 0 and 1, both excluded",
        ),
        (ProgressiveHypothesis, {"block": 0}, "block is 0; it must be at least 1"),
    ],
)
def test_settings_outside_their_limits_are_refused(whole, argument, message):
    with pytest.raises(BadArgument) as refused:
        whole(LogisticRegression(), stratify=False, **argument).fit(X, y)
    assert message == str(refused.value)
    assert [refused.value.argument] == list(argument)


def test_a_nan_is_refused_even_in_the_block_that_is_tested_last():
    for row in range(20):
        bad = X[:20].copy()
        bad[row, 0] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            ProgressiveHypothesis(LogisticRegression(), block=10).fit(bad, y[:20])
