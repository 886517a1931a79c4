"""Two revisions next to each other: which estimates differ by more than chance, and in which numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.selection.separate_difference import separate_difference
from tasks.outcome.compared_revisions import compare
from tasks.outcome.gate_verdict import ValidatedRun
from tasks.report.revisions_text import lines


def run(winner: str, numbers: dict[str, dict[str, tuple[float, float, float]]], **changes) -> ValidatedRun:
    """A validation by the values and ends of its candidates' estimates."""
    names = [name for name in numbers if name != "baseline"]
    chosen = {"selected": winner, "candidates": names, "criterion": "E_cv", "loss": "zero_one", "bound": 0.25}
    chosen |= {"verdict": "ship", "caveats": [], "advice": "Ship"}
    told = [
        {"candidate": name, "estimate": estimate, "value": value, "low": low, "high": high, "level": 0.95}
        for name, of in numbers.items()
        for estimate, (value, low, high) in of.items()
    ]
    columns = {"target": "g", "interval": "Wilson", "n_train": 90, "n_tested": 100}
    return ValidatedRun({**chosen, **changes}, pd.DataFrame(told).assign(**columns))


BEFORE = run(
    "tree", {"tree": {"E_cv": (0.3, 0.25, 0.35), "E_test": (0.3, 0.2, 0.4)}, "gone": {"E_cv": (0.4, 0.3, 0.5)}}
)
AFTER = run("svm", {"svm": {"E_cv": (0.1, 0.05, 0.15), "E_test": (0.25, 0.2, 0.3)}, "tree": {"E_cv": (0.3, 0.2, 0.4)}})


def text(first=BEFORE, second=AFTER, settings=({}, {})) -> str:
    """What is printed."""
    return "\n".join(lines(("v1", "HEAD"), compare(first, second), settings))


def test_a_difference_is_that_of_estimates_made_apart_and_marked_where_its_interval_leaves_out_0():
    winners = {pair.name: pair for pair in compare(BEFORE, AFTER).winners}
    assert ["E_test", "E_cv"] == [*winners]
    for pair in winners.values():
        assert separate_difference(pair.second, pair.first) == pair.apart
    assert (False, True) == (winners["E_test"].differs, winners["E_cv"].differs)
    said = text()
    assert "E_cv    30.0 % [25.0–35.0]  10.0 % [5.0–15.0]   -20.0 [-27.1 to -12.9] *" in said
    assert "HEAD less v1" in said.splitlines()[0]
    (of_test,) = [line for line in said.splitlines() if line.startswith("E_test")]
    assert "*" not in of_test


def test_each_candidate_has_a_line_also_one_that_is_in_one_revision_alone():
    by_name = {pair.name: pair for pair in compare(BEFORE, AFTER).candidates}
    assert ["svm", "tree", "gone"] == [*by_name]
    assert by_name["svm"].first is by_name["gone"].second is by_name["gone"].apart is None
    assert not by_name["tree"].differs
    assert "  gone  40.0 % [30.0–50.0]  –" in text()


def test_errors_of_a_squared_loss_are_roots_and_the_sign_of_a_difference_stays():
    first, second = (
        run("a", {"a": {"E_cv": (value, low, high)}}, loss="squared")
        for value, low, high in ((400.0, 361.0, 441.0), (2500.0, 2401.0, 2601.0))
    )
    said = text(first, second)
    assert "20 [19–21]" in said
    assert "50 [49–51]" in said
    (line,) = [line for line in said.splitlines() if line.startswith("E_cv   ")]
    # of the mean squares: 2100 [1992.8 to 2208.4], on the scale of roots at 50
    assert "30 [27.48 to 32.92] *" in line


@pytest.mark.parametrize(("level", "loss"), [(0.9, "zero_one"), (0.95, "log")])
def test_what_cannot_be_subtracted_has_no_difference(level, loss):
    other = ValidatedRun({**AFTER.selection, "loss": loss}, AFTER.estimates.assign(level=level))
    assert {None} == {pair.apart for pair in compare(BEFORE, other).winners}
    assert ("have no difference" in text(BEFORE, other)) == (loss == "log")


def test_estimates_without_an_interval_are_shown_and_not_compared():
    bare = ValidatedRun(AFTER.selection, AFTER.estimates.assign(low=None, high=None, level=None))
    assert "10.0 %" in text(BEFORE, bare)
    assert "*" not in text(BEFORE, bare)


@pytest.mark.fault("markup")
def test_names_are_printable_and_short():
    name = f"\x1b[2J{'x' * 90}"
    said = text(run(name, {name: {"E_cv": (0.1, 0.05, 0.15)}}), settings=({"a\x07": "\x1b[2J"}, {}))
    assert all(letter.isprintable() or letter == "\n" for letter in said)
    assert max(map(len, said.splitlines())) <= 140


def test_settings_that_differ_are_named():
    said = text(settings=({"seed": 0, "split.folds": 10}, {"seed": 0, "split.folds": 5, "loss": None}))
    assert "params.yaml: split.folds: 10 → 5" in said
    assert "params.yaml: loss: – → None" in said
    assert "seed" not in said
    assert "params.yaml is the same" in text()
    assert "and 8 more: dvc params diff" in text(settings=({f"k{number}": 1 for number in range(20)}, {}))


@pytest.fixture(scope="module")
def results():
    """Two validations of the same rows, and one by other folds."""
    X, y = load_iris(return_X_y=True)
    stump = {"one": DecisionTreeClassifier(max_depth=1, random_state=0)}
    found = [heldout.validate(of, X, y, estimates=["E_cv"]) for of in (stump, {"one": GaussianNB()})]
    return *found, heldout.validate({"one": GaussianNB()}, X, y, estimates=["E_cv"], seed=1)


def of_result(result: heldout.Validation) -> ValidatedRun:
    (record,) = result.estimates
    return run("one", {"one": {"E_cv": (record.value, record.low, record.high)}})


def test_revisions_with_the_same_rows_and_folds_are_compared_row_by_row(results):
    before, after, other_folds = results
    runs = of_result(before), of_result(after)
    (pair,) = compare(*runs, (before, after)).winners
    X, y = load_iris(return_X_y=True)
    learners = {"after": GaussianNB(), "before": DecisionTreeClassifier(max_depth=1, random_state=0)}
    both = heldout.validate(learners, X, y, estimates=["E_cv"])
    expected = both.differences("after")[0]
    assert pair.paired
    assert (pair.apart.low, pair.apart.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert np.diff([pair.apart.low, pair.apart.high]) < np.diff([*_ends(compare(*runs).winners[0])])
    assert "E_cv on the same rows by the same folds" in "\n".join(
        lines(("v1", "HEAD"), compare(*runs, (before, after)), ({}, {}))
    )
    assert not compare(*runs, (before, other_folds)).winners[0].paired


def _ends(pair):
    return pair.apart.low, pair.apart.high
