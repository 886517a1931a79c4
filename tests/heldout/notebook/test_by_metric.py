"""A metric that is no mean of losses: of the candidates of `validate` without a further fit, and of a foreign table."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    matthews_corrcoef,
    r2_score,
    roc_auc_score,
)
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.losses.set_metrics import OwnMetric
from heldout.notebook import by_metric

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 3))
Y = np.where(X[:, 0] + RNG.normal(size=N) > 0.5, "yes", "no")
THREE = np.digitize(X[:, 0] + RNG.normal(size=N), [-0.5, 0.5])
NUMBERS = X[:, 0] + RNG.normal(size=N)
LEARNERS = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "line": LogisticRegression(),
}
THEIRS = {
    "auc": roc_auc_score,
    "average_precision": lambda y, scores: average_precision_score(y, scores, pos_label="yes"),
    "f1": lambda y, said: f1_score(y, said, pos_label="yes"),
    "balanced_accuracy": balanced_accuracy_score,
}
NAMED = {"auc": "E_auc", "average_precision": "E_ap", "f1": "E_f1", "balanced_accuracy": "E_balanced"}
RANKS = ("auc", "average_precision")
FEW_FITS = {"E_cv": "Bayle within folds"}  # those of the folds alone: the interval of E_cv is no matter here
OTHER_ROWS = {"cv", "groups", "time"}  # for which it is not


def validate(learners=LEARNERS, y=Y, rows=X, **more):
    how = {"estimates": ["E_cv"], "folds": 5, "progress": False, **more}
    return heldout.validate(learners, rows, y, intervals=None if OTHER_ROWS & {*more} else FEW_FITS, **how)


@pytest.fixture(scope="module")
def made():
    return validate(further_estimates=[*NAMED.values()])


@pytest.mark.parametrize("metric", NAMED)
def test_the_value_is_that_of_further_estimates_and_of_scikit_learn(made, metric):
    found = made.metric(metric)
    for one in found.estimates:
        assert one.estimate == NAMED[metric]
        assert one.value == pytest.approx(made[one.candidate][one.estimate].value, abs=1e-12)
        assert one.low < one.value < one.high
    assert found.select().selected == made.select(NAMED[metric]).selected
    values = {one.against: one.difference for one in made.differences("tree", NAMED[metric])}
    for one in found.differences("tree"):
        assert one.difference == pytest.approx(values[one.against], abs=1e-12)


@pytest.mark.parametrize(
    ("function", "needs", "y", "learners"),
    [
        (matthews_corrcoef, "answer", Y, {"tree": LEARNERS["tree"]}),
        (cohen_kappa_score, "answer", THREE, {"tree": LEARNERS["tree"]}),
        (partial(fbeta_score, beta=2, pos_label="yes"), "answer", Y, {"line": LEARNERS["line"]}),
        (roc_auc_score, "ranks", Y, {"line": LEARNERS["line"]}),
        (partial(roc_auc_score, multi_class="ovr"), "ranks", THREE, {"bayes": LEARNERS["bayes"]}),
        (r2_score, "answer", NUMBERS, {"ridge": Ridge()}),
    ],
)
def test_a_function_is_the_mean_over_the_folds_of_its_own_values(function, needs, y, learners):
    made = validate(learners, y)
    found = made.metric(function, needs=needs)
    for one in found.estimates:
        expected = []
        for split, hypothesis in zip(
            made.design.splits("cross_validation"), made.target(one.candidate, "E_cv"), strict=True
        ):
            rows = split.validation
            said = hypothesis.predict(X[rows]) if needs == "answer" else hypothesis.predict_proba(X[rows])
            said = said[:, 1] if said.ndim == 2 and said.shape[1] == 2 else said
            expected.append(1 - function(y[rows], said))
        assert one.value == pytest.approx(np.mean(expected), abs=1e-12)


def test_a_function_agrees_with_the_derivatives_that_are_known_here(made):
    ours, theirs = made.metric("auc"), made.metric(roc_auc_score, needs="ranks")
    for name in LEARNERS:
        assert ours.observed[name].losses == pytest.approx(theirs.observed[name].losses, abs=1e-4)


def test_the_influence_is_delongs(made):
    """For one part the variance of AUC is that of the placement values (DeLong and others, 1988)."""
    scores = RNG.normal(size=N) + (Y == "yes")
    table = {"row": np.arange(N), "candidate": ["a"] * N, "answer": scores, "label": Y}
    found = heldout.from_predictions(table, metric="auc")
    inside, outside = scores[Y == "yes"], scores[Y == "no"]
    above = (inside[:, None] > outside[None, :]) + 0.5 * (inside[:, None] == outside[None, :])
    delong = above.mean(axis=1).var() / len(inside) + above.mean(axis=0).var() / len(outside)
    losses = found.observed["a"].losses
    assert losses.mean() == pytest.approx(1 - roc_auc_score(Y, scores), abs=1e-12)
    assert losses.var() / N == pytest.approx(delong, rel=1e-9)
    by_jackknife = next(one for one in heldout.metrics_of(Y, Y, scores=scores).lines if one.metric == "auc")
    [one] = found.estimates
    assert (one.low, one.high) == pytest.approx((1 - by_jackknife.high, 1 - by_jackknife.low), abs=0.01)


def lines(made, metric) -> pd.DataFrame:
    """What the fold hypotheses answer, as somebody else would write it down."""
    found = []
    for name in made.candidates:
        for fold, (split, hypothesis) in enumerate(
            zip(made.design.splits("cross_validation"), made.target(name, "E_cv"), strict=True)
        ):
            rows = split.validation
            ranks = hypothesis.predict_proba(X[rows])[:, 1] if metric in RANKS else hypothesis.predict(X[rows])
            found.append(
                pd.DataFrame({"row": rows, "candidate": name, "answer": ranks, "label": Y[rows], "fold": fold})
            )
    return pd.concat(found).sample(frac=1, random_state=0)


@pytest.mark.parametrize("metric", NAMED)
@pytest.mark.parametrize("group", [None, "group"])
def test_a_foreign_table_says_what_the_hypotheses_say(made, metric, group):
    table = lines(made, metric).assign(group=lambda of: of["fold"])
    found = heldout.from_predictions(table, metric=metric, fold="fold", group=group)
    by_name = {one.candidate: one for one in found.estimates}
    for ours in made.metric(metric).estimates:
        theirs = by_name[ours.candidate]
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        if group is None:
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert NAMED[metric] in str(found)
    with pytest.raises(BadArgument, match="it is about a mean of losses, and a metric is none"):
        found.bound()


def test_repeated_folds_have_the_mean_over_the_partitions():
    two = {name: LEARNERS[name] for name in ("bayes", "tree")}
    made = validate(two, folds=10, cv=RepeatedKFold(n_splits=4, n_repeats=3, random_state=0))
    table = lines(made, "auc").assign(repeat=lambda of: of["fold"] // 4, fold=lambda of: of["fold"] % 4)
    found = heldout.from_predictions(table, metric="auc", fold="fold", repeat="repeat")
    ours = {one.candidate: one.value for one in made.metric("auc").estimates}
    assert ours == pytest.approx({one.candidate: one.value for one in found.estimates}, abs=1e-12)
    alone = heldout.from_predictions(table[table["repeat"] == 0], metric="auc", fold="fold")
    widths = [one.estimates[0].high - one.estimates[0].low for one in (found, alone)]
    assert widths[0] < widths[1]
    assert len(heldout.from_predictions(table, metric=cohen_kappa, fold="fold", repeat="repeat").estimates) == 2


@pytest.mark.parametrize("metric", NAMED)
def test_answers_of_one_model_have_the_number_of_scikit_learn(metric):
    said = RNG.normal(size=N) + (Y == "yes") if metric in RANKS else np.where(RNG.random(N) < 0.8, Y, "no")
    table = {"row": np.arange(N), "candidate": ["a"] * N, "answer": said, "label": Y}
    [one] = heldout.from_predictions(table, metric=metric).estimates
    assert one.value == pytest.approx(1 - THEIRS[metric](Y, said), abs=1e-12)
    assert one.low < one.value < one.high
    assert one.n_train is None


def test_the_assumption_names_what_the_rows_depend_on():
    tree = {"tree": LEARNERS["tree"]}
    assert "independent examples" in validate(tree).metric("auc").estimates[0].assumption
    grouped = validate(tree, groups=np.arange(N) // 4).metric("auc").estimates[0]
    assert "independent groups; correlation of the folds" in grouped.assumption
    in_time = validate(tree, time=np.arange(N)).metric(matthews_corrcoef)
    assert "folds that are long compared with the dependence along time" in in_time.estimates[0].assumption
    assert len(in_time.rows) == in_time.estimates[0].n_tested == len(in_time.observed["tree"].losses) < N


def test_weights_and_a_column_for_each_candidate():
    scores = RNG.normal(size=(N, 2)) + (Y == "yes")[:, None]
    weight = RNG.integers(1, 4, N)
    table = pd.DataFrame({"a": scores[:, 0], "b": scores[:, 1], "label": Y, "weight": weight})
    found = heldout.from_predictions(table, answer=["a", "b"], metric="auc", weight="weight")
    for name, one in zip("ab", found.estimates, strict=True):
        assert one.value == pytest.approx(1 - roc_auc_score(Y, table[name], sample_weight=weight), abs=1e-12)
    assert 1 == len(found.differences("a"))


def test_a_learner_with_scores_alone_and_a_shortcut_are_asked_too():
    made = validate({"svc": LinearSVC(), "bayes": GaussianNB()})
    assert {"svc", "bayes"} == {one.candidate for one in made.metric("auc").estimates}
    assert made.metric("auc", needs="answer").estimates == made.metric("auc").estimates


def cohen_kappa(y, scores, sample_weight):
    return cohen_kappa_score(y, np.where(scores > 0.5, "yes", "no"), sample_weight=sample_weight)


def test_a_function_that_no_row_changes_has_no_interval_and_that_few_change_is_marked():
    """One row of ten is "yes", and the learner hardly ever says so: kappa is 0 whatever the other rows are."""
    rare = np.where(np.arange(N) % 10 == 0, "yes", "no")
    for n, folds in ((N, 5), (125, 4)):  # of the latter the terms differ by rounding
        flat = {"line": LogisticRegression(C=1e-6)}
        made = validate(flat, rare[:n], rows=X[:n], folds=folds)
        [never] = made.metric(cohen_kappa_score).estimates
        assert (pytest.approx(1.0), None, None) == (never.value, never.low, never.high)
    assert "no row changes cohen_kappa_score" in never.not_credible
    assert "not credible" in str(validate({"line": LogisticRegression(C=1e-6)}, rare).metric(cohen_kappa_score))
    seldom_says_so = {"tree": DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)}
    [seldom] = validate(seldom_says_so, rare).metric(cohen_kappa_score).estimates
    assert seldom.low < seldom.value < seldom.high
    assert seldom.not_credible is not None


def counts(y, said, weight):
    return [[float(weight[(y == true) & (said == answer)].sum()) for answer in (0, 1)] for true in (0, 1)]


def matthews(y, said, sample_weight):
    """As scikit-learn's, for 0 and 1, in a tenth of the time."""
    (tn, fp), (fn, tp) = counts(y, said, sample_weight)
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return (tp * tn - fp * fn) / root if root else 0.0


def f2(y, said, sample_weight):
    _, (fn, tp) = counts(y, said, sample_weight)
    both = 5 * tp + 4 * fn + counts(y, said, sample_weight)[0][1]
    return 5 * tp / both if both else 0.0


def test_a_function_has_room_below_its_best_value_without_a_wrong_row():
    labels = np.repeat([0, 1], 15)
    [one] = heldout.from_predictions({"a": labels, "label": labels}, answer=["a"], metric=matthews_corrcoef).estimates
    # one of 31 answers wrong: 225 / sqrt(16 x 15 x 16 x 15) = 15 / 16, so n = 2 x 16; t with 29 degrees of freedom
    by_row = 2.045229642**2 / 32
    assert (one.value, one.low, one.high) == pytest.approx((0, 0, 2 * by_row / (1 + by_row)), abs=1e-9)
    assert one.not_credible is None


@pytest.mark.parametrize(
    ("metric", "n", "share", "wrong", "truth"),
    [
        (matthews, 60, 0.5, 0.05, 0.10),  # t of the terms covered .83
        (matthews, 100, 0.5, 0.03, 0.06),  # .82
        (f2, 100, 0.5, 0.03, 0.03),  # .81
        (f2, 100, 0.1, 0.02, 1 - 5 * 0.98 / (5 * 0.98 + 4 * 0.02 + 9 * 0.02)),  # .81
    ],
)
def test_a_function_near_its_best_value_is_covered_and_not_marked(metric, n, share, wrong, truth):
    rng, covered, marked = np.random.default_rng(7), 0, 0
    for _ in range(50):
        labels = (rng.permutation(n) < round(share * n)).astype(int)
        said = np.where(rng.random(n) < wrong, 1 - labels, labels)
        [one] = heldout.from_predictions({"a": said, "label": labels}, answer=["a"], metric=metric).estimates
        covered += one.low <= truth <= one.high
        marked += one.not_credible is not None
    assert covered >= 46  # of the 50 tables of this seed
    assert marked == 0


def test_of_answers_no_better_than_chance_it_is_t_of_the_terms():
    labels = np.random.default_rng(0).normal(size=40)
    found = heldout.from_predictions({"a": -labels, "label": labels}, answer=["a"], metric=r2_score)
    [one], terms = found.estimates, found.observed["a"].losses
    reach = 2.022690920 * terms.std(ddof=1) / np.sqrt(40)  # t with 39 degrees of freedom
    assert one.value > 1
    assert (one.low, one.high) == pytest.approx((one.value - reach, one.value + reach), abs=1e-7)


@pytest.mark.parametrize(
    ("function", "labels", "of_ranks", "step"),
    [
        # of 10 rows of the class all are found, and of 11 one is not
        (balanced_accuracy_score, np.repeat(["a", "b"], [10, 90]), False, 1 / 22),
        (partial(f1_score, average="macro"), np.repeat([0, 1, 2], 10), False, (1 / 21 + 1 / 21) / 3),
        # a row that ties with all others: half of one of 11, and of 91
        (roc_auc_score, np.repeat([0, 1], [90, 10]), True, (1 / 22 + 1 / 182) / 2),
        (cohen_kappa, np.repeat(["no", "yes"], 15), True, 31 / 481),
        (r2_score, np.random.default_rng(0).normal(size=30), False, 0),
        (roc_auc_score, np.ones(30), True, 0),
        ((lambda y, said, sample_weight: 0.5), np.repeat([0, 1], 15), False, 0),
    ],
)
def test_what_one_more_wrong_row_takes_from_a_function(function, labels, of_ranks, step):
    assert OwnMetric.of(function).step(labels, of_ranks=of_ranks) == pytest.approx(step, rel=1e-9)


def no_weights(y, said):
    return 0.5


def total(y, said, sample_weight):
    return -float(sample_weight @ (y != said))


def too_good(y, said, sample_weight):
    return 3.0


def no_number(y, said, sample_weight):
    return float("nan")


def broken(y, said, sample_weight):
    raise KeyError("nothing here")


@pytest.mark.parametrize(
    ("metric", "more", "message"),
    [
        ("gini", {}, "metric is 'gini'; it must be one of E_auc, E_ap, E_f1, E_balanced, mcc, kappa, recall, "),
        (no_weights, {}, "metric is no_weights, which takes no sample_weight"),
        (total, {}, "metric is total, which changes if all weights are doubled"),
        (too_good, {}, "metric is too_good, which is 3 on 30 rows; it must be a finite number, the more the better"),
        (no_number, {}, "metric is no_number, which is nan on 30 rows"),
        (broken, {}, "metric is broken, which raised KeyError: 'nothing here'; it must take labels, answers and"),
        (roc_auc_score, {"needs": "class"}, "needs is 'class'; it must be one of answer, ranks"),
    ],
)
def test_what_is_no_metric_is_refused(made, metric, more, message):
    with pytest.raises(BadArgument) as caught:
        made.metric(metric, **more)
    assert message in str(caught.value)


def test_numbers_have_no_metric_of_classes_and_e_cv_is_needed():
    with pytest.raises(BadArgument, match="metric is auc, and y has no classes"):
        validate({"ridge": Ridge()}, NUMBERS).metric("auc")
    with pytest.raises(BadArgument, match="metric: E_cv was not computed"):
        validate(estimates=["E_val"]).metric("auc")


TABLE = {"row": range(6), "candidate": ["a"] * 6, "answer": [0.1, 0.4, 0.2, 0.9, 0.3, 0.8], "label": [0, 1, 0, 1, 0, 1]}


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        ({}, {"loss": "log"}, "loss is 'log', which is about the mean of a loss; leave out it or metric"),
        ({}, {"margin": 1}, "margin is 1, in 1 - AUC; it must be below 1"),
        ({}, {"missing": "wrong"}, "no answer is wrong by itself for a metric; use leave_out"),
        (
            {"row": [0, 0, 1, 2, 3, 4], "label": [0, 0, 0, 1, 0, 1]},
            {},
            "metric needs one answer of a candidate to a row",
        ),
        ({"label": [0, 1, 2, 1, 0, 1]}, {}, "metric is auc, which needs two classes; there are 3"),
        ({"label": [1] * 6}, {}, "metric is auc, which needs two classes; there are 1"),
        ({"answer": list("ababab")}, {}, "answer is 'a' at row 0 of a; it must hold numbers"),
        ({"answer": [0.1, None, 0.2, 0.9, 0.3, 0.8]}, {}, "answer is missing at row 1 of a"),
        ({"fold": [0, 0, 1, 0, 1, 1], "label": [0, 0, 1, 0, 1, 1]}, {"fold": "fold"}, "one part has those of 0 alone"),
        ({"loss": [0.0] * 6}, {"losses": "loss"}, "losses is given, but a metric is of answers and labels"),
    ],
)
def test_a_table_that_a_metric_is_not_for_is_refused(change, more, message):
    with pytest.raises(BadArgument) as caught:
        heldout.from_predictions({**TABLE, **change}, metric="auc", **more)
    assert message in str(caught.value)


@pytest.mark.long
def test_a_million_rows_take_seconds():
    n = 1_000_000
    label = RNG.integers(0, 2, n)
    table = {"label": label, **{name: label + RNG.normal(size=n) for name in "abc"}}
    found = heldout.from_predictions(table, answer=[*"abc"], metric="auc")
    assert found.estimates[0].value == pytest.approx(1 - roc_auc_score(label, table["a"]), abs=1e-9)


def r2(y, said, sample_weight):
    squares = sample_weight @ (y - said) ** 2
    return 1 - squares / (sample_weight @ (y - np.average(y, weights=sample_weight)) ** 2)


def counted(function):
    """The function, and a list that grows by each call."""
    calls = []

    def called(y, said, sample_weight):
        calls.append(len(y))
        return function(y, said, sample_weight=sample_weight)

    called.__name__ = function.__name__
    return called, calls


def each_row(function, y, said, weights, step=1e-6):
    """The terms of `OwnMetric`, by a call for each row: what fewer calls must give."""
    value, one = function(y, said, sample_weight=weights), np.eye(len(y))
    slopes = [(function(y, said, sample_weight=weights + step * row) - value) / step for row in one]
    influence = len(y) * weights * (np.array(slopes) - np.dot(slopes, weights) / weights.sum())
    return 1 - value - influence


@pytest.mark.parametrize(
    ("function", "weights"),
    [(cohen_kappa_score, np.ones(N)), (balanced_accuracy_score, RNG.integers(1, 4, N).astype(float))],
)
def test_a_function_of_classes_is_called_once_for_rows_that_are_alike(function, weights):
    said = np.where(RNG.random(N) < 0.7, THREE, 0)
    called, calls = counted(function)
    found = OwnMetric.of(called).terms(THREE, said, weights)
    assert len(calls) <= 2 + 9  # pairs of three classes
    assert found == pytest.approx(each_row(function, THREE, said, weights), abs=1e-6)


def numbers_of(n, seed, **more):
    rng = np.random.default_rng(seed)
    said = rng.normal(size=n)
    return {"row": np.arange(n), "candidate": ["a"] * n, "answer": said, "label": said + rng.normal(size=n), **more}


@pytest.mark.parametrize("folds", [None, 5])
def test_many_rows_whose_answers_differ_are_asked_about_in_parts(folds, monkeypatch):
    """The variance of 200 parts, V (1 +- sqrt(2 / 199)) in one table, is that of the rows: the jackknife of groups."""
    n, draws = 600, 8
    more, how = ({}, {}) if folds is None else ({"fold": np.arange(n) % folds}, {"fold": "fold"})
    ratios = []
    for seed in range(draws):
        table, (called, calls) = numbers_of(n, seed, **more), counted(r2)
        [parts] = heldout.from_predictions(table, metric=called, **how).estimates
        assert len(calls) <= 200 + 10 * (folds or 1)
        with monkeypatch.context() as patch:
            patch.setattr(by_metric, "MOST_PARTS", n)
            [rows] = heldout.from_predictions(table, metric=r2, **how).estimates
        assert parts.value == pytest.approx(rows.value, abs=1e-12)
        ratios.append(((parts.high - parts.low) / (rows.high - rows.low)) ** 2)
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.sqrt(2 / 199 / draws))
    assert np.std(ratios) < 2 * np.sqrt(2 / 199)


def test_rows_of_groups_are_asked_about_one_by_one():
    called, calls = counted(r2)
    table = numbers_of(300, 0, group=np.arange(300) // 3)
    heldout.from_predictions(table, metric=called, group="group")
    assert len(calls) >= 300
