"""A column that is named after a class is about that class, in any order, or it is refused."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import heldout
from heldout.errors import BadArgument
from heldout.rows.class_names import class_named, in_order

N = 40
RNG = np.random.default_rng(0)
NAMES = np.array(["ill", "odd", "well"])
PLACE = RNG.integers(0, 3, N)
SHARES = RNG.dirichlet(np.ones(3), N) * 0.6 + 0.4 * np.eye(3)[PLACE]
CLASSES = {"texts": NAMES, "numbers": np.array([1, 2, 3]), "floats": np.array([1.0, 2.0, 3.0])}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
SICK = np.where(PLACE > 0, "well", "ill")
WELL = np.clip(0.5 * (SICK == "well") + 0.5 * RNG.random(N), 0.01, 0.99)
TWO = {"label": SICK, "candidate": ["a"] * N, "row": np.arange(N)}


def auc(y, probabilities, **more):
    return heldout.metrics_of(y, y, probabilities, **more).lines[0].value


@pytest.mark.parametrize("order", [*permutations(range(3))])
@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("of", FRAMES)
def test_columns_go_to_the_classes_that_they_are_named_after(of, classes, order):
    names = (
        CLASSES[classes]
        if of == "pandas"
        else [f"{name:g}" if classes != "texts" else name for name in CLASSES[classes]]
    )
    frame = FRAMES[of]({names[place]: SHARES[:, place] for place in order})
    assert np.array_equal(in_order(frame, CLASSES[classes], "probabilities"), SHARES)


def test_metrics_and_scores_have_the_order_of_the_names():
    y = NAMES[PLACE]
    expected = roc_auc_score(y, SHARES, multi_class="ovr")
    for order in ([2, 0, 1], [1, 0, 2]):
        frame = pd.DataFrame(SHARES[:, order], columns=[f"p_{NAMES[place]}" for place in order])
        assert auc(y, frame) == pytest.approx(expected, abs=1e-12)
        assert auc(y, None, scores=frame) == pytest.approx(expected, abs=1e-12)
    assert auc(y, SHARES) == auc(y, pd.DataFrame(SHARES)) == auc(y, pl.DataFrame(SHARES)) == pytest.approx(expected)


def test_a_series_of_scores_is_about_the_class_that_it_is_named_after():
    expected = roc_auc_score(SICK == "well", WELL)
    for scores in (WELL, pd.Series(WELL), pd.Series(WELL, name="well"), pd.Series(1 - WELL, name="ill")):
        assert auc(SICK, None, scores=scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("names", [["ill", "well", "well"], ["ill", "odd", "fine"], ["a", "b", "c"], [0, 1, 3]])
@pytest.mark.parametrize("argument", ["probabilities", "scores"])
def test_names_that_are_not_those_of_the_classes_are_refused(names, argument):
    with pytest.raises(BadArgument, match="the classes are ill, odd, well") as caught:
        heldout.metrics_of(NAMES[PLACE], NAMES[PLACE], **{argument: pd.DataFrame(SHARES, columns=names)})
    assert caught.value.argument == argument


def test_whole_numbers_of_a_frame_without_names_are_places():
    """0 and 1 are no classes of 1 and 2, and what pandas calls columns of an array."""
    assert auc(PLACE.clip(0, 1) + 1, pd.DataFrame({0: 1 - WELL, 1: WELL})) == auc(
        SICK, np.column_stack([1 - WELL, WELL])
    )


@pytest.mark.parametrize("name", ["ill", "p_ill", "P(ill)", "proba_ill", "prob ill", ".pred_ill", "probability: ill"])
def test_a_name_is_that_of_a_class_or_a_probability_of_it(name):
    assert class_named(name, np.array(["ill", "well"])) == 0


@pytest.mark.parametrize("name", [None, "", "answer", "pill", "killed", "ill_p", "model_ill", "illness"])
def test_other_names_are_of_no_class(name):
    assert class_named(name, np.array(["ill", "well"])) is None


@pytest.mark.parametrize(("classes", "name"), [([0, 1], "0"), ([0, 1], 0), ([0.0, 1.0], "0"), ([False, True], "False")])
def test_a_number_is_a_class_however_it_is_written(classes, name):
    assert class_named(name, np.array(classes)) == 0


ABOUT = {"answer": WELL, "well": WELL, "ill": 1 - WELL, "p_ill": 1 - WELL, ".pred_well": WELL}


@pytest.mark.parametrize(
    "how", [{"loss": "log"}, {"loss": "brier"}, {"metric": "auc"}, {"metric": "average_precision"}]
)
@pytest.mark.parametrize("column", ABOUT)
def test_an_answer_is_about_the_class_that_its_column_is_named_after(column, how):
    def value(name):
        table = pd.DataFrame({**TWO, name: ABOUT[name]})
        return heldout.from_predictions(table, answer=name, **how).estimates[0].value

    assert value(column) == pytest.approx(value("answer"), rel=1e-9)
    if how == {"loss": "log"}:
        assert value(column) == pytest.approx(log_loss(SICK, WELL), rel=1e-9)


def test_a_number_that_is_a_probability_of_0_is_compared_with_1_less_the_label():
    y = (PLACE > 0).astype(int)
    table = {**TWO, "label": y, "p_0": 1 - WELL, "p_1": WELL}
    values = [
        heldout.from_predictions(table, answer=name, loss="squared").estimates[0].value for name in ("p_0", "p_1")
    ]
    assert values == pytest.approx([np.mean((y - WELL) ** 2)] * 2)


def test_floats_that_may_stand_for_several_names_are_of_no_class():
    assert class_named("a", np.array([3.0, 2.0**60])) is None
    assert class_named(2.0**60, np.array([0, 1])) is None


def test_a_function_gets_answers_about_the_last_class():
    few = {name: values[:12] for name, values in TWO.items()}
    for name, said in (("ill", 1 - WELL), ("ill", -WELL), ("well", WELL)):
        found = heldout.from_predictions({**few, name: said[:12]}, answer=name, metric=roc_auc_score)
        assert found.estimates[0].value == pytest.approx(1 - roc_auc_score(SICK[:12], WELL[:12]), abs=1e-9)


@pytest.mark.parametrize("names", [["ill", "well"], ["ill", "odd"], ["p_ill", "b"]])
@pytest.mark.parametrize("how", [{"loss": "log"}, {"metric": "auc"}, {"metric": roc_auc_score}])
def test_columns_of_candidates_are_not_those_of_classes(names, how):
    table = {"label": SICK, names[0]: 1 - WELL, names[1]: WELL}
    with pytest.raises(BadArgument, match=f"the column '{names[0]}', named after the class ill") as caught:
        heldout.from_predictions(table, answer=names, **how)
    assert caught.value.argument == "answer"


def test_a_column_of_classes_may_be_called_as_one_of_them():
    """Two raters, A and B, whose names are grades too."""
    grade = np.where(PLACE > 0, "A", "B")
    found = heldout.from_predictions({"label": grade, "A": grade, "B": grade}, answer=["A", "B"])
    assert [one.value for one in found.estimates] == [0, 0]
