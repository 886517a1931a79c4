"""Questions about rows: their answers are counts that a reader can do by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from heldout.unlabelled.nearest_row import KnownRows
from heldout.unlabelled.plain_values import plain_columns
from heldout.unlabelled.row_questions import MOST_PAIRS, Questions


def answered(questions: Questions, X) -> dict[str, tuple[int, int]]:
    yes, asked = questions.answers(X)
    return {
        str(one): (int(a), int(b))
        for one, a, b in zip(questions.questions, yes.tolist(), asked.tolist(), strict=True)
        if one.about
    }


def test_answers_by_hand():
    known = pd.DataFrame(
        {
            "age": [20.0, 30.0, 40.0, 50.0, np.nan],
            "job": pd.Categorical(["clerk", "clerk", "cook", None, "clerk"]),
            "day": pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04", "2020-01-05"]),
        }
    )
    new = pd.DataFrame(
        {
            "age": [10.0, 35.0, np.nan, 45.0],
            "job": pd.Categorical(["clerk", "judge", "cook", None]),
            "day": pd.to_datetime(["2030-01-01"] * 4),
        }
    )
    assert answered(Questions.of(known), new) == {
        "age is above 20": (2, 3),
        "age is above 30": (2, 3),
        "age is above 40": (1, 3),
        "age is outside of 20 to 50": (1, 3),
        "age is missing": (1, 4),
        "job is clerk": (1, 3),
        "job is cook": (1, 3),
        "job is none of the 2 usual values": (1, 3),
        "job is missing": (1, 4),
        "day is missing": (0, 4),
        # 10 and clerk: one of both; 35 and judge: one of both; 30 is the median that is a value
        "both or neither of age above 30 and job clerk": (0, 2),
    }


@pytest.mark.parametrize(
    "known",
    [
        pd.DataFrame({"x": [1.0]}),
        pd.DataFrame({"x": [1.0, 1.0], "y": [np.nan, np.nan]}),
        pd.DataFrame({"x": [1, 2, 3], "y": [True, False, True]}),
        pd.DataFrame({"x": pd.Categorical([None, None]), "y": [0.0, 1.0]}),
        pd.DataFrame({"x": ["some", "longer text"], "y": [0.0, 1.0]}),
        pd.DataFrame(np.zeros((4, 30))),
    ],
)
def test_the_stakes_of_any_table_are_one_in_all(known):
    questions = Questions.of(known)
    assert questions.weights.sum() == pytest.approx(1)
    yes, asked = questions.answers(known)
    assert len(yes) == len(asked) == len(questions.weights)
    assert (yes <= asked).all()


def test_of_many_pairs_those_are_asked_about_that_go_together_most():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 40)))
    X[39] = -X[0]
    pairs = [one.about for one in Questions.of(X).questions if len(one.about) == 2]
    assert len(pairs) == MOST_PAIRS
    assert ("0", "39") in pairs


def test_the_distance_is_that_of_scikit_learn_on_shares_of_known_rows():
    rng = np.random.default_rng(0)
    known, new = (pd.DataFrame(rng.normal(size=(n, 3))) for n in (50, 30))
    plain = [plain_columns(X, ["numeric"] * 3) for X in (known, new)]
    rows = KnownRows.of(plain[0])

    def shares(X):
        return np.column_stack([(known[j].to_numpy() < X[[j]].to_numpy()).mean(axis=1) for j in known])

    halves = shares(known) + 0.5 / 50  # a known row equals itself
    fitted = NearestNeighbors(n_neighbors=1).fit(halves)
    assert rows.distances(plain[1]) == pytest.approx(fitted.kneighbors(shares(new))[0][:, 0], abs=1e-6)
    assert (rows.distances(plain[0]) == 0).all()
    assert rows.own_distances() == pytest.approx(
        NearestNeighbors(n_neighbors=2).fit(halves).kneighbors(halves)[0][:, 1], abs=1e-6
    )
