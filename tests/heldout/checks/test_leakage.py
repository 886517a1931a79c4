"""A planted copy of the target is found under any name; an honest feature, however strong, is not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from heldout.checks import leakage
from tasks.data import column_types

few = settings(max_examples=25, deadline=None)


def names(found):
    return [name for leak in found for name in leak.columns]


def of_classes(features, target):
    return leakage.of_single_columns(column_types.typed(features)[0], target, classes=True)


def honest(rng, rows):
    return pd.DataFrame({"a": rng.normal(size=rows), "b": rng.integers(0, 5, rows), "c": rng.choice(list("xyz"), rows)})


CODES = {
    "itself": lambda codes, rng: codes,
    "permuted": lambda codes, rng: rng.permutation(codes.max() + 1)[codes],
    "strings": lambda codes, rng: np.array([f"kind {code}" for code in codes]),
    "shades": lambda codes, rng: codes + rng.uniform(0, 0.4, len(codes)),
    "several names": lambda codes, rng: np.array(
        [f"{code}-{part}" for code, part in zip(codes, rng.integers(0, 3, len(codes)), strict=True)]
    ),
}


@few
@given(st.sampled_from(list(CODES)), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_a_column_that_alone_tells_the_class_is_found_and_no_other_is(code, count, seed):
    rng = np.random.default_rng(seed)
    target = pd.Series(np.concatenate([np.arange(count), np.arange(count), rng.integers(0, count, 400)]))
    features = honest(rng, len(target)).assign(told=CODES[code](target.to_numpy(), rng))
    found = of_classes(features, target.map(lambda kind: f"class {kind}"))
    assert ["told"] == names(found)
    assert found[0].sure
    assert "error 0 % out of fold, " in found[0].why


@few
@given(st.floats(0.02, 0.3), st.integers(0, 2**32 - 1))
def test_a_copy_of_the_class_with_two_errors_in_a_hundred_or_more_is_no_leak(noise, seed):
    rng = np.random.default_rng(seed)
    target = pd.Series(rng.integers(0, 2, 1000))
    wrong = np.zeros(1000, dtype=bool)
    wrong[rng.permutation(1000)[: round(1000 * noise)]] = True
    features = honest(rng, 1000).assign(strong=np.where(wrong, 1 - target, target))
    assert [] == of_classes(features, target)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_no_honest_feature_of_the_sets_of_scikit_learn_is_left_out(load):
    loaded = load(as_frame=True)
    assert [] == of_classes(loaded.data, loaded.target)


def test_a_feature_that_separates_few_rows_is_told_as_not_sure():
    loaded = load_iris(as_frame=True)
    found = of_classes(loaded.data, loaded.target == 0)  # setosa, whose petals are small
    assert {"petal length (cm)", "petal width (cm)"} == set(names(found))
    assert not any(leak.sure for leak in found)


def test_a_rare_class_makes_no_leak_of_a_feature_that_ignores_it():
    rng = np.random.default_rng(0)
    target = pd.Series(np.arange(5000) < 20)
    assert [] == of_classes(honest(rng, 5000), target)
    assert ["told"] == names(of_classes(honest(rng, 5000).assign(told=target.astype(int)), target))


NUMBERS = {
    "itself": lambda y, rng: y,
    "another unit": lambda y, rng: 32 - 1.8 * y,
    "its logarithm": lambda y, rng: np.log(y - y.min() + 1),
    "rounded": lambda y, rng: np.round(y, 2),
    "its name": lambda y, rng: np.array([f"n{value:.1f}" for value in y]),
}


@few
@given(st.sampled_from(list(NUMBERS)), st.integers(0, 2**32 - 1))
def test_a_column_that_alone_tells_the_number_is_found_and_no_other_is(how, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=600)
    y = pd.Series(np.round(x + 0.1 * rng.normal(size=600), 1) if how == "its name" else x + 0.1 * rng.normal(size=600))
    features = honest(rng, 600).assign(strong=x, told=NUMBERS[how](y.to_numpy(), rng))
    assert ["told"] == names(leakage.of_single_columns(column_types.typed(features)[0], y, classes=False))


@few
@given(st.integers(3, 7), st.booleans(), st.integers(0, 2**32 - 1))
def test_columns_that_together_spell_the_class_are_found_and_no_other_is(count, one_less, seed):
    rng = np.random.default_rng(seed)
    target = pd.Series(np.concatenate([np.arange(count), rng.integers(0, count, 500)]))
    marks = {f"is_{kind}": (target == kind).astype(int) for kind in range(count - one_less)}
    features = honest(rng, len(target)).assign(flag=rng.integers(0, 2, len(target)), **marks)
    assert set(marks) == set(names(leakage.of_indicators(features, target)))


def test_marks_of_some_classes_alone_are_features():
    rng = np.random.default_rng(0)  # as milk marks the mammals, and feathers the birds
    target = pd.Series(rng.integers(0, 5, 500))
    features = honest(rng, 500).assign(milk=(target == 0).astype(int), feathers=target == 1)
    assert [] == leakage.of_indicators(features, target)
