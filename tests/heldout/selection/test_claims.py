"""What is said of a winner against others: false at most as often as stated, and the same at each place."""

import html
import math
import re

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.decision.judging import select_among
from heldout.estimates import estimate_candidate, schemes_of
from heldout.estimates.methods import choose
from heldout.estimates.methods import choose as choose_for
from heldout.fits.baseline import NAME as BASELINE
from heldout.losses import SQUARED, ZERO_ONE, Loss, Losses
from heldout.losses.balanced import balanced
from heldout.losses.cost import cost_matrix
from heldout.records import Difference
from heldout.schemes.design import Design, Evidence
from heldout.selection.differences import differences
from heldout.splits.dependence import Dependence
from heldout.splits.partition import Partition, make_partition
from heldout.splits.weights import Weights
from tests.variants import some

LEVEL = 0.95
RUNS = 300
KINDS = ("independent", "correlated", "one errs, others do not", "identical", "squared", "cost", "balanced")
COSTS = cost_matrix({0: {1: 1}, 1: {0: 20}}, np.array([0, 1]))
ILL, RARE, ALARMS = 0.05, 0.1, 0.05  # shares: of rows that cost 20, of the rare class, and of answers to the other one


def losses_of(kind: str, m: int, n: int, error: float, rng: np.random.Generator) -> tuple[Losses, Loss]:
    """Losses of m equal candidates on n rows, shape (m, n)."""
    if kind == "independent":
        return (rng.random((m, n)) < error).astype(float), ZERO_ONE
    if kind == "correlated":
        normal = math.sqrt(0.9) * rng.standard_normal(n) + math.sqrt(0.1) * rng.standard_normal((m, n))
        return (normal < norm.ppf(error)).astype(float), ZERO_ONE
    if kind == "one errs, others do not":
        return (rng.random((m, n)).argsort(axis=0) < max(round(error * m), 1)).astype(float), ZERO_ONE
    if kind == "identical":
        return np.repeat((rng.random((1, n)) < error).astype(float), m, axis=0), ZERO_ONE
    if kind == "squared":
        return rng.standard_normal((m, n)) ** 2, SQUARED
    if kind == "cost":
        rare, loss, costs = rng.random(n) < ILL, COSTS, (20.0, 1.0)
        more = 20 * ILL / (1 - ILL)
    else:
        rare = np.arange(n) < max(round(RARE * n), 1)
        loss, more = balanced(rare), 1.0
        costs = (n / (2 * rare.sum()), n / (2 * (~rare).sum()))
    # every other candidate misses none of the rare rows, and has as much more of the other errors
    misses = np.where(np.arange(m) % 2 == 0, error, 0.0)
    alarms = ALARMS + (error - misses) * more
    errs = (rng.random((m, n)) < np.where(rare, misses[:, None], alarms[:, None])).astype(float)
    return errs * np.where(rare, *costs), loss


def left_out(losses, loss, estimate: str) -> int:
    """How many candidates are said to err more than the winner, of E_val or E_cv from the same losses of every row."""
    n = losses.shape[1]
    design = Design(
        y=np.arange(n) % 2 if loss.of_classes else np.arange(n) / n,
        loss=loss,
        partition=Partition(np.ones(n, dtype=bool), np.arange(n) % 5, np.full(n, -1)),
        halves=np.zeros((0, n), dtype=np.int8),
        block=1,
        stratify=False,
        seed=0,
        level=LEVEL,
        methods=choose({"E_cv": "corrected fold t", "E_val": "Clopper-Pearson" if loss.binary else "log t"}, loss),
        estimates=(estimate,),
    )
    given = {}
    for place, of in enumerate(losses):
        schemes = {scheme: [of[split.validation] for split in design.splits(scheme)] for scheme in schemes_of(design)}
        given[f"c{place}"] = Evidence(schemes)
    records = {name: estimate_candidate(design, name, of) for name, of in given.items()}
    return len(given) - len(select_among(design, given, records, estimate, "minimum").indistinguishable)


@pytest.mark.parametrize(
    ("m", "n"),
    some([(5, 20), (10, 20), (5, 100), (10, 100), (30, 50)], (5, 20), rare=[(5, 100), (10, 100), (30, 50)]),
)
@pytest.mark.parametrize("kind", some(KINDS, *(kind for kind in KINDS if kind != "cost")))
def test_of_equal_candidates_none_is_said_to_err_more_than_the_winner_but_in_as_many_runs_as_stated(kind, m, n):
    rng, error = np.random.default_rng([m, n]), 0.3
    false = sum(left_out(*losses_of(kind, m, n, error, rng), "E_val") > 0 for _ in range(RUNS))
    assert false / RUNS <= 1 - LEVEL + 2 * math.sqrt(LEVEL * (1 - LEVEL) / RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 40])
def test_two_hypotheses_of_classes_that_disagree_everywhere_keep_the_level_in_few_rows(n):
    rng = np.random.default_rng(n)
    first = (rng.random((2000, n)) < 0.5).astype(float)
    false = sum(left_out(np.stack([of, 1 - of]), ZERO_ONE, "E_val") for of in first)
    assert false / 2000 <= 1 - LEVEL


def test_a_worse_candidate_is_said_to_err_more_once_the_rows_show_it():
    rng = np.random.default_rng(0)
    for loss in (ZERO_ONE, SQUARED):
        losses = (rng.random((5, 400)) < np.array([[0.2], [0.2], [0.2], [0.2], [0.6]])).astype(float)
        assert 1 == left_out(losses, loss, "E_val") == left_out(losses, loss, "E_cv")


@pytest.mark.slow
def test_ten_thousand_candidates_are_compared_in_seconds():
    losses = (np.random.default_rng(0).random((10_000, 50)) < 0.3).astype(float)
    assert 0 == left_out(losses, ZERO_ONE, "E_val")


CLASSES = {
    "stump": DecisionTreeClassifier(max_depth=1),
    "bayes": GaussianNB(),
    "line": LogisticRegression(),
    "again": LogisticRegression(),
    "one": KNeighborsClassifier(1),
    "tree": DecisionTreeClassifier(random_state=0),
}
NUMBERS = {
    "line": Ridge(),
    "again": Ridge(),
    "flat": Ridge(1e6),
    "three": KNeighborsRegressor(3),
    "tree": DecisionTreeRegressor(random_state=0),
}
N = 120
DOORS = {
    "rows": {},
    "few rows": {"rows": 24},
    "numbers": {"numbers": True},
    "groups": {"groups": np.repeat(np.arange(30), 4)},
    "loo": {"folds": N},
    "repeated": {"repeats": 2},
    "brier": {"loss": "brier"},
    "cost": {"loss": {"cost": {0: {1: 2}, 1: {0: 2}}}},
    "copies": {"copies": True},
}


def problem(rows=N, numbers=False, copies=False, **how):
    rng = np.random.default_rng(len(how) + rows)
    X = rng.normal(size=(rows, 3))
    if copies:
        X = np.round(X)
    number = X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.normal(size=rows)
    candidates = NUMBERS if numbers else CLASSES
    y = number if numbers else (number > 0.3).astype(int)
    how = {"estimates": ["E_val", "E_cv", "E_prog"], "block": 30, "folds": 5, "seed": 1, "progress": False, **how}
    return heldout.validate(dict(candidates), X, y, **how)


def not_left(lines: list[Difference], left: tuple[str, ...]) -> set[str]:
    """Those whose interval lies below 0; and, where all of these are out, all that err no less than the baseline.

    The latter where the winner is shown to err less than the baseline, in a single comparison: at the latest where the
    line of the baseline, which may be of a lower level, lies below 0.
    """
    worse = {one.against for one in lines if one.shown_less and one.against != BASELINE}
    (constant,) = (one for one in lines if one.against == BASELINE)
    useless = {one.against for one in lines if one.against != BASELINE and one.difference <= constant.difference}
    return worse | useless if constant.shown_less or useless - worse - {*left} else worse


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", some(DOORS, "few rows", "brier"))
def test_a_candidate_is_alike_if_and_only_if_its_difference_does_not_lie_below_0(door):
    how = dict(DOORS[door])
    if "repeats" in how:
        how = {"estimates": ["E_val", "E_cv", "E_prog", "E_2cv"], "repeats": 2}
    made = problem(**how)
    for criterion in ("E_cv", "E_val", "E_prog"):
        for rule in ("minimum", "one_standard_error", "indistinguishable"):
            chosen = made.select(criterion, rule)
            left_out = not_left(made.differences(chosen.selected), chosen.indistinguishable)
            assert tuple(name for name in made.candidates if name not in left_out) == chosen.indistinguishable


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("door", ["time", "groups and time", "weights"])
def test_the_same_holds_for_rows_in_time_and_with_weights(door, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N)
    dependence = Dependence(
        group=np.arange(N) // 3 if "groups" in door else None, time=np.arange(N) // 3 if "time" in door else None
    )
    weights = Weights.of(rng.uniform(0.5, 2, N)) if door == "weights" else None
    loss = ZERO_ONE if weights is None else ZERO_ONE.with_weights()
    parts = {"validation_fraction": 0.2, "folds": 5, "tested_fraction": 0.5, "stratify": False, "seed": seed}
    design = Design(
        y=y,
        loss=loss,
        partition=make_partition(y, **parts, dependence=dependence),
        halves=np.zeros((0, N), dtype=np.int8),
        block=10,
        stratify=False,
        seed=seed,
        level=LEVEL,
        methods=choose_for(None, loss, dependence.kind),
        estimates=("E_val", "E_cv", "E_prog"),
        dependence=dependence,
        weights=weights,
    )
    given = {}
    for name, error in {"a": 0.2, "b": 0.25, "c": 0.5, "d": 0.6}.items():
        of = (rng.random(N) < error).astype(float)
        schemes = {scheme: [of[split.validation] for split in design.splits(scheme)] for scheme in schemes_of(design)}
        given[name] = Evidence(schemes)
    records = {name: estimate_candidate(design, name, of) for name, of in given.items()}
    for criterion in ("E_cv", "E_val", "E_prog"):
        for rule in ("minimum", "one_standard_error", "indistinguishable"):
            chosen = select_among(design, given, records, criterion, rule)
            left_out = not_left(differences(design, given, chosen.selected), chosen.indistinguishable)
            assert tuple(name for name in given if name not in left_out) == chosen.indistinguishable
    assert "d" not in select_among(design, given, records, "E_cv", "minimum").indistinguishable


def named(text: str, says: str) -> set[str]:
    """The candidates that a text names after some words, up to the end of the list."""
    found = re.search(rf"{says} ((?:\w+, )*\w+)", text)
    return set() if found is None else {*found[1].split(", ")} - {"and"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", ["rows", "few rows", "numbers", "groups", "copies"])
def test_print_and_page_name_the_candidates_that_the_intervals_name(door):
    made = problem(**DOORS[door])
    alike, of_winner = {*made.select().indistinguishable}, made.differences()
    winner = of_winner[0].candidate
    worse = {one.against for one in of_winner if one.shown_less} - {"baseline"}
    page = html.unescape(made._repr_html_())
    assert worse == named(page, "is shown to be lower than that of")
    assert {*made.candidates} - worse - {winner} == named(page, "not shown to be lower than that of")
    if len(alike) > 2:
        assert alike - {winner} == named(page, f"is shown to err more than {winner}:")
    for text in (str(made), page):
        assert [str(len(alike) - 1)] == re.findall(r"^.*?(\d+) others? (?:is|are) not ruled out", text, re.DOTALL)
