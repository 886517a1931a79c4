"""`heldout.validate`: its contract, and every number again by a plain loop over the hypotheses that it returns."""

import inspect
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.losses import ZERO_ONE
from heldout.records import Estimate
from heldout.splits.partition import make_halves, make_partition
from heldout.unlabelled.implied_error import error_bound

N, FOLDS, HALVINGS_OF_ROWS, SEED = 41, 5, 3, 7  # 41: one half has a row more, and folds are of 8 and 9 rows
COLUMNS = ["candidate", "estimate", "value", "low", "high", "level", "target", "interval", "n_train", "n_tested"]
OF_HALVES = ["E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt"]
EVERY = ["E_in", "E_val", "E_cv", "E_prog", *OF_HALVES, "E_bbc", "E_nested"]
HOW = {"validation_fraction": 0.3, "folds": FOLDS, "tested_fraction": 0.4, "seed": SEED}


class Remembering:
    """Keeps the rows that it was fitted on, whose numbers are the first column, and learns from the other columns."""

    def fit(self, X, y):
        self.rows_ = X[:, 0].astype(int).tolist()
        return super().fit(X[:, 1:], y)

    def predict(self, X):
        return super().predict(X[:, 1:])


class Bayes(Remembering, GaussianNB):
    pass


class Tree(Remembering, DecisionTreeClassifier):
    pass


def numbered(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.arange(len(X)), X])


features, labels = make_classification(n_samples=N + 60, n_features=4, flip_y=0.3, random_state=4)
X, y = numbered(features[:N]), np.where(labels[:N] == 1, "won", "lost")  # a label may be a string
U = numbered(features[N:])
PARTITION = make_partition(y, stratify=True, **HOW)
HALVES = make_halves(y, repeats=HALVINGS_OF_ROWS, stratify=True, seed=SEED)
CANDIDATES = {"bayes": Bayes(), "tree": Tree(max_depth=2, random_state=1)}


@pytest.fixture(scope="module")
def everything() -> heldout.Validation:
    return heldout.validate(
        CANDIDATES,
        X,
        y,
        unlabeled=U,
        repeats=HALVINGS_OF_ROWS,
        block=1,
        estimates=EVERY,
        intervals={"E_cv": "Bayle within folds"},
        **HOW,
    )


def record_of(found: heldout.Validation, candidate: str, estimate: str) -> Estimate:
    (one,) = (r for r in found.estimates if (r.candidate, r.estimate) == (candidate, estimate))
    return one


def error(hypothesis, rows, X=X, y=y) -> float:
    """The share of `rows` on which a hypothesis is wrong, asked for one row at a time."""
    return sum(float(hypothesis.predict(X[[row]])[0] != y[row]) for row in rows) / len(rows)


def trained_on(estimate: str) -> list[list[int]]:
    """The rows that each hypothesis of an estimate's target is to be trained on, written out."""
    every = range(N)
    return {
        "E_in": [list(every)],
        "E_val": [[row for row in every if not PARTITION.validation[row]]],
        "E_cv": [[row for row in every if PARTITION.fold[row] != fold] for fold in range(FOLDS)],
        # 41 x 0.4 = 16.4
        "E_prog": [[row for row in every if PARTITION.step[row] < step] for step in range(16)],
    }.get(estimate, [[row for row in every if half[row] == side] for half in HALVES for side in (0, 1)])


# --- the contract


def test_every_argument_but_the_first_three_is_keyword_only_with_the_defaults_of_the_contract():
    parameters = inspect.signature(heldout.validate).parameters
    assert ["candidates", "X", "y"] == [
        name for name, one in parameters.items() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    defaults = {name: one.default for name, one in parameters.items() if one.kind is inspect.Parameter.KEYWORD_ONLY}
    assert 0 < defaults.pop("tested_fraction") < 1
    assert {
        "unlabeled": None,
        "groups": None,
        "time": None,
        "gap": 0,
        "sample_weight": None,
        "loss": None,
        "loss_max": None,
        "seed": 0,
        "level": 0.95,
        "validation_fraction": 0.2,
        "folds": 10,
        "block": "auto",
        "repeats": "auto",
        "stratify": None,
        "shortcuts": "auto",
        "estimates": None,
        "further_estimates": (),
        "intervals": None,
        "race": "auto",
        "finalists": None,
        "margin": None,
        "n_jobs": 1,
        "progress": True,
        "on_error": "record",
        "fit_timeout": None,
        "store": None,
        "cv": None,
        "random_state": None,
        "scoring": None,
        "muted_checks": (),
    } == defaults
    assert len(parameters) == 3 + 1 + len(defaults)


def test_records_have_the_columns_of_the_estimates_table_as_attributes(everything):
    for record in everything.estimates:
        assert set(COLUMNS) <= {field.name for field in fields(record)}
        assert record.candidate in CANDIDATES
        assert record.target
        bounds = [record.low, record.high, record.level, record.interval]
        if record.estimate == "E_in":
            assert [None] * 4 == bounds
        else:
            assert record.low <= record.value <= record.high
            assert 0.95 == record.level


def test_each_candidate_has_each_estimate_once_in_order_and_the_winner_one_of_each_correction(everything):
    expected = [(name, estimate) for name in CANDIDATES for estimate in EVERY[:-2]]
    errors = {name: record_of(everything, name, "E_cv").value for name in CANDIDATES}
    winner = min(errors, key=errors.__getitem__)
    expected += [(winner, "E_bbc"), (winner, "E_nested")]
    assert expected == [(record.candidate, record.estimate) for record in everything.estimates]


def test_a_validation_is_frozen(everything):
    for name in ("estimates", "candidates", "anything"):
        with pytest.raises(FrozenInstanceError):
            setattr(everything, name, ())
    with pytest.raises(FrozenInstanceError):
        everything.estimates[0].value = 0.0
    assert isinstance(everything.estimates, tuple)


def test_the_package_names_validate_and_validation():
    assert {"validate", "Validation"} <= set(heldout.__all__) <= set(dir(heldout))
    with pytest.raises(AttributeError, match="^module 'heldout' has no attribute 'valiadte'$"):
        heldout.valiadte  # noqa: B018


# --- targets


@pytest.mark.parametrize("candidate", CANDIDATES)
@pytest.mark.parametrize("estimate", EVERY[:-2])
def test_the_target_lists_the_hypotheses_in_order_each_fitted_on_its_rows_in_ascending_order(
    everything, candidate, estimate
):
    found = everything.target(candidate, estimate)
    assert [type(CANDIDATES[candidate])] * len(found) == [type(one) for one in found]
    assert trained_on(estimate) == [one.rows_ for one in found]
    assert {"E_in": 1, "E_val": 1, "E_cv": FOLDS, "E_prog": 16}.get(estimate, 2 * HALVINGS_OF_ROWS) == len(found)


def test_the_target_of_e_bbc_is_the_winners_k_fold_hypothesis_and_that_of_e_nested_one_winner_a_fold(everything):
    winner = everything.estimates[-1].candidate
    assert everything.target(winner, "E_cv") == everything.target(winner, "E_bbc")
    nested = everything.target(winner, "E_nested")
    assert trained_on("E_cv") == [one.rows_ for one in nested]
    # each is one of the hypotheses of E_cv, and E_nested is the mean loss on the rows that it never saw
    for fold, one in enumerate(nested):
        assert any(one is everything.target(name, "E_cv")[fold] for name in CANDIDATES)
    wrong = [error(nested[PARTITION.fold[row]], [row]) for row in range(N)]
    assert np.mean(wrong) == pytest.approx(everything.estimates[-1].value, abs=1e-15)  # one count over 41


@pytest.mark.parametrize("block", [3, 4, 100])
def test_with_blocks_there_is_one_hypothesis_a_block(block):
    found = heldout.validate(CANDIDATES, X, y, block=block, estimates=["E_prog"], **HOW)
    hypotheses = found.target("tree", "E_prog")
    firsts = range(0, 16, block)
    assert [[row for row in range(N) if PARTITION.step[row] < first] for first in firsts] == [
        one.rows_ for one in hypotheses
    ]
    wrong = [error(hypotheses[PARTITION.step[row] // block], [row]) for row in range(N) if PARTITION.step[row] >= 0]
    assert np.mean(wrong) == pytest.approx(record_of(found, "tree", "E_prog").value, abs=1e-15)


def test_the_list_of_a_target_is_the_callers_own(everything):
    everything.target("tree", "E_cv").clear()
    assert FOLDS == len(everything.target("tree", "E_cv"))


def test_the_learners_given_are_neither_fitted_nor_changed(everything):
    assert not any(hasattr(learner, "rows_") for learner in CANDIDATES.values())


# --- values, by plain loops over the hypotheses of the targets; counts over at most 3 x 60, hence 1e-14


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_e_in_and_e_val_are_the_errors_of_their_hypothesis_on_all_rows_and_on_those_held_out(everything, candidate):
    (final,), (g_minus,) = (everything.target(candidate, name) for name in ("E_in", "E_val"))
    held_out = np.flatnonzero(PARTITION.validation)
    assert 12 == len(held_out)  # 41 x 0.3 = 12.3
    for name, hypothesis, rows, n_train in [("E_in", final, range(N), N), ("E_val", g_minus, held_out, N - 12)]:
        found = record_of(everything, candidate, name)
        assert error(hypothesis, rows) == pytest.approx(found.value, abs=1e-14)
        assert (n_train, len(rows)) == (found.n_train, found.n_tested)


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_e_cv_is_the_mean_loss_of_each_row_by_the_hypothesis_that_did_not_see_it(everything, candidate):
    hypotheses = everything.target(candidate, "E_cv")
    found = record_of(everything, candidate, "E_cv")
    assert np.mean([error(hypotheses[PARTITION.fold[row]], [row]) for row in range(N)]) == pytest.approx(
        found.value, abs=1e-14
    )
    assert (33, N) == (found.n_train, found.n_tested)  # 41 - 8.2, rounded


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_e_prog_is_the_mean_loss_of_each_step_by_the_hypothesis_trained_before_it(everything, candidate):
    hypotheses = everything.target(candidate, "E_prog")
    found = record_of(everything, candidate, "E_prog")
    wrong = [error(hypotheses[step], np.flatnonzero(PARTITION.step == step)) for step in range(16)]
    assert np.mean(wrong) == pytest.approx(found.value, abs=1e-14)
    assert (32, 16) == (found.n_train, found.n_tested)  # 25 + 15/2 = 32.5, rounded to even


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_e_2cv_and_e_train_are_the_errors_of_half_models_on_the_other_half_and_on_their_own(everything, candidate):
    hypotheses = everything.target(candidate, "E_2cv")
    other, own = [], []
    for number, hypothesis in enumerate(hypotheses):
        half = HALVES[number // 2]
        other += [error(hypothesis, [row]) for row in range(N) if half[row] != number % 2]
        own.append(error(hypothesis, [row for row in range(N) if half[row] == number % 2]))
    assert N * HALVINGS_OF_ROWS == len(other)
    for name, values in [("E_2cv", other), ("E_train", own)]:
        found = record_of(everything, candidate, name)
        assert np.mean(values) == pytest.approx(found.value, abs=1e-14)
        assert (N // 2, N) == (found.n_train, found.n_tested)


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_disagreement_is_the_share_of_pairs_and_unlabelled_rows_that_differ(everything, candidate):
    hypotheses = everything.target(candidate, "disagreement")
    apart = [
        float(first.predict(U[[row]])[0] != second.predict(U[[row]])[0])
        for first, second in zip(hypotheses[::2], hypotheses[1::2], strict=True)
        for row in range(len(U))
    ]
    d = record_of(everything, candidate, "disagreement")
    assert np.mean(apart) == pytest.approx(d.value, abs=1e-14)
    assert (N // 2, 60) == (d.n_train, d.n_tested)
    bound, larger = (record_of(everything, candidate, name) for name in ("E_dis", "E_maxdt"))
    assert [error_bound(value, ZERO_ONE, 2)[0] for value in (d.low, d.value, d.high)] == [
        bound.low,
        bound.value,
        bound.high,
    ]
    assert max(bound.value, record_of(everything, candidate, "E_train").value) == larger.value


def test_the_bounds_of_e_cv_are_those_of_the_method_for_the_losses_of_its_hypotheses(everything):
    hypotheses = everything.target("tree", "E_cv")
    wrong = np.array([error(hypotheses[PARTITION.fold[row]], [row]) for row in range(N)])
    found = record_of(everything, "tree", "E_cv")
    # Bayle within folds: mean +- 1.959964 s / sqrt(41), s^2 the mean of the folds' sample variances
    within = np.mean([wrong[PARTITION.fold == fold].var(ddof=1) for fold in range(FOLDS)])
    reach = 1.959963984540054 * np.sqrt(within / N)
    assert (wrong.mean() - reach, wrong.mean() + reach) == pytest.approx((found.low, found.high), abs=1e-12)
    assert "Bayle within folds" == found.interval


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_numbers_equal_the_plain_loops_too(loss):
    features, target = make_regression(n_samples=50, n_features=3, noise=10, random_state=0)
    X, y, U = features[:30], target[:30], features[30:]
    found = heldout.validate(
        {"line": Ridge(), "tree": DecisionTreeRegressor(max_depth=2)},
        X,
        y,
        unlabeled=U,
        loss=loss,
        folds=3,
        block=1,
        repeats=2,
        estimates=EVERY,
    )
    partition = make_partition(y, validation_fraction=0.2, folds=3, tested_fraction=0.5, stratify=False, seed=0)
    halves = make_halves(y, repeats=2, stratify=False, seed=0)
    e = (lambda a, b: (a - b) ** 2) if loss == "squared" else (lambda a, b: abs(a - b))
    steps = np.argsort(np.where(partition.step < 0, 99, partition.step))[:15]

    def lose(hypothesis, rows) -> list[float]:
        return [e(hypothesis.predict(X[[row]])[0], y[row]) for row in rows]

    for name in ("line", "tree"):
        of = {estimate: found.target(name, estimate) for estimate in EVERY[:-2]}
        both = list(enumerate(of["E_2cv"]))
        values = {
            "E_in": lose(of["E_in"][0], range(30)),
            "E_val": lose(of["E_val"][0], np.flatnonzero(partition.validation)),
            "E_cv": [lose(of["E_cv"][partition.fold[row]], [row])[0] for row in range(30)],
            "E_prog": [lose(one, [row])[0] for one, row in zip(of["E_prog"], steps, strict=True)],
            "E_2cv": [x for i, one in both for x in lose(one, np.flatnonzero(halves[i // 2] != i % 2))],
            "E_train": [np.mean(lose(one, np.flatnonzero(halves[i // 2] == i % 2))) for i, one in both],
            "disagreement": [
                e(one.predict(U[[row]])[0], other.predict(U[[row]])[0])
                for one, other in zip(of["E_2cv"][::2], of["E_2cv"][1::2], strict=True)
                for row in range(20)
            ],
        }
        for estimate, losses in values.items():
            # sums in another order, and predictions of one row or of many
            assert np.mean(losses) == pytest.approx(record_of(found, name, estimate).value, rel=1e-10)
        d, bound = (record_of(found, name, estimate) for estimate in ("disagreement", "E_dis"))
        assert [d.low / 2, d.value / 2, d.high / 2] == [bound.low, bound.value, bound.high]
    errors = {name: record_of(found, name, "E_cv").value for name in ("line", "tree")}
    assert {min(errors, key=errors.__getitem__)} == {record.candidate for record in found.estimates[-2:]}


# --- leave-one-out


@pytest.mark.parametrize("learner", [LogisticRegression(), DecisionTreeClassifier(max_depth=2, random_state=0)])
def test_as_many_folds_as_rows_are_leave_one_out(learner):
    X, y = features[:24], labels[:24]
    found = heldout.validate({"a": learner}, X, y, folds=24, estimates=["E_cv"], intervals={"E_cv": "corrected fold t"})
    predicted = cross_val_predict(learner, X, y, cv=LeaveOneOut())
    assert np.mean(predicted != y) == pytest.approx(found.estimates[0].value, abs=1e-15)  # one count over 24
    assert 24 == len(found.target("a", "E_cv"))
    assert (23, 24) == (found.estimates[0].n_train, found.estimates[0].n_tested)


def test_leave_one_out_is_not_refused_for_a_class_with_a_single_row():
    y = np.repeat([0, 1], [23, 1])
    found = heldout.validate(
        {"a": GaussianNB()}, features[:24], y, folds=24, estimates=["E_cv"], intervals={"E_cv": "corrected fold t"}
    )
    assert 24 == len(found.target("a", "E_cv"))


def test_leave_one_out_has_half_models_although_a_class_has_one_row():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), (np.arange(20) == 7).astype(int)
    found = heldout.validate({"bayes": GaussianNB()}, X, y, folds=20, repeats=2, estimates=["E_cv", "E_2cv"])
    assert ["E_cv", "E_2cv"] == [record.estimate for record in found.estimates]
