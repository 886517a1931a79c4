"""What more rows gain, from the halves and the folds."""

import math
from dataclasses import asdict, replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.diagnosis.more_rows import further_gains, missing
from heldout.errors import BadArgument
from heldout.schemes.design import half_losses
from heldout.splits.dependence import Dependence

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=90) > 0).astype(int)
BAYES, TREE = {"bayes": GaussianNB()}, {"tree": DecisionTreeClassifier()}
BOTH = ["E_cv", "E_2cv"]


def validated(candidates=TREE, X=X, y=y, **further):
    return heldout.validate(
        candidates, X, y, **{"estimates": BOTH, "repeats": 5, "level": 0.9, "progress": False, **further}
    )


def by_name(made):
    return {line.estimate: line for line in made.more_rows()}


@given(
    st.floats(0, 1),
    st.floats(0.01, 1),
    st.floats(0.01, 2),
    st.integers(3, 20),
    st.integers(20, 10_000),
    st.sampled_from([1, 2]),
)
def test_every_power_law_lies_between_the_ends_and_that_of_exponent_one_half_on_the_value(a, b, c, k, n, times):
    def error(rows, c=c):
        return a + b * (rows / n) ** -c

    half, folds, rows = n / 2, n - n / k, times * n
    likely, most = further_gains(half, folds, rows)
    gain = error(half) - error(folds)
    assert error(folds) - most * gain <= error(rows) + 1e-9
    gain = error(half, 0.5) - error(folds, 0.5)
    assert error(folds, 0.5) - likely * gain == pytest.approx(error(rows, 0.5), abs=1e-9)
    assert 0 <= likely <= most


def test_the_limits_are_those_of_the_corrected_t_on_the_losses_of_folds_and_halves_of_each_row():
    made = validated(folds=9)
    lines, split = by_name(made), made.design.splits("subsamples")[0]
    of_folds, of_halves, counted = np.empty(90), np.zeros(90), np.zeros(90)
    for scheme, estimate in (("cross_validation", "E_cv"), ("covalidation", "E_2cv")):
        for hypothesis, part in zip(made.target("tree", estimate), made.design.splits(scheme), strict=True):
            wrong = hypothesis.predict(X[part.validation]) != y[part.validation]
            if estimate == "E_cv":
                of_folds[part.validation] = wrong
            else:
                of_halves[part.validation] += wrong / 5
                counted[part.validation] += 1
    assert {5} == {*counted}
    of_subsamples = [part.mean() for part in made.evidence["tree"].losses["subsamples"]]
    halves_there = [of_halves[part.validation].mean() for part in made.design.splits("subsamples")]

    def reach(folds, halves):
        losses = folds * of_folds + halves * of_halves
        J = len(of_subsamples)
        S2 = np.var(folds * np.array(of_subsamples) + halves * np.array(halves_there), ddof=1)
        of_rows = losses.var(ddof=1) / 90 + 2 * (1 + losses.mean() ** 2 * 90 / 92) / 90**2
        V = max(S2 * (1 / J + len(split.validation) / len(split.train)), of_rows)
        return scipy.stats.t(J - 1).ppf(0.95) * math.sqrt(V)

    gain = of_halves.mean() - of_folds.mean()
    found = lines["gain"]
    assert (gain, gain - reach(-1, 1), gain + reach(-1, 1)) == pytest.approx((found.value, found.low, found.high))
    assert {"E_2cv": 45, "E_cv": 80, "gain": 80, "E_N": 90, "E_2N": 180} == {
        line.estimate: line.rows for line in lines.values()
    }
    E_cv, e_cv = lines["E_cv"], of_folds.mean()
    table = half_losses(made.design, made.evidence["tree"].losses["covalidation"], on_training_half=False)
    assert table.mean(axis=0) == pytest.approx(of_halves)
    of_one = 2 * (np.var(table.mean(axis=1), ddof=1) - table.var(axis=0, ddof=1).mean() / 90)
    assert of_one > 0
    one = scipy.stats.t(4).ppf(0.95) * math.sqrt(of_one)
    for name, rows, own in (("E_N", 90, one), ("E_2N", 180, 0.0)):
        weight = math.log2(rows / 80) / math.log2(80 / 45)
        low = e_cv - weight * gain - math.hypot(reach(1 + weight, -weight), own)
        assert max(min(low, e_cv - math.hypot(e_cv - E_cv.low, own)), 0) == pytest.approx(lines[name].low, abs=1e-12)
        assert e_cv + math.hypot(E_cv.high - e_cv, own) == pytest.approx(lines[name].high)
        assert lines[name].low <= lines[name].value <= E_cv.value
    assert {0.9} == {line.level for line in lines.values()}
    assert all("doubling" in lines[name].assumption for name in ("E_N", "E_2N"))


def test_the_lines_of_the_estimates_are_the_estimates_and_parts_of_the_steps_average_to_e_prog():
    made = validated(BAYES, estimates=[*BOTH, "E_prog"], tested_fraction=0.5, block=3)
    records = {record.estimate: record for record in made.estimates}
    for name, line in by_name(made).items():
        if name in BOTH:
            assert asdict(line).items() <= {**asdict(records[name]), "rows": line.rows}.items()
    steps = [line for line in made.more_rows() if line.estimate == "E_prog"]
    assert 5 == len(steps)
    assert sorted(line.rows for line in steps) == [line.rows for line in steps]
    assert np.mean([line.value for line in steps]) == pytest.approx(records["E_prog"].value)  # nine steps each
    assert {None} == {line.low for line in steps}


@pytest.mark.parametrize(("shift", "above"), [(0.5, True), (1.2, False), (0.7, None)])
def test_the_value_is_that_of_a_power_law_with_a_limit_of_at_least_zero(shift, above):
    lines = by_name(validated(BAYES, X + shift * y[:, None], folds=10))
    half, folds = lines["E_2cv"].value, lines["E_cv"].value
    b = (half - folds) / (45**-0.5 - 81**-0.5)
    a, c = folds - b * 81**-0.5, math.log(half / folds) / math.log(81 / 45)
    assert above == (a > 0 if half > folds else None)
    for name, rows in (("E_N", 90), ("E_2N", 180)):
        expected = folds if above is None else a + b * rows**-0.5 if above else folds * (81 / rows) ** c
        assert expected == pytest.approx(lines[name].value, rel=1e-9)


def test_a_gain_below_zero_is_harm_and_no_promise_for_twice_as_many_rows():
    """Naive Bayes on digits, whose pixels depend on each other, errs more after training on more of them."""
    pixels, digit = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).choice(len(digit), 200, replace=False)
    harmed = validated(BAYES, pixels[rows], (digit[rows] == 1).astype(int), repeats=10)
    assert by_name(harmed)["gain"].high < 0
    shown = harmed._repr_html_()
    assert "rose by" in shown
    assert "did harm" in shown
    assert "lead to an error of" not in shown
    assert "did harm" not in validated(TREE)._repr_html_()


def test_a_learner_whose_fits_differ_has_a_wider_interval_for_its_one_hypothesis_than_for_the_mean_of_such():
    """A tree errs by its first split: the product of two columns shows in neither alone."""
    product = (X[:, 0] * X[:, 1] > 0).astype(int)
    unstable, stable = (by_name(validated(of, y=product, repeats=20)) for of in (TREE, {"none": DummyClassifier()}))
    for end in ("low", "high"):
        assert abs(getattr(unstable["E_N"], end) - unstable["E_cv"].value) > 1.3 * abs(
            getattr(unstable["E_cv"], end) - unstable["E_cv"].value
        )
    assert stable["E_N"].high == pytest.approx(stable["E_cv"].high)
    once = by_name(validated(repeats=1))
    assert once["E_N"].high == once["E_cv"].high  # a single repeat shows no spread


def test_dependent_rows_and_rows_in_which_all_losses_are_equal():
    grouped = by_name(validated(groups=np.repeat(np.arange(18), 5), folds=6))
    assert {None} == {grouped[name].low for name in ("gain", "E_N", "E_2N")}
    assert grouped["E_2N"].value <= grouped["E_N"].value <= grouped["E_cv"].value
    labels = np.arange(90) % 2
    sure = by_name(validated(BAYES, labels[:, None] + 0.01 * X, labels))
    assert 0 == sure["gain"].value
    assert sure["gain"].low < 0 < sure["gain"].high
    assert (0, sure["E_cv"].high) == (sure["E_2N"].low, sure["E_2N"].high)


def test_numbers_in_another_unit_have_the_same_lines_in_that_unit():
    target = X[:, 0] + X[:, 1] ** 2
    small, large = (by_name(validated({"ridge": Ridge()}, y=scale * target)) for scale in (1.0, 8.0))
    for name, line in small.items():
        expected = [64 * value for value in (line.value, line.low, line.high)]
        assert expected == pytest.approx([large[name].value, large[name].low, large[name].high], rel=1e-9)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"estimates": ["E_cv"]}, "E_2cv was not computed"),
        ({"estimates": ["E_2cv"]}, "E_cv was not computed"),
        ({"folds": 2}, "2 folds.*at least 3"),
    ],
)
def test_what_is_missing_is_said(how, says):
    made = validated(**how)
    with pytest.raises(BadArgument, match=f"more_rows: .*{says}"):
        made.more_rows()
    assert "more rows" not in str(made)
    with pytest.raises(BadArgument, match="'forest'"):
        made.more_rows("forest")


def test_rows_in_time_order_have_no_half_models_to_compare_with():
    design = validated().design
    assert missing(design) is None
    assert "time order have no E_2cv" in missing(replace(design, dependence=Dependence(time=np.arange(90))))
