"""Which columns a candidate relies on, against all pairs of rows, scikit-learn, and truths that are known."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument
from heldout.intervals.method import two_sided_t
from heldout.preprocessing import auto
from heldout.schemes.other_rows import other_rows

N, FOLDS, ALL = 60, 4, 1000  # draws: more than there are other rows in a fold


def rows_of(seed: int, n: int = N):
    """A number, a rare truth value, what is like the number, and a column that says nothing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = rng.random(n) < 0.1
    X[:, 2] = X[:, 0] + rng.normal(size=n)
    return X, X[:, 0] + 2 * X[:, 1] + 0.3 * X[:, 2] + rng.normal(size=n)


def validated(learner, X, y, **how):
    how = {"folds": FOLDS, **how}
    if how["folds"] < N and not {"groups", "time", "sample_weight"} & {*how}:
        how = {"intervals": {"E_cv": "Bayle within folds"}, **how}  # which needs no further fits
    how = {"estimates": ["E_cv"], "progress": False, **how}
    return heldout.validate({"one": learner}, X, y, **how)


def by_place(lines):
    return sorted(lines, key=lambda line: line.columns)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_with_all_draws_the_increase_and_its_interval_are_those_of_all_pairs(kind):
    X, numbers = rows_of(1)
    y = numbers if kind == "numbers" else (numbers > 0).astype(int)
    learner = (DecisionTreeRegressor if kind == "numbers" else DecisionTreeClassifier)(max_depth=3, random_state=0)
    v = validated(learner, X, y)

    def losses(h, Z, r):
        return (h.predict(Z) - y[r]) ** 2 if kind == "numbers" else h.predict(Z) != y[r]

    for line in v.columns(draws=ALL):
        (column,), psi = line.columns, np.empty(N)
        for h, split in zip(v.target("one", "E_cv"), v.design.splits("cross_validation"), strict=True):
            r, n = split.validation, len(split.validation)
            g = np.zeros((n, n))
            for place, row in enumerate(r):
                Z = np.repeat(X[[row]], n, axis=0)
                Z[:, column] = X[r, column]
                g[place] = losses(h, Z, np.repeat(row, n)) - losses(h, X[[row]], [row]).astype(float)
            psi[r] = (g.sum(axis=1) + g.sum(axis=0)) / (n - 1) - g.sum() / n / (n - 1)
        assert line.increase == pytest.approx(psi.mean(), abs=1e-12)
        variance = (1 + FOLDS / (FOLDS - 1)) * psi.var(ddof=1) / N
        if kind == "classes":  # a row more on which each errs alone
            variance = max(variance, psi.var(ddof=1) / N + 2 * (1 + psi.mean() ** 2 * N / (N + 2)) / N**2)
        reach = two_sided_t(1 - 0.05 / 4, N - 1) * np.sqrt(variance)
        assert (line.low, line.high) == pytest.approx((line.increase - reach, line.increase + reach), abs=1e-12)


def test_it_is_what_scikit_learn_expects_but_for_the_rows_that_its_permutations_leave_in_place():
    X, y = rows_of(2)
    v = validated(Ridge(), X, y, folds=7)  # uneven ones
    repeats, means, errors = 100, np.zeros(4), np.zeros(4)
    for h, split in zip(v.target("one", "E_cv"), v.design.splits("cross_validation"), strict=True):
        r = split.validation
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):  # which takes a third
            found = permutation_importance(
                h, X[r], y[r], scoring="neg_mean_squared_error", n_repeats=repeats, random_state=0
            ).importances
        share = len(r) / (len(r) - 1) * len(r) / N
        means += share * found.mean(axis=1)
        errors += (share * found.std(axis=1, ddof=1)) ** 2 / repeats
    found = [line.increase for line in by_place(v.columns(draws=ALL))]
    assert np.abs(found - means) == pytest.approx(0, abs=4.5 * np.sqrt(errors.max()))  # 4.5 standard errors of sklearn
    few = np.mean([[line.increase for line in by_place(_reseeded(v, s).columns(draws=2))] for s in range(40)], axis=0)
    spread = np.abs(found).max() / np.sqrt(
        40
    )  # of a mean over 40 seeds: a column's increase is of the size of its noise
    assert few == pytest.approx(found, abs=spread)


def _reseeded(v, seed):
    """The same hypotheses, and other draws."""
    other = pickle.loads(pickle.dumps(v))
    object.__setattr__(other.design, "seed", seed)
    return other


@pytest.mark.draws(quick=1, of=3)
def test_columns_that_say_nothing_are_inside_their_intervals_at_the_level(seed):
    """40 samples: more than 7 misses have probability .001 at the level .95, by the binomial distribution."""
    missed, quick = 0, {"E_cv": "corrected fold Wilson"}
    for sample in range(40 * seed, 40 * seed + 40):
        X, y = rows_of(sample, 80)
        X = np.column_stack([X, np.random.default_rng(sample).normal(size=(80, 2))])
        y = (y > 0).astype(int)
        lines = validated(LogisticRegression(), X, y, seed=sample, intervals=quick).columns(together=[[0, 1, 2]])
        missed += any(not line.low <= 0 <= line.high for line in lines if line.columns[0] > 2)
    assert missed <= 7


@pytest.mark.parametrize(
    "kind", [pytest.param("numbers", marks=pytest.mark.slow), pytest.param("classes", marks=pytest.mark.long)]
)
def test_the_true_increases_are_inside_their_intervals_at_the_level(kind):
    """80 samples: more than 11 misses have probability .001 at the level .95, by the binomial distribution."""
    new, of_new = rows_of(10**6, 4000)
    permuted, missed = np.random.default_rng(1).permutation(4000), 0
    for sample in range(80):
        X, y = rows_of(sample, 100)
        y, truth = (y, of_new) if kind == "numbers" else ((y > 0).astype(int), (of_new > 0).astype(int))
        v = validated(Ridge() if kind == "numbers" else LogisticRegression(), X, y, seed=sample)
        true = np.zeros(3)
        for h in v.target("one", "E_cv"):
            for column in range(3):
                Z = new.copy()
                Z[:, column] = Z[permuted, column]
                losses = [
                    (h.predict(of) - truth) ** 2 if kind == "numbers" else h.predict(of) != truth for of in (Z, new)
                ]
                true[column] += (losses[0].mean() - losses[1].mean()) / FOLDS
        lines = by_place(v.columns())[:3]
        missed += any(not line.low <= at <= line.high for line, at in zip(lines, true, strict=True))
    assert missed <= 11


class Counted(ClassifierMixin, BaseEstimator):
    """A tree that counts its fits."""

    fits = 0

    def fit(self, X, y):
        Counted.fits += 1
        self.tree_ = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)


def test_there_is_no_further_fit_and_the_result_is_equal_twice_whoever_made_the_fits():
    X, y = rows_of(3)
    y = (y > 0).astype(int)
    v = validated(Counted(), X, y)
    before, first = Counted.fits, v.columns()
    assert (before, first) == (Counted.fits, v.columns())
    assert first == validated(Counted(), X, y, n_jobs=2).columns() == pickle.loads(pickle.dumps(v)).columns()
    assert first != validated(Counted(), X, y, seed=1).columns()


def test_every_kind_of_table_has_the_same_answer():
    X, y = rows_of(4)
    X[::3, 2], y = 0, (y > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    frame = pd.DataFrame(X, columns=[*"abcd"])
    lines = [
        validated(tree, rows, y).columns()
        for rows in (X, X.tolist(), np.asfortranarray(X), frame, pl.from_pandas(frame), sparse.csc_array(X))
    ]
    found = [[(line.increase, line.low, line.high) for line in of] for of in lines]
    assert found[1:] == found[:-1]
    assert {("a",), ("b",), ("c",), ("d",)} == {line.columns for line in lines[3]}


def test_texts_dates_categories_and_gaps_keep_their_types():
    X, y = rows_of(5)
    y = (y > 0).astype(int)
    when = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(N), unit="D")
    text = np.where(X[:, 0] > 0, "yes", np.where(X[:, 0] > -0.5, "no", None))
    frame = pd.DataFrame({"text": text, "kind": pd.Categorical(text), "when": when, "none": np.nan, "same": "x"})
    frame["whole"] = pd.array([None if value < 0 else int(value) for value in X[:, 2]], dtype="Int64")
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    v = validated(make_pipeline(auto(tree), tree), frame, y)
    lines = {line.columns: line for line in v.columns()}
    assert {0.0} == {lines[name,].increase for name in ("none", "same")}  # no row has another value
    (both, *_) = v.columns(together=[["kind", "text"]])
    assert (("text", "kind"), True) == (both.columns, both.shown_used)


def test_copies_hide_each_other_and_show_it_together():
    X, y = rows_of(6, 200)
    X[:, 3] = X[:, 1] = X[:, 0]
    y = (X[:, 0] > 0).astype(int)
    v = validated(RandomForestClassifier(20, max_depth=1, max_features=1, random_state=0), X, y)
    alone = {line.columns[0]: line.increase for line in v.columns()}
    (together, *_) = v.columns(together=[[3, 0, 1]])
    assert (0, 1, 3) == together.columns
    assert max(alone[place] for place in (0, 1, 3)) < 0.25 < together.low


def test_names_that_are_equal_or_no_texts_are_places_of_columns():
    X, y = rows_of(7)
    y = (y > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    v = validated(tree, pd.DataFrame(X), y)
    assert v.columns() == validated(tree, X, y).columns()
    assert (0, 2) in [line.columns for line in v.columns(together=[[2, 0]])]


@pytest.mark.parametrize(
    ("how", "asked", "message"),
    [
        ({"folds": N}, {}, "columns: fold 0 tests fewer than two rows, and each row gets the values of another one"),
        ({"groups": np.arange(N) % 4}, {}, "columns: fold 0 tests fewer than two groups"),
        ({"sample_weight": np.arange(N) < 6}, {}, "tests fewer than two rows with a weight above 0"),
        ({"estimates": ["E_val"]}, {}, "columns: E_cv was not computed"),
        ({}, {"together": ["ab"]}, "it must be a list of lists of columns"),
        ({}, {"together": [[0, 9]]}, "together names the column 9, but X has 0, 1, 2, 3"),
        ({}, {"together": [[0, 1], [1]]}, "names the column 1 twice"),
        ({}, {"together": [[]]}, "a set without columns"),
        ({}, {"draws": 0}, "draws is 0; it must be a whole number of at least 1"),
        ({}, {"candidate": "two"}, "it must be one of one"),
    ],
)
def test_what_has_no_answer_is_refused(how, asked, message):
    X, y = rows_of(8)
    with pytest.raises(BadArgument, match=message):
        validated(Ridge(), X, y, **how).columns(**asked)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_another_row_is_any_row_of_another_group_by_its_weight(weighted, grouped):
    rng = np.random.default_rng(9)
    n = 9
    weights = rng.integers(0, 4, n).astype(float) if weighted else np.ones(n)
    group = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3]) if grouped else None
    counts, repeats = np.zeros((n, n)), 1500
    for _ in range(repeats):
        found = other_rows(weights, group, 3, rng)
        assert (3, n) == found.shape
        if not weighted and not grouped:
            assert [*range(n)] * 3 == [value for one in found for value in sorted(one)]
        counts[np.arange(n), found] += 1
    same = np.eye(n, dtype=bool) if group is None else group[:, None] == group
    allowed = np.where(same, 0, weights)
    chance = allowed / allowed.sum(axis=1, keepdims=True)
    # 5 standard errors of each share in independent draws, which these are not less even than: at most .03 of 1/8
    error = np.sqrt(chance * (1 - chance) / (3 * repeats))
    assert (np.abs(counts / counts.sum(axis=1, keepdims=True) - chance) <= 5 * error + 1e-12).all()


def test_rows_of_groups_and_in_time_have_wider_intervals_where_they_are_alike():
    X, y = rows_of(10, 120)
    X, y = np.repeat(X[:40], 3, axis=0), np.repeat(y[:40], 3)
    plain = validated(Ridge(), X, y).columns()
    for how in ({"groups": np.arange(120) // 3}, {"time": np.arange(120) // 3}):
        (line, *_) = validated(Ridge(), X, y, **how).columns()
        assert line.low < line.increase < line.high
        assert "groups" not in how or line.high - line.low > 1.3 * (plain[0].high - plain[0].low)


def test_a_weight_says_how_often_a_row_counts_and_how_often_it_is_the_other_one():
    X, y = rows_of(11)
    X[:20, 0] = 50.0  # a value that no row of the population has
    weights = np.where(np.arange(N) < 20, 0.0, 2.0)
    (line,) = [line for line in validated(Ridge(), X, y, sample_weight=weights).columns() if line.columns == (0,)]
    assert 0 < line.low < line.high < 20  # a row with the value 50 would err more than 2000


def test_an_increase_that_few_rows_carry_is_marked():
    rng = np.random.default_rng(3)
    for skewed in (True, False):
        X = rng.normal(0, 0.6, size=(200, 1))
        X = np.exp(X) if skewed else X
        (line,) = validated(Ridge(), X, X[:, 0] + rng.normal(size=200) * 0.3).columns()
        assert line.shown_used
        assert skewed == bool(line.not_credible and "of 200 rows carry" in line.not_credible)
