"""From losses to estimates and the choice: a results set small enough to be judged by hand."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from heldout.decision.select import standard_error
from heldout.estimates import ESTIMATES, schemes_of
from heldout.intervals import clopper_pearson, corrected_t, hoeffding, k_fold_hoeffding
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import CrossValidated, ShardMargins, Tested
from heldout.running.stored_fits import Finished
from heldout.schemes.resampling import SUBSAMPLES
from heldout.selection.differences import differences
from heldout.splits.partition import Partition
from tasks.data.prepare_tables import Prepared
from tasks.data.unlabeled import from_rows
from tasks.data.write_prepared import write_prepared
from tasks.fits import saved_fits
from tasks.fits.fit_results import Compared, Fitted
from tasks.outcome.read_validation import choose, read_validation
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError

BAYES = "estimator: sklearn.naive_bayes.GaussianNB"
CANDIDATES = f"candidates=[{{name: good, {BAYES}}}, {{name: ill, {BAYES}}}, {{name: perfect, {BAYES}}}]"
METHODS = "intervals={E_val: Clopper-Pearson, E_prog: hoeffding, E_cv: k-fold Hoeffding}"  # no further fits

# losses of `good` by (unit, row); those of `perfect` are 0
LOSSES = {
    "holdout": {(0, 1): 1, (0, 3): 0},
    "cross_validation": {(0, 0): 1, (0, 1): 1, (0, 2): 0, (1, 3): 1},
    "progressive": {(0, 1): 0, (1, 2): 1, (2, 3): 1},
    "covalidation": dict(zip([(r, row) for r in (0, 1) for row in range(4)], [1, 0, 0, 0, 1, 1, 0, 0], strict=True)),
}
IN_SAMPLE = {(0, 0): 0, (0, 1): 0, (0, 2): 0, (0, 3): 1}
# halves of rows 0 and 1 against 2 and 3, then of 0 and 2 against 1 and 3: training errors 0, 1/2, 1/2, 0
TRAINING = dict(zip(LOSSES["covalidation"], [0, 0, 0, 1, 0, 0, 1, 0], strict=True))
# shards of 3 rows and of 1 row: (3 x 1/3 + 1 x 1 + 0 + 0) / 8 = 1/4
DISAGREEMENT = {(0, 0): 1 / 3, (1, 0): 1, (0, 1): 0, (1, 1): 0}
# the rows' means over both repeats: 1/2, 0, 0 and 1/2
ROWS = {0: (3, 1 / 6, 1 / 18), 1: (1, 1 / 2, 0)}
FACTOR = {"good": 1.0, "ill": 9.0, "perfect": 0.0}


def finished(design, scheme, name) -> Finished:
    """The fits of a candidate."""
    of, factor, splits = {**LOSSES, "final": IN_SAMPLE}, FACTOR[name], design.splits(scheme)

    def loss(number, split, row):
        unit = {"progressive": design.partition.step[row], "covalidation": number // 2}.get(scheme, number)
        return float(number < 10) if scheme == "subsamples" else of[scheme][unit, row]

    losses = [[factor * loss(number, split, row) for row in split.validation] for number, split in enumerate(splits)]
    halves = splits if scheme == "covalidation" else ()
    own = [[factor * TRAINING[number // 2, row] for row in split.train] for number, split in enumerate(halves)]
    return Finished(("",) * len(splits), tuple(map(np.array, losses)), tuple(map(np.array, own)))


@pytest.fixture
def results_of(checkout, settings_with):
    """Writes the results set, with or without unlabelled rows; returns settings and what is read."""

    def write(*changes, unlabeled=True, failed=MappingProxyType({"ill": "hold-out: no"})):
        partition = Partition(np.array([False, True, False, True]), np.array([0, 0, 0, 1]), np.array([-1, 0, 1, 2]))
        labeled = pd.DataFrame({"x": np.zeros(4), "target": [0, 1, 0, 1]})
        halves = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int8)
        places = [np.arange(3), np.array([3])] if unlabeled else []
        shards = from_rows(pd.DataFrame({"x": np.zeros(4)}), places)
        write_prepared(Prepared(labeled, None, shards, partition, halves, "hash"))
        settings = settings_with(CANDIDATES, "progressive.block=1", METHODS, *changes)
        design, (rows, means, variances) = read_design(settings), map(np.array, zip(*ROWS.values(), strict=True))
        by_repeat = np.array([[DISAGREEMENT[shard, repeat] for shard in (0, 1)] for repeat in (0, 1)])
        shards = {
            name: ShardMargins(rows, by * by_repeat, by * means, by**2 * variances)
            for name, by in FACTOR.items()
            if unlabeled and name not in failed
        }
        fits = {
            scheme: {name: finished(design, scheme, name) for name in FACTOR if name not in failed}
            for scheme in schemes_of(design)
        }
        saved_fits.write(settings, Fitted(design, fits, failed), Compared(shards))
        return settings, read_validation(settings)

    return write


def test_a_candidate_that_failed_in_the_hold_out_is_left_out_of_all_with_its_first_reason(results_of):
    settings, results = results_of()
    assert {"ill": "hold-out: no"} == results.failed
    assert ("good", "perfect") == results.candidates
    assert ["good", "perfect"] == list(results.evidence)
    assert {"good", "perfect"} == {record.candidate for record in results.estimates}
    assert ["good", "perfect"] == list(choose(settings, results).values)
    assert ("perfect", "E_bbc") == (results.estimates[-1].candidate, results.estimates[-1].estimate)


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
    _, results = results_of()
    found = results["good"]
    assert list(BY_HAND) == list(found)
    for name, (value, n_train, n_tested) in BY_HAND.items():
        assert value == pytest.approx(found[name].value, abs=5e-11), name
        assert (n_train, n_tested) == (found[name].n_train, found[name].n_tested), name
    assert all(record.value == 0 for name, record in results["perfect"].items() if name in BY_HAND)


FOLD = np.array([0, 0, 0, 1])
HELD_OUT = np.array([1.0, 1.0, 0.0, 1.0])


def test_the_intervals_are_those_of_the_methods_and_the_level_of_the_parameters(results_of):
    found = results_of("selection.level=0.8")[1]["good"]
    tested, in_order = (Tested(np.array(losses), ZERO_ONE) for losses in ([1.0, 0.0], [0.0, 1.0, 1.0]))
    expected = {
        "E_val": clopper_pearson.METHOD.interval("E_val", tested, 0.8),
        "E_prog": hoeffding.METHOD.interval("E_prog", in_order, 0.8),
        "E_cv": k_fold_hoeffding.METHOD.interval("E_cv", CrossValidated(HELD_OUT, ZERO_ONE, fold=FOLD), 0.8),
    }
    for name, interval in expected.items():
        record = found[name]
        bounds = (interval.low, interval.high, 0.8, interval.method, interval.assumption)
        assert bounds == (record.low, record.high, record.level, record.interval, record.assumption)
    for name, record in found.items():
        claimed = name != "E_in"
        assert claimed == all(one is not None for one in (record.low, record.high, record.level, record.interval))
        assert claimed == (record.assumption is not None)
        assert not claimed or (0.8 == record.level and record.low <= record.value <= record.high)


def test_an_interval_that_asks_for_further_fits_reads_their_losses(results_of):
    _, results = results_of("intervals.E_cv=corrected t")
    found = results["good"]["E_cv"]
    errors = np.array([1.0] * 10 + [0.0] * (SUBSAMPLES - 10))  # each tests 2 rows of 4
    seen = CrossValidated(HELD_OUT, ZERO_ONE, fold=FOLD, subsample_errors=errors, tested_per_trained=1.0)
    interval = corrected_t.METHOD.interval("E_cv", seen, 0.95)
    assert (interval.low, interval.high, "corrected t") == (found.low, found.high, found.interval)


def test_without_unlabelled_rows_no_disagreement_is_invented(results_of):
    _, results = results_of(unlabeled=False)
    assert ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train"] == [*results["good"]]
    wanted, results = results_of("selection.criterion=E_maxdt", unlabeled=False)
    with pytest.raises(UserError, match=r"^selection\.criterion is E_maxdt, but E_maxdt was not computed"):
        choose(wanted, results)


@pytest.mark.parametrize("criterion", ["E_val", "E_cv", "E_2cv", "E_prog", "E_maxdt"])
def test_the_criterion_is_the_estimate_of_its_name(results_of, criterion):
    settings, results = results_of(f"selection.criterion={criterion}")
    selection = choose(settings, results)
    assert {"good": pytest.approx(BY_HAND[criterion][0]), "perfect": 0.0} == selection.values
    assert ("perfect", criterion) == (selection.selected, selection.criterion)


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
    _, results = results_of(f"selection.criterion={criterion}")
    behind = ESTIMATES[criterion].losses_behind(results.design, results.evidence)
    found = {name: standard_error(terms) for name, terms in behind.terms.items()}
    assert {"good": pytest.approx(error, rel=1e-12), "perfect": 0.0} == found
    means = {name: of.error for name, of in behind.observed.items()}
    assert {"good": pytest.approx(BY_HAND[criterion][0]), "perfect": 0.0} == means


@pytest.mark.parametrize("criterion", ["E_maxdt", "max(E_cv, E_maxdt)"])
def test_where_the_criterion_is_no_mean_of_losses_candidates_are_compared_by_e_cv(results_of, criterion):
    settings, results = results_of(f"selection.criterion={criterion}")
    selection = choose(settings, results)
    worse = {one.against for one in differences(results.design, results.evidence, "perfect") if one.shown_less}
    assert "perfect" == selection.selected
    assert tuple(name for name in ("good", "perfect") if name not in worse) == selection.indistinguishable


def test_if_all_failed_nothing_is_selected(results_of):
    settings, results = results_of(failed={"good": "no", "ill": "oh", "perfect": "ah"})
    with pytest.raises(UserError, match=r"^candidates: all failed \(good: no; ill: oh; perfect: ah\), .* fix "):
        choose(settings, results)
