"""The order that a type gives its classes decides which of two a number is about, and the output names it."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import heldout
from heldout.errors import TargetWarning
from heldout.rows.class_order import last_of_two

NAMES = np.array(["worse", "better"])
CODES = np.arange(80) % 2
SCORES = CODES + 0.5 * np.random.default_rng(0).normal(size=80)
ORDERED = {
    "category": pd.Series(pd.Categorical(NAMES[CODES], NAMES, ordered=True)),
    "Enum": pl.Series(NAMES[CODES], dtype=pl.Enum(NAMES.tolist())),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array(CODES), pa.array(NAMES.tolist()), ordered=True),
}
OTHERS = {
    "text": pd.Series(NAMES[CODES]),
    "no order": pd.Series(pd.Categorical(NAMES[CODES], NAMES)),
    "three": pd.Series(pd.Categorical([*"abc"], [*"cba"], ordered=True)),
    "array": NAMES[CODES],
    "list": NAMES[CODES].tolist(),
}


@pytest.mark.parametrize("labels", ORDERED.values(), ids=ORDERED)
def test_the_last_of_two_is_that_of_the_type(labels):
    assert "better" == last_of_two(labels)


@pytest.mark.parametrize("labels", OTHERS.values(), ids=OTHERS)
def test_labels_without_an_order_of_their_own_have_none(labels):
    assert last_of_two(labels) is None


@pytest.mark.parametrize("kind", ["category", "Enum"])
def test_a_score_is_about_the_last_class_of_the_type_and_the_output_names_it(kind):
    frame = (pd if kind == "category" else pl).DataFrame
    table = frame({"row": np.arange(80), "candidate": ["a"] * 80, "answer": SCORES, "label": ORDERED[kind]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = heldout.from_predictions(table, metric="auc")
    assert made.estimates[0].value < 0.2
    assert "larger where better is likelier" in str(made)


def test_an_auc_far_below_one_half_raises_the_question():
    table = {"row": np.arange(80), "candidate": ["a"] * 80, "answer": SCORES, "label": NAMES[CODES]}
    with pytest.warns(TargetWarning, match=r"far below 0.5.*taken to be larger where 'worse' is; name their column"):
        heldout.from_predictions(table, metric="auc")


def test_a_metric_of_one_class_names_it_where_the_type_has_another_last():
    from sklearn.tree import DecisionTreeClassifier

    with pytest.warns(
        TargetWarning, match="E_f1: .* worse, is the positive one, and the type of y has .*better.* last"
    ):
        heldout.validate(
            {"a": DecisionTreeClassifier(random_state=0)},
            SCORES[:, None],
            ORDERED["category"],
            estimates=["E_cv"],
            further_estimates=["E_f1"],
            progress=False,
        )
