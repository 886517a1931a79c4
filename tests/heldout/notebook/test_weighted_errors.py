"""Every error of rows with weights is sum(w L) / sum(w) over the rows that its scheme tested."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument
from heldout.schemes import progressive
from heldout.schemes.design import fold_errors, losses_in_order

N = 48
SETTINGS = {"folds": 4, "repeats": 2, "block": 6, "seed": 3, "progress": False}
SCHEME = {"E_in": "final", "E_val": "holdout", "E_cv": "cross_validation", "E_prog": "progressive"}
ROWS = {"plain": {}, "groups": {"groups": np.arange(N) // 3}, "time": {"time": np.arange(N)}}
# rows of equal weight in the mean of all rows, and not in that of the rows that are tested
WEIGHTS = {"rising": np.linspace(0.1, 4, N), "falling": np.linspace(4, 0.1, N), "few": np.arange(N) % 5 * 1.0}


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 2))
    return X, (X[:, 0] + rng.normal(size=N) > 0).astype(int)


@pytest.mark.parametrize(
    ("rows", "weights"),
    [("plain", "few"), ("groups", "falling"), ("time", "rising"), ("time", "falling"), ("time", "few")],
)
def test_every_estimate_is_the_ratio_over_the_lines_of_its_scheme(rows, weights):
    X, y = table()
    weight = WEIGHTS[weights]
    learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    made = heldout.validate(learners, X, y, sample_weight=weight, **ROWS[rows], **SETTINGS)
    of_halves = {} if rows == "time" else {"E_2cv": "covalidation"}
    for name in learners:
        of = made.evidence[name].losses
        for estimate, scheme in {**SCHEME, **of_halves}.items():
            tested = np.concatenate([split.validation for split in made.design.splits(scheme)])
            expected = np.average(np.concatenate([*of[scheme]]), weights=weight[tested])
            assert made[name][estimate].value == pytest.approx(expected, rel=1e-12), estimate
        counted, losses = losses_in_order(made.design, made.evidence[name], "progressive")
        assert made[name]["E_prog"].value == pytest.approx(progressive.curve(losses, weight[counted])[-1])
        splits = made.design.splits("cross_validation")
        by_fold = [
            np.average(part, weights=weight[split.validation])
            for part, split in zip(of["cross_validation"], splits, strict=True)
        ]
        assert by_fold == pytest.approx(fold_errors(made.design, made.evidence[name]).tolist())
    of_training = made.evidence["bayes"].training
    training = [
        np.average(losses, weights=weight[split.train])
        for losses, split in zip(of_training, made.design.splits("covalidation"), strict=True)
    ]
    assert made["bayes"]["E_train"].value == pytest.approx(np.mean(training))
    for record in made.estimates:
        assert record.low is None or 0 <= record.low <= record.value <= record.high <= 1
    assert made.baseline


@pytest.mark.parametrize(
    ("rows", "weights"), [("plain", "few"), ("groups", "rising"), ("time", "rising"), ("time", "falling")]
)
def test_a_rule_of_constant_error_has_it_in_every_estimate_whatever_the_weights(rows, weights):
    X, _ = table()
    y = np.arange(N) % 2 * 0.5
    rule = DummyRegressor(strategy="constant", constant=0.25)
    further = {"plain": ["E_nested", "E_boot"], "groups": ["E_nested"], "time": []}[rows]
    made = heldout.validate(
        {"one": rule, "other": rule},
        X,
        y,
        loss="absolute",
        sample_weight=WEIGHTS[weights],
        further_estimates=further,
        **ROWS[rows],
        **SETTINGS,
    )
    found = {record.estimate: record.value for record in made.estimates}
    # the bootstrap of E_bbc takes sums over the rows that it left out, which round
    assert {*found} >= {*SCHEME, *further, "E_train"}
    assert dict.fromkeys(found, 0.25) == pytest.approx(found, rel=1e-12, abs=0)
    assert [0.0, 0.0] == [one.difference for one in made.differences("one") if one.against == "other"] * 2


@pytest.mark.parametrize("unit", [4.0, 1 / 3])
def test_the_unit_of_the_weights_changes_nothing(unit):
    X, y = table()
    one, other = (
        heldout.validate({"tree": DecisionTreeClassifier(max_depth=2)}, X, y, sample_weight=weight, **SETTINGS)
        for weight in (WEIGHTS["few"], unit * WEIGHTS["few"])
    )
    for first, second in zip(one.estimates, other.estimates, strict=True):
        assert first.value == pytest.approx(second.value, rel=1e-12)
        assert first.high == (None if second.high is None else pytest.approx(second.high, rel=1e-9))


def answers(seed: int, n: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    right = rng.integers(0, 2, n)
    said = {name: np.where(rng.random(n) < 0.3, 1 - right, right) for name in ("a", "b")}
    return {"row": np.arange(n), **said, "label": right, "heavy": rng.integers(1, 4, n), "part": np.arange(n) % 3}


@pytest.mark.parametrize("folds", [{}, {"fold": "part"}])
def test_whole_weights_have_the_values_of_the_table_with_repeated_rows(folds):
    once = answers(4)
    again = {name: np.repeat(values, once["heavy"]) for name, values in once.items()}
    again["row"] = np.arange(len(again["row"]))
    one = heldout.from_predictions(once, answer=["a", "b"], weight="heavy", **folds)
    other = heldout.from_predictions(again, answer=["a", "b"], **folds)
    for first, second in zip(one.estimates, other.estimates, strict=True):
        assert first.value == pytest.approx(second.value, rel=1e-12)
    (first,), (second,) = one.differences(), other.differences()
    assert first.difference == pytest.approx(second.difference, rel=1e-9)


def test_a_part_without_weight_is_refused_before_any_fit():
    X, y = table()

    class Never(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    later = np.where(np.arange(N) < N // 2, 1.0, 0.0)
    with pytest.raises(BadArgument) as caught:
        heldout.validate({"never": Never()}, X, y, sample_weight=later, time=np.arange(N), on_error="raise", **SETTINGS)
    assert "weights" == caught.value.argument
    assert "the hold-out" in str(caught.value)
    few = np.where(np.arange(N) == 5, 1.0, 0.0)
    with pytest.raises(BadArgument, match="weights is 0"):
        heldout.validate({"never": Never()}, X, y, sample_weight=few, estimates=["E_cv"], on_error="raise", **SETTINGS)


def test_numbers_of_rows_with_weights_have_intervals_within_a_stated_limit():
    X, _ = table()
    y = X[:, 0] + np.random.default_rng(2).normal(size=N)
    made = heldout.validate(
        {"tree": DecisionTreeRegressor(max_depth=2)}, X, y, sample_weight=WEIGHTS["few"], loss_max=900, **SETTINGS
    )
    record = made["tree"]["E_val"]
    assert ("log t", True) == (record.interval, record.low < record.value < record.high <= 900)
    with pytest.raises(BadArgument, match="weights"):
        made.bound()
