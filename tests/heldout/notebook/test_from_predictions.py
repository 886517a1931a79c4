"""`heldout.from_predictions`: equal to `validate` on the same answers, whoever made them; bad tables are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + RNG.normal(size=120) > 0, "yes", "no")
LEARNERS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0), "line": LogisticRegression()}


def validated(estimates, y=Y, learners=LEARNERS, **more):
    return heldout.validate(learners, X, y, seed=3, estimates=estimates, progress=False, **more)


def lines(made, estimate, scheme, y=Y) -> pd.DataFrame:
    """What the hypotheses of `validate` answer on the rows that tested them, as somebody else would write it down."""
    found = []
    for name in made.candidates:
        for fold, split in enumerate(made.design.splits(scheme)):
            hypotheses = made.target(name, estimate)
            rows = split.validation
            found.append(
                pd.DataFrame(
                    {"row": rows, "candidate": name, "answer": hypotheses[fold].predict(X[rows]), "label": y[rows]}
                ).assign(fold=fold)
            )
    return pd.concat(found).sample(frac=1, random_state=0)


def test_one_model_has_the_estimate_the_interval_and_the_bound_of_validate():
    made = validated(["E_val"])
    found = heldout.from_predictions(lines(made, "E_val", "holdout"), compared=7)
    for ours in made.estimates:
        (theirs,) = (one for one in found.estimates if one.candidate == ours.candidate)
        assert (ours.value, ours.low, ours.high, ours.interval) == (
            theirs.value,
            theirs.low,
            theirs.high,
            "Clopper-Pearson",
        )
        bounds = (made.bound(ours.candidate, models=7), found.bound(ours.candidate))
        assert 1 == len({(bound.value, bound.method, bound.hoeffding) for bound in bounds})
    assert theirs.n_train is None


def test_folds_have_the_estimate_of_validate_and_the_interval_that_needs_no_further_fit():
    made = validated(["E_cv"], folds=5, intervals={"E_cv": "corrected fold Wilson"})
    found = heldout.from_predictions(lines(made, "E_cv", "cross_validation"), fold="fold")
    by_name = {one.candidate: one for one in found.estimates}
    for ours in made.estimates:
        theirs = by_name[ours.candidate]
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
        assert (96, 120) == (theirs.n_train, theirs.n_tested)
    of_baseline = {one.against: one for one in made.differences("bayes")}
    for theirs in found.differences("bayes"):
        assert of_baseline[theirs.against].difference == pytest.approx(theirs.difference, abs=1e-12)
    assert made.select().selected == found.select().selected


def test_numbers_have_the_squared_loss_of_validate():
    y = X[:, 0] + RNG.normal(size=120)
    made = validated(["E_val"], y, {"line": LinearRegression()})
    (ours,), (theirs,) = made.estimates, heldout.from_predictions(lines(made, "E_val", "holdout", y)).estimates
    assert ours.value == pytest.approx(theirs.value, abs=1e-12)
    assert "log t" == theirs.interval  # the losses of cross-validation, which the default reads, are not there


def table(errors, n=50, **more) -> pd.DataFrame:
    """Losses of 0 and 1 of candidates that err in their first rows."""
    parts = [
        pd.DataFrame({"row": range(n), "candidate": name, "loss": np.arange(n) < count}).astype({"loss": float})
        for name, count in errors.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(**more)


def test_losses_of_0_and_1_are_errors_and_the_interval_is_that_of_scipy():
    (found,) = heldout.from_predictions(table({"a": 7})).estimates
    exact = stats.binomtest(7, 50).proportion_ci(0.95)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_who_is_shown_to_err_more_and_how_many_were_compared_before_widens_it():
    made = heldout.from_predictions(table({"a": 5, "b": 6, "c": 30}))
    assert ("a", "b") == made.select().indistinguishable
    (_, c), (_, wider) = (
        made.differences("a"),
        heldout.from_predictions(table({"a": 5, "b": 6, "c": 30}), compared=500).differences("a"),
    )
    assert c.shown_less
    assert wider.low < c.low
    text = str(made)
    assert "E_val of a is shown to be lower than that of c, and not shown to be lower than that of b" in text
    assert "for 3 candidates" in text
    assert "<Compared: 3 candidates, 50 rows; least: a>" == repr(made)


def test_rows_of_a_group_are_no_independent_rows():
    groups = {"group": lambda of: of["row"] // 10}
    alone, grouped = (heldout.from_predictions(table({"a": 20}, **groups), group=by) for by in (None, "group"))
    (one,), (other,) = alone.estimates, grouped.estimates
    assert "Clopper-Pearson" == one.interval
    assert "clustered" in other.interval
    assert other.high - other.low > one.high - one.low
    with pytest.raises(BadArgument, match="rows of a group are not"):
        grouped.bound()


def test_answers_that_were_sampled_again_count_by_their_mean():
    twice = pd.concat([table({"a": 10}), table({"a": 20})])
    (found,) = heldout.from_predictions(twice).estimates
    assert (0.3, 50) == (pytest.approx(found.value), found.n_tested)
    assert found.interval != "Clopper-Pearson"  # 0, 1/2 and 1 are no errors
    assert heldout.from_predictions(twice).bound().method == "betting"


def test_weights_say_how_many_rows_a_row_stands_for():
    weight = {"weight": lambda of: np.where(of["row"] < 10, 3.0, 1.0)}
    (found,) = heldout.from_predictions(table({"a": 10}, **weight), weight="weight").estimates
    assert found.value == pytest.approx(30 / 70)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(6)), st.sampled_from(["pandas", "polars", "pyarrow", "dict"]))
def test_the_order_of_lines_and_the_library_do_not_matter(order, library):
    big = 12345678901234567  # an id of 17 digits
    whole = pd.DataFrame(
        {"row": [big, big + 1, big + 2] * 2, "candidate": [*"aaabbb"], "answer": [*"xyxxxx"], "label": [*"xyyxyy"]}
    ).iloc[list(order)]
    made = heldout.from_predictions(
        {
            "pandas": whole,
            "polars": pl.DataFrame(whole.to_dict("list")),
            "pyarrow": pa.table(whole.to_dict("list")),
            "dict": whole.to_dict("list"),
        }[library]
    )
    assert [big, big + 1, big + 2] == made.rows.tolist()
    assert {"a": 1 / 3, "b": 2 / 3} == {one.candidate: pytest.approx(one.value) for one in made.estimates}


def test_labels_that_are_numbers_are_the_same_as_their_texts():
    whole = {"row": [0, 1, 2], "candidate": ["a"] * 3, "answer": ["1", "0", "1"], "label": [1, 0, 0]}
    (found,) = heldout.from_predictions(whole).estimates
    assert found.value == pytest.approx(1 / 3)


def broken(change) -> pd.DataFrame:
    made = table({"a": 5, "b": 9})
    made["answer"], made["label"] = np.where(made["loss"] > 0, "x", "y"), "y"
    return change(made)


def test_an_interval_that_needs_no_further_fit_can_be_named():
    (found,) = heldout.from_predictions(table({"a": 7}), intervals={"E_val": "Hoeffding"}).estimates
    assert "Hoeffding" == found.interval
    folds = table({"a": 7}, fold=lambda of: of["row"] % 5)
    (of_folds,) = heldout.from_predictions(folds, fold="fold", intervals={"E_cv": "k-fold Hoeffding"}).estimates
    assert "k-fold Hoeffding" == of_folds.interval
    with pytest.raises(BadArgument, match="needs the fits of the scheme subsamples, which were not made"):
        heldout.from_predictions(folds, fold="fold", intervals={"E_cv": "corrected t"})


BAD = {
    "has the columns": (lambda of: of.drop(columns=["row"]), {}),
    "no line for row 0 of a, and lacks 1 lines": (lambda of: of.iloc[1:], {}),
    "has no line;": (lambda of: of.iloc[:0], {}),
    "line 3 of the table has no name": (lambda of: of.assign(row=of["row"].where(of.index != 3)), {}),
    "answer is missing at row 4 of a": (lambda of: of.assign(answer=of["answer"].where(of.index != 4)), {}),
    "label: row 2 has y in one line and z in another": (
        lambda of: of.assign(label=np.where(of.index == 52, "z", of["label"])), {},
    ),
    "no answer at all is a label": (lambda of: of.assign(answer="q"), {}),
    "answer is 0.5 at row 0 of a, which is no class": (lambda of: of.assign(answer=0.5, label=1), {}),
    "answer is 7 at row 0 of a, and no answer at all is a label": (lambda of: of.assign(answer=7, label=1), {}),
    "the name of the best constant answer": (lambda of: of.assign(candidate="baseline"), {}),
    "no loss is below 0": (lambda of: of.drop(columns=["answer"]).assign(loss=-1.0), {}),
    "it must be a finite number": (lambda of: of.drop(columns=["answer"]).assign(loss=np.inf), {}),
    "it must hold numbers": (lambda of: of.drop(columns=["answer"]).assign(loss="much"), {}),
    "the losses themselves": (lambda of: of.drop(columns=["answer"]), {"loss": "squared"}),
    "the probability of every class": (lambda of: of, {"loss": "log"}),
    "level is 95": (lambda of: of, {"level": 95}),
    "compared is 1; it must be a whole number of at least 2": (lambda of: of, {"compared": 1}),
    "fold has the single value": (lambda of: of.assign(fold=0), {"fold": "fold"}),
    "rows of a group are in several folds": (
        lambda of: of.assign(fold=of["row"] % 5, group=of["row"] // 10), {"fold": "fold", "group": "group"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_a_table_that_cannot_be_used_is_refused_with_the_place(message):
    change, arguments = BAD[message]
    with pytest.raises(BadArgument, match=message):
        heldout.from_predictions(broken(change), **arguments)


def test_what_is_no_table_is_refused():
    with pytest.raises(BadArgument, match="it must be a data frame, or map names to columns"):
        heldout.from_predictions([1, 2])
    with pytest.raises(BadArgument, match="for a lazy frame give"):
        heldout.from_predictions(pl.LazyFrame({"row": [1]}))


def test_ten_equal_candidates_are_seldom_told_apart():
    """Of 200 tables of ten equal candidates some pair is shown different in at most 5 % of them, and 3 errors of it."""
    wrong = 0
    for number in range(200):
        rng = np.random.default_rng([1, number])
        losses = pd.DataFrame(
            {
                "row": np.tile(np.arange(60), 10),
                "candidate": np.repeat([f"c{place}" for place in range(10)], 60),
                "loss": (rng.random(600) < 0.3).astype(float),
            }
        )
        made = heldout.from_predictions(losses)
        wrong += any(one.shown_less or one.shown_more for name in made.candidates for one in made.differences(name))
    assert wrong / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
