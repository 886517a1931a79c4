"""The baseline: a constant on the same rows as the candidates, and who is shown to beat it."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument
from heldout.estimates import estimate_candidate
from heldout.fits import baseline
from heldout.fits.training_labels import SplitLabels
from heldout.losses import SQUARED, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.schemes.cross_validation import FoldSplits
from heldout.schemes.design import Evidence
from heldout.selection import beats_baseline
from heldout.selection.comparison import Comparison
from heldout.selection.differences import compared_by
from heldout.splits.weights import Weights

rng = np.random.default_rng(3)
X = rng.normal(size=(90, 2))
CLASSES = np.repeat(["a", "b", "c"], [50, 25, 15])[rng.permutation(90)]
NUMBERS = rng.exponential(size=90).round(1)
COSTS = {"a": {"b": 1, "c": 5}, "b": {"a": 2, "c": 0.5}, "c": {"a": 3, "b": 4}}
GROUPS = np.arange(90) // 4
CONSTANTS = [
    ("zero_one", CLASSES, DummyClassifier()),
    ("log", CLASSES, DummyClassifier(strategy="prior")),
    ("brier", CLASSES, DummyClassifier(strategy="prior")),
    ("balanced", CLASSES, DummyClassifier(strategy="constant", constant="a")),
    ({"cost": COSTS}, CLASSES, DummyClassifier(strategy="constant", constant="b")),  # 2 * 50 + 4 * 15 < 3 * 25 + …
    ("squared", NUMBERS, DummyRegressor()),
    ("absolute", NUMBERS, DummyRegressor(strategy="median")),
]
HOW = {"estimates": ["E_val", "E_cv"], "seed": 1}


@pytest.mark.parametrize(
    "more",
    [{}, {"folds": 90}, {"groups": GROUPS}, {"folds": 90, "groups": GROUPS}],
    ids=["folds", "leave-one-out", "groups", "leave-one-group-out"],
)
@pytest.mark.parametrize(("loss", "y", "constant"), CONSTANTS, ids=[str(one[0])[:8] for one in CONSTANTS])
def test_its_estimates_are_those_of_the_best_constant_as_a_candidate(loss, y, constant, more):
    if isinstance(loss, dict):
        constant = DummyClassifier(strategy="constant", constant=cheapest(y))
    found = heldout.validate({"constant": constant}, X, y, loss=loss, **HOW, **more)
    for record, of_constant in zip(found.estimates, found.baseline, strict=True):
        numbers = {name: pytest.approx(getattr(record, name), rel=1e-12) for name in ("value", "low", "high")}
        assert replace(record, candidate="baseline", **numbers) == of_constant
    assert found.beats_baseline("constant") is not True


def cheapest(y):
    return min("abc", key=lambda answer: sum(COSTS[actual].get(answer, 0) for actual in y))


def test_a_quantile_is_that_of_the_training_rows():
    found = heldout.validate({"any": DummyRegressor()}, X, NUMBERS, loss={"pinball": 0.9}, **HOW)
    fold, loss = found.design.partition.fold, choose_loss({"pinball": 0.9}, NUMBERS)
    expected = [
        loss.pointwise(part, np.full(len(part), np.quantile(rest, 0.9, method="averaged_inverted_cdf"))).sum()
        for part, rest in ((NUMBERS[fold == i], NUMBERS[fold != i]) for i in range(10))
    ]
    assert sum(expected) / 90 == pytest.approx(found.baseline[-1].value, rel=1e-12)


def test_rows_count_by_their_weights():
    weights = Weights.of(np.arange(90) % 4)
    found = heldout.validate({"any": DummyRegressor()}, X, NUMBERS, loss="squared", **HOW)
    design = replace(found.design, weights=weights, loss=choose_loss("squared", NUMBERS, weights.values))
    fold, expected = design.partition.fold, np.empty(90)
    for i in range(10):
        mean = np.average(NUMBERS[fold != i], weights=weights.values[fold != i])
        expected[fold == i] = (NUMBERS[fold == i] - mean) ** 2
    assert np.average(expected, weights=weights.values) == pytest.approx(
        estimate_candidate(design, baseline.NAME, baseline.evidence(design))[-1].value, rel=1e-9
    )


@pytest.mark.parametrize("weight", [0.1, 3.7, 1e300])
def test_weights_that_are_all_equal_leave_the_median_as_it_is(weight):
    plain, weighted = (  # of 60 rows, so that an even number trains
        heldout.validate(
            {"any": DummyRegressor()}, X[:60], NUMBERS[:60], loss="absolute", sample_weight=counted, **HOW
        ).baseline
        for counted in (None, np.full(60, weight))
    )
    assert [one.value for one in plain] == [one.value for one in weighted]


@st.composite
def labelled_folds(draw):
    """Labels with ties, weights, and a fold of each row, with rows in no fold."""
    n = draw(st.integers(2, 25))
    k = draw(st.integers(1, n))
    fold = np.array(draw(st.permutations([i % k for i in range(n)])))
    fold[np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool) & (np.arange(n) > n // 2)] = -1
    assume(set(range(int(fold.max()) + 1)) == {*fold[fold >= 0].tolist()})
    y = np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=float)
    weights = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    splits = FoldSplits(fold)
    assume(len(splits) and all(weights[split.train].sum() > 0 for split in splits))
    return y, weights, splits


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(labelled_folds(), st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_sums_less_the_fold_are_the_sums_of_the_training_rows(case, quantile):
    y, weights, splits = case
    lazy, plain = SplitLabels(y, weights, splits), SplitLabels(y, weights, [*splits])
    assert np.array_equal(plain.counts, lazy.counts)
    assert lazy.classes.tolist() == sorted({*y})
    expected = [np.average(y[split.train], weights=weights[split.train]) for split in splits]
    assert expected == pytest.approx(lazy.means.tolist(), abs=1e-12)
    assert expected == pytest.approx(plain.means.tolist(), abs=1e-12)
    repeated = [np.repeat(y[split.train], weights[split.train].astype(int)) for split in splits]
    expected = [np.quantile(rows, quantile, method="averaged_inverted_cdf") for rows in repeated]
    assert expected == lazy.quantiles(quantile).tolist() == plain.quantiles(quantile).tolist()


@pytest.mark.parametrize("loss", ["squared", "absolute", "zero_one", "brier"])
def test_leave_one_out_lists_no_fold(loss, monkeypatch):
    y = np.arange(20_000) % 3 + (0.5 * np.arange(20_000) if loss in ("squared", "absolute") else 0)
    design = heldout.validate({"any": GaussianNB()}, X, CLASSES, **HOW).design
    partition = replace(design.partition, fold=np.arange(len(y)), validation=np.arange(len(y)) < 9)
    design = replace(design, y=y, loss=choose_loss(loss, y), partition=partition, estimates=["E_cv"])
    monkeypatch.setattr(FoldSplits, "__getitem__", None)
    losses = baseline.evidence(replace(design, methods={"E_cv": replace(design.methods["E_cv"], needs=None)})).losses
    assert (20_000,) == losses["cross_validation"].values.shape


# --- who beats it


def told(difference, level=0.95, folds=None, cluster=None):
    """The verdict on losses that differ by `difference` from the baseline's."""
    of_constant = np.full(len(difference), 5.0)
    losses = {"a": of_constant + difference, baseline.NAME: of_constant}
    seen = {name: Tested(of, SQUARED, cluster=cluster) for name, of in losses.items()}
    return beats_baseline.beats(Comparison(seen, folds, level), "a")


NOISE = np.random.default_rng(0).normal(size=400)


def test_it_is_beaten_where_the_interval_of_the_difference_lies_below_zero():
    assert [True, None, None, None, False] == [told(NOISE + shift) for shift in (-1, -0.05, 0, 0.05, 1)]
    assert [None, True] == [told(NOISE - NOISE.mean() - 0.12, level) for level in (0.99, 0.9)]


def test_the_same_answers_do_not_beat_it():
    assert told(np.zeros(4)) is False
    assert told(np.full(4, 1e-13)) is False
    assert told(np.array([-1.0])) is None  # a single row shows nothing


def test_rows_that_depend_show_less():
    alike = np.repeat(NOISE[:20] - NOISE[:20].mean() - 0.2, 20)  # 20 groups of 20 equal rows
    assert (True, None) == (told(alike), told(alike, cluster=np.arange(400) // 20))
    shared = NOISE - NOISE.mean() - 0.12  # hypotheses of folds share training rows
    assert (True, None) == (told(shared), told(shared, folds=10))


@pytest.mark.parametrize(
    "asked",
    [{"estimates": ["E_cv"]}, {"estimates": ["E_val"]}, {"estimates": ["E_cv"], "further_estimates": ["E_balanced"]}],
    ids=["E_cv", "E_val", "E_balanced"],
)
def test_the_verdict_is_that_of_the_difference_from_the_baseline(asked):
    estimate = [*asked["estimates"], *asked.get("further_estimates", ())][-1]
    learners = {"bayes": GaussianNB(), "random": DummyClassifier(strategy="stratified", random_state=0)}
    informed = X + 4.0 * np.c_[CLASSES == "b", CLASSES == "c"]
    found = heldout.validate(learners, informed, CLASSES, **asked)
    verdicts = set()
    for name in learners:
        compared = compared_by(found.design, found.evidence, estimate)
        [of_baseline] = [one for one in compared.differences(name) if one.against == baseline.NAME]
        expected = True if of_baseline.high < 0 else False if of_baseline.low >= 0 else None
        verdicts.add(expected)
        assert found.beats_baseline(name, "E_cv" if estimate == "E_val" else estimate) is expected
    assert len(verdicts) > 1


def test_a_learner_that_errs_a_third_beats_a_coin_in_a_hundred_rows():
    """A discriminant whose true error is .345; the rows' differences with a factor of 2.1 said so in few tables."""
    verdicts = []
    for seed in range(20):
        rng = np.random.default_rng([seed, 7])
        y = (rng.random(100) < 0.5).astype(int)
        X = rng.normal(size=(100, 5)) + np.outer(0.93 * y, np.eye(5)[0])
        found = heldout.validate({"one": LinearDiscriminantAnalysis()}, X, y, estimates=["E_cv"], seed=seed)
        verdicts.append(found.beats_baseline())
    assert 20 * 0.35 <= verdicts.count(True)


def test_a_winner_among_many_has_to_differ_by_more():
    found = heldout.validate({"bayes": GaussianNB()}, X, CLASSES, **HOW)
    losses = {}
    for scheme, of_constant in baseline.evidence(found.design).losses.items():
        losses[scheme] = [of.copy() for of in of_constant]
        for of in losses[scheme]:
            of[np.flatnonzero(of)[: len(of) // 8]] = 0  # an eighth of the rows is right in place of wrong
    evidence = {"better": Evidence(losses)}
    assert (True, None) == tuple(
        beats_baseline.is_beaten(replace(found.design, dropped=number), evidence, "better") for number in (0, 100_000)
    )


def test_leave_one_out_of_equal_classes_is_no_victory():
    y = np.arange(60) % 2
    found = heldout.validate({"coin": GaussianNB()}, X[:60], y, folds=60, estimates=["E_cv"])
    assert 1 == found.baseline[0].value  # the other class is always the more frequent
    assert found.beats_baseline() is not True
    assert "coin is not shown to beat the baseline" in str(found).splitlines()[0]


@pytest.mark.parametrize("groups", [None, np.arange(200) // 5])
def test_features_without_information_do_not_beat_it(groups):
    noise, y = np.random.default_rng(8).normal(size=(200, 5)), np.repeat([0, 1], [150, 50])
    learners = {f"only {i}": Columns(i) for i in range(5)}
    found = heldout.validate(learners, noise, y, groups=groups, **HOW)
    assert found.beats_baseline() is not True


class Columns(GaussianNB):
    def __init__(self, column=0):
        super().__init__()
        self.column = column

    def fit(self, X, y, sample_weight=None):
        return super().fit(X[:, [self.column]], y)

    def predict(self, X):
        return super().predict(X[:, [self.column]])


def test_features_with_information_beat_it_and_a_harmful_learner_does_not():
    y = np.repeat([0, 1], [60, 30])
    good, bad = GaussianNB(), DummyClassifier(strategy="constant", constant=1)
    found = heldout.validate({"bad": bad, "good": good}, X + 3 * y[:, None], y, **HOW)
    assert (True, True, False) == (found.beats_baseline(), *(found.beats_baseline(name) for name in ("good", "bad")))
    with pytest.raises(BadArgument, match="^candidate is 'best'; it must be one of bad, good$"):
        found.beats_baseline("best")
    alone = heldout.validate({"bad": bad}, X, y, estimates=["E_val"])
    assert ("E_val", None) == (alone.baseline[0].estimate, alone.beats_baseline())
    without = heldout.validate({"good": good}, X, y, estimates=["E_in"])
    assert ((), None) == (without.baseline, without.beats_baseline())


# --- what people see


def test_the_first_line_says_that_the_baseline_is_not_beaten_or_what_it_errs():
    y = np.repeat([0, 1], [60, 30])
    made = heldout.validate({"line": GaussianNB()}, X, y, **HOW)
    assert str(made).startswith("Do not ship yet: line is not shown to beat the baseline by the zero_one loss\n")
    against = re.search("<dt>baseline</dt><dd>(.*?)</dd>", made._repr_html_())[1]
    assert against.startswith("line is not shown to beat the baseline, which answers the most frequent class ")
    assert "against 33.3 %" in against
    first, plan, *_ = str(heldout.validate({"line": GaussianNB()}, X + 1.5 * y[:, None], y, **HOW)).splitlines()
    assert first.endswith(", a constant 33.3 %")
    # the limit of one candidate, which the comparison adds nothing to
    assert plan.endswith(" %, for 1 candidate")


def test_numbers_have_their_unit_and_the_root_of_their_error():
    found = heldout.validate({"mean": DummyRegressor()}, X, NUMBERS, loss="squared", estimates=["E_cv"])
    assert "\nRMSE, in units of y, " in str(found)
    assert " (R² 0.00 against the baseline), by cross-validation" in str(found)
    assert "<dt>E_cv</dt><dd>against the baseline mean R² 0.00</dd>" in found._repr_html_()
    shown = str(heldout.validate({"mean": DummyRegressor()}, X, NUMBERS, loss="absolute", estimates=["E_cv"]))
    assert "\nMAE, in units of y, " in shown
    assert "R²" not in shown


@pytest.mark.parametrize(("shift", "above"), [(0, False), (9, True)])
def test_the_plot_has_a_grey_line_which_does_not_press_the_intervals_together(shift, above):
    y = np.repeat([0, 1], [60, 30])
    found = heldout.validate({"line": GaussianNB()}, X + shift * y[:, None], y, estimates=["E_cv"])
    (axes,) = found.plot().axes
    at = 100 * found.baseline[0].value
    (label,) = [text.get_text() for text in axes.texts if "baseline" in text.get_text()]
    assert above == (at > axes.get_xlim()[1]) == label.endswith("→")
    lines = [line for line in axes.lines if [at, at] == list(line.get_xdata())]
    assert len(lines) == (0 if above else 1)  # an arrow takes the place of a line far above


def test_no_candidate_has_its_name():
    with pytest.raises(BadArgument, match="^candidates has the name 'baseline', ") as caught:
        heldout.validate({"baseline": GaussianNB()}, X, CLASSES)
    assert "candidates" == caught.value.argument
