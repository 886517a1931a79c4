"""Words by a margin: better, worse, alike, undecided; and the further rows without which few rows would say alike."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.fits.baseline import NAME
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss
from heldout.losses.tested_losses import Tested
from heldout.selection.comparison import Comparison
from heldout.selection.margin import WORDS, checked, word
from studies.margin import CASES, Unit, measure
from tests.variants import some

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
LEVEL = 0.95
margins = st.floats(1e-4, 0.9)
COST = replace(ZERO_ONE, name="cost", limit=4.0, binary=False, two_valued=True)
BRIER = replace(ZERO_ONE, name="brier", binary=False, needs="probabilities")


@st.composite
def tables(draw):
    """Losses of 0 and 1, or of numbers, of two to four candidates on 2 to 60 rows, and the groups of these, or none."""
    m, n, seed = draw(st.integers(2, 4)), draw(st.integers(2, 60)), draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    losses = np.abs(rng.normal(size=(m, n)) + draw(st.floats(0, 1)) * rng.normal(size=n))
    losses[rng.random((m, n)) < draw(st.floats(0, 1))] = 0.0
    binary = draw(st.booleans())
    groups = np.arange(n) // 2 if n >= 8 and draw(st.booleans()) else None
    loss, losses = (ZERO_ONE, (losses > 0).astype(float)) if binary else (SQUARED, losses)
    return {name: Tested(of, loss, 0, groups) for name, of in zip([NAME, "a", "b", "c"], losses, strict=False)}


def words(seen: dict, margin: float, level: float = LEVEL) -> dict[tuple[str, str], str]:
    compared = Comparison(seen, None, level, margin=margin)
    return {(one.candidate, one.against): one.by_margin for name in seen for one in compared.differences(name)}


def two(first, other, loss: Loss = ZERO_ONE, **more) -> Comparison:
    seen = {"a": Tested(np.asarray(first, float), loss), "b": Tested(np.asarray(other, float), loss)}
    return Comparison(seen, None, LEVEL, **more)


@LAWS
@given(tables(), margins)
def test_a_word_is_that_of_the_interval_and_alike_may_become_undecided_alone(seen, margin):
    for name in seen:
        for one in Comparison(seen, None, LEVEL, margin=margin).differences(name):
            expected = word(one.low, one.high, margin)
            assert one.by_margin == expected or ("alike", "undecided") == (expected, one.by_margin)
            assert one.by_margin in WORDS


@LAWS
@given(tables(), margins)
def test_of_two_candidates_one_is_better_where_the_other_is_worse(seen, margin):
    other = {"better": "worse", "worse": "better", "alike": "alike", "undecided": "undecided"}
    found = words(seen, margin)
    assert found == {(a, b): other[found[b, a]] for a, b in found}


@LAWS
@given(tables(), margins, margins)
def test_a_larger_margin_leaves_alike_what_was_alike_and_makes_nobody_better(seen, one, another):
    small, large = (words(seen, margin) for margin in sorted((one, another)))
    for pair, before in small.items():
        if before == "alike":
            assert "alike" == large[pair]
        if before == "undecided":
            assert large[pair] in ("undecided", "alike")


@LAWS
@given(tables())
def test_without_a_margin_to_speak_of_the_words_are_what_is_shown(seen):
    for name in seen:
        for one in Comparison(seen, None, LEVEL, margin=1e-300).differences(name):
            assert one.shown_less == (one.by_margin == "better")
            assert one.shown_more == (one.by_margin == "worse")


@LAWS
@given(tables(), margins)
def test_a_margin_changes_no_number(seen, margin):
    for name in seen:
        plain = Comparison(seen, None, LEVEL).differences(name)
        assert {None} == {one.by_margin for one in plain}
        by_margin = Comparison(seen, None, LEVEL, margin=margin).differences(name)
        assert plain == [replace(one, by_margin=None) for one in by_margin]


def test_each_word_by_hand():
    cases = {(-3.0, -1.1): "better", (1.1, 3.0): "worse", (-1.0, 1.0): "alike", (-3.0, -1.0): "undecided"}
    cases |= {(-1.1, 0.0): "undecided", (0.2, 0.4): "alike", (1.0, 1.0): "alike", (-9.0, 9.0): "undecided"}
    assert {ends: word(*ends, 1.0) for ends in cases} == cases
    assert "undecided" == word(None, None, 1.0) == word(0.0, 0.0, 1.0, close=False)


def test_one_row_leaves_everything_undecided():
    assert {"undecided"} == {one.by_margin for one in two([1], [0], margin=0.9).differences("a")}


def test_equal_numbers_on_every_row_are_alike_by_any_margin():
    losses = np.random.default_rng(0).exponential(size=30)
    [one] = two(losses, losses, SQUARED, margin=1e-12).differences("a")
    assert (0.0, 0.0, "alike") == (one.low, one.high, one.by_margin)


@pytest.mark.parametrize("loss", [ZERO_ONE, COST, BRIER], ids=["0/1", "0/L", "brier"])
@pytest.mark.parametrize("n", [30, 300, 3000])
def test_equal_answers_on_every_row_are_alike_only_where_enough_rows_came_up(n, loss):
    z, errs = norm.ppf(0.975), np.arange(n) % 5 == 0
    # z^2 rows more on which the two differ by the limit, and the t of n rows; the interval counts two rows more
    limit = t(n - 1).ppf(0.975) * z * loss.limit / n
    for margin, expected in ((limit * (1 - 1e-9), "undecided"), (limit * (1 + 1e-9), "alike")):
        [one] = two(errs, errs, loss, margin=margin).differences("a")
        assert expected == one.by_margin
        assert one.high == pytest.approx(t(n - 1).ppf(0.975) * math.sqrt(2) * loss.limit / n, rel=1e-9)


def test_equal_answers_by_a_users_own_loss_of_classes_are_alike_only_where_enough_rows_came_up():
    right = {"label": [0, 1, 1, 0] * 10, "a": [0, 1, 1, 0] * 10, "b": [0, 1, 1, 0] * 10}
    for margin, said in ((0.05, "undecided"), (0.2, "alike")):
        made = heldout.from_predictions(right, answer=["a", "b"], loss=lambda y, of: abs(y - of), margin=margin)
        [one] = made.differences()
        assert one.by_margin == said
        assert one.high == -one.low > 0


def test_copies_of_rows_in_groups_count_as_one_row():
    z, errs, group = norm.ppf(0.975), np.repeat(np.arange(40) % 5 == 0, 25), np.repeat(np.arange(40), 25)
    seen = {name: Tested(errs.astype(float), ZERO_ONE, 0, group) for name in "ab"}
    limit = t(39).ppf(0.975) * z / 40
    assert {"undecided"} == {*words(seen, limit * (1 - 1e-9)).values()}
    assert {"alike"} == {*words(seen, limit * (1 + 1e-9)).values()}


def test_losses_of_0_and_a_limit_have_the_words_of_0_and_1():
    rng = np.random.default_rng(3)
    for _ in range(20):
        errs = (rng.random((2, 80)) < 0.2).astype(float)
        errs[1, 8:] = errs[0, 8:]
        for margin in (0.03, 0.06, 0.1, 0.3):
            plain = two(*errs, margin=margin).differences("a")[0].by_margin
            assert plain == two(*(4 * errs), loss=COST, margin=4 * margin).differences("a")[0].by_margin


@pytest.mark.parametrize("case", some(CASES, "errors on one side"))
def test_at_the_margin_no_more_words_are_false_than_the_level_says(case):
    for rows in (50, 200):
        [found] = measure(Unit(case, 2, rows, 0.05, "at the margin", 300), None)
        # two standard errors of 300 runs
        assert found["false"] / 300 <= 1 - LEVEL + 2 * math.sqrt(LEVEL * (1 - LEVEL) / 300)


def test_without_the_further_rows_more_would_be_false():
    [found] = measure(Unit("errors on one side", 2, 140, 0.02, "at the margin", 300), None)
    assert found["false by the interval alone"] / 300 > 1 - LEVEL
    assert found["false"] / 300 <= 1 - LEVEL


def test_true_words_are_said_where_rows_are_many():
    [same] = measure(Unit("independent errors", 2, 10_000, 0.05, "equal", 20), None)
    [apart] = measure(Unit("independent errors", 2, 10_000, 0.02, "twice the margin", 20), None)
    assert (20, 0) == (same["alike"], same["apart"])
    assert apart["apart"] > 10


@pytest.mark.parametrize("margin", [0, -0.5, math.nan, math.inf, "0.5", True, [0.5], 1j])
@pytest.mark.parametrize("loss", [ZERO_ONE, SQUARED])
def test_what_is_no_margin_is_refused_with_the_unit(margin, loss):
    with pytest.raises(
        BadArgument, match=r"margin is .*; it must be a finite number above 0, in (percentage|the mean)"
    ):
        checked(margin, loss)


def test_a_margin_is_in_the_numbers_that_people_read():
    assert checked(None, ZERO_ONE) is None
    assert 0.005 == checked(0.5, ZERO_ONE)
    assert 0.5 == checked(0.5, SQUARED) == checked(np.float32(0.5), ABSOLUTE)
    with pytest.raises(BadArgument, match="below 100, which no difference can pass"):
        checked(100, ZERO_ONE)
    with pytest.raises(BadArgument, match="in the mean cost loss; it must be below 4"):
        checked(4, COST)


rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
Y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=300) > 0).astype(int)
CANDIDATES = {"bayes": GaussianNB(), "again": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
HOW = {"estimates": ["E_cv"], "progress": False}


@pytest.fixture(scope="module")
def made():
    return heldout.validate(CANDIDATES, X, Y, **HOW)


@pytest.fixture(scope="module")
def by_margin():
    return heldout.validate(CANDIDATES, X, Y, margin=8, **HOW)


def test_validate_with_a_margin_has_the_same_numbers_and_a_word_for_each_comparison(made, by_margin):
    assert made == by_margin
    assert made.differences(margin=8) == by_margin.differences()
    assert made.differences() == tuple(replace(one, by_margin=None) for one in by_margin.differences())
    assert {"again": "alike", "stump": "undecided", NAME: "better"} == {
        one.against: one.by_margin for one in by_margin.differences("bayes")
    }
    assert {"undecided"} == {one.by_margin for one in by_margin.differences(margin=0.01) if one.against == "again"}


def test_what_a_notebook_shows_has_alike_in_one_sense(made, by_margin, tmp_path):
    plain, text = (dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", one._repr_html_())) for one in (made, by_margin))
    for told in (plain, text):
        assert told["not ruled out"].startswith("at 95 % ")
        assert "alike" not in told
    assert "margin" not in str(made)
    assert ("ship", "any_of") == (made.decide().verdict, by_margin.decide().verdict)
    assert {"again"} == {*by_margin.decide().any_of} - {by_margin.select().selected}
    said = text["margin"]
    assert said.startswith("by a margin of 8 percentage points of E_cv bayes is ")
    assert "alike with again" in said
    assert said.endswith("; at 95 % for all its comparisons together; and it is better than the baseline")
    page = by_margin.report(tmp_path / "by.html").read_text(encoding="utf-8")
    assert '<th scope="row">again</th>' in page
    assert page.count("<td>alike</td>") == sum(one.by_margin == "alike" for one in by_margin.differences())
    assert "lies beyond ±8 percentage points, alike where it lies within" in page
    assert "by the margin" not in made.report(tmp_path / "plain.html").read_text(encoding="utf-8")


def test_a_margin_that_would_make_the_constant_alike_to_a_perfect_candidate_is_refused_before_any_fit():
    class Fitted(GaussianNB):
        def fit(self, X, y):
            raise AssertionError

    with pytest.raises(BadArgument, match=r"margin is 60 percentage points, but the best constant answer errs [45]"):
        heldout.validate({"a": Fitted()}, X, Y, margin=60, on_error="raise", **HOW)
    line = {"line": LinearRegression()}
    with pytest.raises(
        BadArgument, match="margin is 5 in the mean squared loss, but the best constant answer errs 0.9"
    ):
        heldout.validate(line, X, X[:, 0], margin=5, **HOW)
    with pytest.raises(BadArgument, match="there are differences of E_cv alone"):
        heldout.validate({"a": Fitted()}, X, Y, margin=1, estimates=["E_val"])


def test_a_metric_has_words_by_a_margin_too():
    v = heldout.validate(CANDIDATES, X, Y, estimates=["E_cv"], further_estimates=["E_auc"], progress=False)
    found = {one.against: one for one in v.differences("bayes", "E_auc", margin=1)}
    # two equal rankings of 300 rows may differ by a percentage point on others, and not by five
    assert (0.0, "undecided") == (found["again"].difference, found["again"].by_margin)
    assert "alike" in {one.by_margin for one in v.differences("bayes", "E_auc", margin=5) if one.against == "again"}
    assert found[NAME].by_margin == word(found[NAME].low, found[NAME].high, 0.01) == "better"


def test_a_constant_learner_is_alike_to_the_baseline():
    v = heldout.validate({"constant": DummyClassifier(), "bayes": GaussianNB()}, X, Y, margin=20, **HOW)
    assert "alike" == next(one.by_margin for one in v.differences("constant") if one.against == NAME)


def test_predictions_from_elsewhere_have_the_same_words():
    errs = rng.random((2, 400)) < np.array([[0.1], [0.4]])
    table = {"row": np.tile(np.arange(400), 2), "candidate": np.repeat(["a", "b"], 400), "loss": errs.ravel() * 1.0}
    found = heldout.from_predictions(table, margin=10)
    assert ["better"] == [one.by_margin for one in found.differences()]
    assert ["worse"] == [one.by_margin for one in found.differences("b")]
    assert ["undecided"] == [one.by_margin for one in found.differences(margin=30)]
    assert "margin: by a margin of 10 percentage points of E_val a is better than b; at 95 %" in str(found)
    assert "not ruled out" not in str(found)  # none is
    assert [None] == [one.by_margin for one in heldout.from_predictions(table).differences()]
    with pytest.raises(BadArgument, match="margin"):
        heldout.from_predictions(table, margin=100)
