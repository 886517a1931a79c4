"""From losses to estimates: a results set small enough to be judged by hand."""

import numpy as np
import pandas as pd
import pytest

from heldout.errors import BadArgument
from heldout.intervals import k_fold_hoeffding, wilson
from heldout.partition import Partition
from tasks import files
from tasks.estimates import criterion_values, estimate_all, read_results, standard_errors
from tasks.tables import Prepared

BAYES = "estimator: sklearn.naive_bayes.GaussianNB"
CANDIDATES = f"candidates=[{{name: good, {BAYES}}}, {{name: ill, {BAYES}}}, {{name: perfect, {BAYES}}}]"

# losses of `good` by (unit, row); those of `perfect` are 0
LOSSES = {
    "holdout": {(0, 1): 1, (0, 3): 0},
    "cross_validation": {(0, 0): 1, (0, 1): 1, (0, 2): 0, (1, 3): 1},
    "progressive": {(0, 1): 0, (1, 2): 1, (2, 3): 1},
    "covalidation": dict(zip([(r, row) for r in (0, 1) for row in range(4)], [1, 0, 0, 0, 1, 1, 0, 0], strict=True)),
}
IN_SAMPLE = {(0, 0): 0, (0, 1): 0, (0, 2): 0, (0, 3): 1}
TRAINING = [0, 0.5, 0.5, 0]
# shards of 3 rows and of 1 row: (3 x 1/3 + 1 x 1 + 0 + 0) / 8 = 1/4
DISAGREEMENT = {(0, 0): 1 / 3, (1, 0): 1, (0, 1): 0, (1, 1): 0}


def table(losses) -> pd.DataFrame:
    """The lines of all three candidates; those of `ill` must go unseen."""
    factor = {"good": 1.0, "ill": 9.0, "perfect": 0.0}
    lines = [(name, unit, row, by * loss) for name, by in factor.items() for (unit, row), loss in losses.items()]
    return pd.DataFrame(lines, columns=["candidate", "unit", "row", "loss"])


@pytest.fixture
def results_of(checkout, settings_with):
    """Writes the results set, with or without disagreement; returns settings and what is read."""

    def write(*changes, unlabeled=True):
        partition = Partition(np.array([False, True, False, True]), np.array([0, 0, 0, 1]), np.array([-1, 0, 1, 2]))
        labeled = pd.DataFrame({"x": np.zeros(4), "target": [0, 1, 0, 1]})
        halves = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int8)
        files.write_prepared(Prepared(labeled, None, [], partition, halves, "hash"))
        one = {"in_sample": table(IN_SAMPLE)}
        training, disagreement = [], []
        for name, factor in (("good", 1), ("ill", 9), ("perfect", 0)):
            training += [(name, number // 2, number % 2, factor * error) for number, error in enumerate(TRAINING)]
            disagreement += [(name, s, r, [3, 1][s], factor * d) for (s, r), d in DISAGREEMENT.items() if unlabeled]
        two = {
            "training": pd.DataFrame(training, columns=["candidate", "repeat", "half", "error"]),
            "disagreement": pd.DataFrame(
                disagreement, columns=["candidate", "shard", "repeat", "rows", "disagreement"]
            ),
        }
        more = {"holdout": one, "covalidation": two}
        failures = {"progressive": {"ill": "block 1/3: no"}, "covalidation": {"ill": "repeat 1/2: oh"}}
        for scheme, losses in LOSSES.items():
            files.write_result(scheme, {"losses": table(losses), **more.get(scheme, {})}, failures.get(scheme, {}))
        settings = settings_with(CANDIDATES, "progressive.block=1", *changes)
        return settings, read_results(settings)

    return write


def test_a_candidate_that_failed_in_any_scheme_is_left_out_of_all_with_its_first_reason(results_of):
    settings, results = results_of()
    assert {"ill": "block 1/3: no"} == results.failures
    assert ("good", "perfect") == results.candidates
    for frame in (results.losses, results.training, results.disagreement, results.in_sample):
        assert ["good", "perfect"] == frame["candidate"].unique().tolist()
    assert ["good", "perfect"] == list(estimate_all(settings, results))
    assert ["good", "perfect"] == list(standard_errors(settings, results))


# name: value, n_train, n_tested. E_dis = (1 - sqrt(1 - 2/4)) / 2; steps are trained on 1, 2 and 3 rows
BY_HAND = {
    "E_in": (1 / 4, 4, 4),
    "E_val": (1 / 2, 2, 2),
    "E_cv": (3 / 4, 2, 4),
    "E_prog": (2 / 3, 2, 3),
    "E_2cv": (3 / 8, 2, 4),
    "E_train": (1 / 4, 2, 4),
    "disagreement": (1 / 4, 2, 4),
    "E_dis": (0.1464466094, 2, 4),
    "E_maxdt": (1 / 4, 2, 4),
}


def test_the_estimates_are_those_computed_by_hand(results_of):
    found = {record.estimate: record for record in estimate_all(*results_of())["good"]}
    assert list(BY_HAND) == list(found)
    for name, (value, n_train, n_tested) in BY_HAND.items():
        assert value == pytest.approx(found[name].value, abs=5e-11), name
        assert (n_train, n_tested) == (found[name].n_train, found[name].n_tested), name
    assert all(record.value == 0 for record in estimate_all(*results_of())["perfect"])


def test_the_intervals_are_those_of_their_methods_at_the_level_of_the_parameters(results_of):
    found = {record.estimate: record for record in estimate_all(*results_of("selection.level=0.8"))["good"]}
    expected = {
        "E_val": wilson.interval(np.array([1.0, 0.0]), 0.8),
        "E_prog": wilson.interval(np.array([0.0, 1.0, 1.0]), 0.8),
        "E_cv": k_fold_hoeffding.interval(0.75, 4, 2, 0.8),
    }
    for name, record in found.items():
        interval = expected.get(name)
        bounds = (interval.low, interval.high, 0.8, interval.method) if interval else (None,) * 4
        assert bounds == (record.low, record.high, record.level, record.interval)
        assert (interval is None) == (record.assumption is None)


def test_without_unlabelled_rows_no_disagreement_is_invented(results_of):
    settings, results = results_of(unlabeled=False)
    estimates = estimate_all(settings, results)
    assert ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train"] == [record.estimate for record in estimates["good"]]
    wanted, _ = results_of("selection.criterion=E_maxdt", unlabeled=False)
    with pytest.raises(BadArgument, match="E_maxdt was not computed"):
        criterion_values(wanted, estimates)


@pytest.mark.parametrize("criterion", ["E_val", "E_cv", "E_2cv", "E_prog", "E_maxdt"])
def test_the_criterion_is_the_estimate_of_its_name(results_of, criterion):
    settings, results = results_of(f"selection.criterion={criterion}")
    values = criterion_values(settings, estimate_all(settings, results))
    assert {"good": pytest.approx(BY_HAND[criterion][0]), "perfect": 0.0} == values


@pytest.mark.parametrize(
    ("criterion", "error"),
    [
        ("E_val", 1 / 2),  # losses 1, 0: s = sqrt(1/2), over sqrt(2)
        ("E_cv", 1 / 6),  # fold errors 2/3, 1: s = sqrt(1/18), over sqrt(2)
        ("E_prog", 1 / 3),  # losses 0, 1, 1: s = sqrt(1/3), over sqrt(3)
        ("E_2cv", (0.6875 / 12) ** 0.5),  # rows 1, 1/2, 0, 0 over the repeats: s^2 = 0.6875 / 3, over sqrt(4)
    ],
)
def test_the_standard_error_is_that_of_independent_terms(results_of, criterion, error):
    found = standard_errors(*results_of(f"selection.criterion={criterion}"))
    assert {"good": pytest.approx(error, rel=1e-12), "perfect": 0.0} == found


@pytest.mark.parametrize("criterion", ["E_maxdt", "max(E_cv, E_maxdt)"])
def test_a_criterion_that_is_no_mean_of_losses_has_no_standard_error(results_of, criterion):
    assert standard_errors(*results_of(f"selection.criterion={criterion}")) is None
