"""Which fits the estimates ask for, and how their losses become estimates."""

from dataclasses import replace

import numpy as np
import pytest

from heldout.estimates import (
    ESTIMATES,
    OF_THE_WINNER,
    PER_CANDIDATE,
    estimate_candidate,
    scheme_of,
    schemes_of,
    set_metrics,
)
from heldout.estimates.methods import METHODS, choose
from heldout.losses import SQUARED, ZERO_ONE, Loss
from heldout.losses.tested_losses import ShardMargins, repeated_by_row
from heldout.records import Estimate
from heldout.schemes import SCHEMES, covalidation, cross_validation, holdout, progressive
from heldout.schemes.design import Design, Evidence, cross_validated, half_losses
from heldout.schemes.design import tested as observed_of  # a name that pytest does not collect
from heldout.splits.partition import make_halves, make_partition
from heldout.testing.intervals import COSTS
from heldout.unlabelled import implied_error

N, FOLDS, REPEATS, BLOCK, LEVEL = 21, 3, 4, 2, 0.9
Y = np.repeat([0, 1], [12, 9])
EVERY = (*PER_CANDIDATE, *OF_THE_WINNER)
HALVES = tuple(name for name in PER_CANDIDATE if scheme_of(name) == "covalidation")
DRAWN = {name: scheme.draw for name, scheme in SCHEMES.items() if scheme.draw is not None}
NO_FURTHER_FIT = {"E_cv": "Bayle within folds"}


def design(estimates=EVERY, intervals=None, loss: Loss = ZERO_ONE, y=Y) -> Design:
    stratify = loss.binary
    known = [name for name in estimates if loss.of_classes or ESTIMATES[name].set_metric is None]
    return Design(
        y=y,
        loss=loss,
        partition=make_partition(
            y, validation_fraction=0.3, folds=FOLDS, tested_fraction=0.5, stratify=stratify, seed=5
        ),
        halves=make_halves(y, repeats=REPEATS, stratify=stratify, seed=5),
        block=BLOCK,
        stratify=stratify,
        seed=5,
        level=LEVEL,
        methods=choose(intervals, loss),
        estimates=known,
        set_metrics=set_metrics(known),
    )


def evidence(made: Design, disagreement: float | None = None, seed: int = 0) -> Evidence:
    """Losses of 0 and 1 at random for every fit that the design asks for."""
    rng = np.random.default_rng(seed)
    losses = {
        scheme: [rng.integers(0, 2, len(split.validation)).astype(float) for split in made.splits(scheme)]
        for scheme in schemes_of(made)
    }
    halves = made.splits("covalidation") if "covalidation" in losses else []
    training = [rng.integers(0, 2, len(split.train)).astype(float) for split in halves]
    seen = None
    if disagreement is not None:
        variance = np.array([disagreement * (1 - disagreement) * 49 / 50])
        seen = ShardMargins(np.array([50]), np.full((REPEATS, 1), disagreement), np.array([disagreement]), variance)
    terms = {
        name: {
            scheme: [rng.integers(0, 2, len(split.validation)).astype(float) for split in made.splits(scheme)]
            for scheme in losses
            if name in made.set_metrics_in(scheme)
        }
        for name in made.set_metrics
    }
    return Evidence(losses, training, seen, terms)


def by_name(records: list[Estimate]) -> dict[str, Estimate]:
    return {record.estimate: record for record in records}


@pytest.mark.parametrize(
    ("estimates", "schemes"),
    [
        (["E_in"], ["final"]),
        (["E_val"], ["holdout"]),
        (["E_cv"], ["cross_validation"]),
        (["E_prog"], ["progressive"]),
        *[([name], ["covalidation"]) for name in HALVES],
        (list(HALVES), ["covalidation"]),
        (["E_bbc"], ["cross_validation"]),
        (["E_nested"], ["cross_validation", "fold_pairs"]),
        (["E_cv", "E_bbc", "E_nested"], ["cross_validation", "fold_pairs"]),
        (EVERY, ["final", "holdout", "cross_validation", "progressive", "covalidation", "bootstrap", "fold_pairs"]),
    ],
)
def test_estimates_ask_for_the_schemes_that_they_are_made_of_each_once(estimates, schemes):
    assert schemes == schemes_of(design(estimates, NO_FURTHER_FIT))


@pytest.mark.parametrize(
    "method", [method for method in METHODS if "E_cv" in method.covers], ids=lambda method: method.name
)
def test_an_interval_of_e_cv_asks_for_its_further_fits_where_e_cv_is_wanted_and_nowhere_else(method):
    further, loss = [method.needs] if method.needs else [], COSTS if method.losses == "of costs" else ZERO_ONE
    assert ["cross_validation", *further] == schemes_of(design(["E_cv"], {"E_cv": method.name}, loss))
    assert ["cross_validation"] == schemes_of(design(["E_bbc"], {"E_cv": method.name}, loss))
    assert ["holdout"] == schemes_of(design(["E_val"], {"E_cv": method.name}, loss))


def test_the_default_interval_of_e_cv_asks_for_what_it_needs():
    default = choose(None, ZERO_ONE)["E_cv"]
    assert ["cross_validation", *([default.needs] if default.needs else [])] == schemes_of(design(["E_cv"]))


def test_the_splits_of_each_scheme_are_those_of_its_module_in_order():
    made = design()
    expected = {
        "final": [holdout.final_split(N)],
        "holdout": [holdout.split(made.partition.validation)],
        "cross_validation": cross_validation.splits(made.partition.fold),
        "progressive": progressive.splits(made.partition.step, BLOCK),
        # (repeat 0, half 0), (repeat 0, half 1), (repeat 1, half 0), …
        "covalidation": [covalidation.splits(made.halves[r])[half] for r in range(REPEATS) for half in (0, 1)],
        **{scheme: draw(Y, made.partition.fold, True, 5).splits for scheme, draw in DRAWN.items()},
    }
    for scheme, splits in expected.items():
        found = made.splits(scheme)
        assert [split.train.tolist() for split in splits] == [split.train.tolist() for split in found]
        assert [split.validation.tolist() for split in splits] == [split.validation.tolist() for split in found]


@pytest.mark.parametrize("scheme", DRAWN)
def test_a_further_scheme_is_drawn_once(scheme):
    made = design()
    assert made.further(scheme) is made.further(scheme)


def test_two_designs_do_not_share_what_they_drew():
    one = design()
    other = replace(one, seed=6)
    first, second = one.further("subsamples"), other.further("subsamples")
    assert [split.validation.tolist() for split in first.splits] != [
        split.validation.tolist() for split in second.splits
    ]


def test_classes_are_counted_for_classes_and_0_for_numbers():
    assert 2 == design().classes
    assert 3 == design(y=np.repeat(["a", "b", "c"], 7)).classes
    assert 0 == design(loss=SQUARED).classes


def test_held_out_losses_are_put_in_row_order():
    made = design(["E_cv"])
    losses = [split.validation / 100 for split in made.splits("cross_validation")]
    found = cross_validated(made, Evidence({"cross_validation": losses}))
    assert (np.arange(N) / 100).tolist() == found.losses.tolist()
    assert made.partition.fold.tolist() == found.fold.tolist()
    assert (FOLDS, made.loss, made.seed) == (found.folds, found.loss, found.seed)
    assert {None} == {
        found.subsample_errors,
        found.repeated_errors,
        found.pair_losses,
        found.tested_per_trained,
    }


@pytest.mark.parametrize("scheme", DRAWN)
def test_further_fits_become_the_fields_that_their_scheme_makes_of_them(scheme):
    made = design()
    losses = {
        name: [np.full(len(split.validation), float(i)) for i, split in enumerate(made.splits(name))]
        for name in ("cross_validation", scheme)
    }
    found = cross_validated(made, Evidence(losses))
    for name, value in made.further(scheme).fields(losses[scheme]).items():
        assert np.array_equal(np.asarray(value), np.asarray(getattr(found, name)), equal_nan=True)


def test_progressive_losses_are_put_in_the_order_of_their_steps():
    made = design(["E_prog"])
    losses = [made.partition.step[split.validation] / 100 for split in made.splits("progressive")]
    found = observed_of(made, Evidence({"progressive": losses}), "progressive")
    assert (np.arange(made.partition.step.max() + 1) / 100).tolist() == found.losses.tolist()


def test_half_losses_are_a_table_of_repeats_by_rows():
    made = design(["E_2cv"])
    # half model s of repeat r gives 10 r + s on the rows that it tests, and on those that it was trained on
    tests = [
        np.full(len(split.validation), 10.0 * (i // 2) + i % 2) for i, split in enumerate(made.splits("covalidation"))
    ]
    trains = [np.full(len(split.train), 10.0 * (i // 2) + i % 2) for i, split in enumerate(made.splits("covalidation"))]
    repeat = np.arange(REPEATS)[:, None]
    assert (10 * repeat + 1 - made.halves).tolist() == half_losses(made, tests, on_training_half=False).tolist()
    assert (10 * repeat + made.halves).tolist() == half_losses(made, trains, on_training_half=True).tolist()


def test_the_estimates_come_in_their_order_and_only_the_requested_estimates():
    everything = design()
    given = evidence(everything, disagreement=0.3)
    records = estimate_candidate(everything, "tree", given)
    assert list(PER_CANDIDATE) == [record.estimate for record in records]
    for some in (["E_cv"], ["E_maxdt", "E_in"], ["E_train", "E_prog", "E_val"], ["E_bbc"]):
        found = estimate_candidate(replace(everything, estimates=some), "tree", given)
        assert [record for record in records if record.estimate in some] == found


def test_each_estimate_is_the_mean_of_its_losses_over_its_rows():
    made = design()
    given = evidence(made, disagreement=0.3)
    found = by_name(estimate_candidate(made, "tree", given))
    m = made.partition.step.max() + 1
    for name, scheme, n_train, n_tested in [
        ("E_in", "final", N, N),
        ("E_val", "holdout", 15, 6),  # 21 x 0.3 = 6.3
        ("E_cv", "cross_validation", 14, N),
        ("E_prog", "progressive", progressive.mean_training_size(progressive.splits(made.partition.step, BLOCK)), m),
        ("E_2cv", "covalidation", 10, N),
    ]:
        # one count over at most 84, or a mean of such
        expected = np.concatenate(given.losses[scheme]).mean()
        assert expected == pytest.approx(found[name].value, abs=1e-15)
        assert ("tree", n_train, n_tested) == (found[name].candidate, found[name].n_train, found[name].n_tested)


def test_the_training_error_of_half_models_has_equal_weights_though_one_half_has_a_row_more():
    made = design(["E_train"])
    errors = [1.0, 0.0, 0.5, 0.0, 0.25, 0.0, 0.0, 0.0]  # mean 1.75 / 8
    training = [
        np.full(len(split.train), error) for split, error in zip(made.splits("covalidation"), errors, strict=True)
    ]
    assert {10, 11} == {len(part) for part in training}
    given = replace(evidence(made), training=training)
    (found,) = estimate_candidate(made, "tree", given)
    assert 1.75 / 8 == pytest.approx(found.value, abs=1e-15)
    assert (10, N) == (found.n_train, found.n_tested)


@pytest.mark.parametrize(("y", "classes"), [(Y, 2), (np.repeat([0, 1, 2], 7), 3)])
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.7])
def test_the_bounds_of_e_dis_are_the_mapped_bounds_of_the_disagreement(y, classes, rate):
    made = design(HALVES, y=y)
    found = by_name(estimate_candidate(made, "tree", evidence(made, rate)))
    d, bound = found["disagreement"], found["E_dis"]
    expected = [implied_error.error_bound(value, ZERO_ONE, classes)[0] for value in (d.low, d.value, d.high)]
    assert expected == [bound.low, bound.value, bound.high]
    assert (d.level, d.interval, d.n_tested, d.n_train) == (LEVEL, bound.interval, bound.n_tested, bound.n_train)
    assert rate == d.value


def test_the_bounds_of_e_dis_for_numbers_are_half_those_of_the_disagreement():
    made = design(HALVES, loss=SQUARED, y=np.linspace(0, 1, N))
    found = by_name(estimate_candidate(made, "line", evidence(made, 0.3)))
    d, bound = found["disagreement"], found["E_dis"]
    assert [d.low / 2, d.value / 2, d.high / 2] == [bound.low, bound.value, bound.high]


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.5])
def test_the_larger_of_training_error_and_bound_has_a_wider_interval_than_either_alone(rate):
    made = design(HALVES)
    found = by_name(estimate_candidate(made, "tree", evidence(made, rate)))
    train, bound, larger = found["E_train"], found["E_dis"], found["E_maxdt"]
    assert max(train.value, bound.value) == larger.value
    assert larger.low <= larger.value <= larger.high
    # each part takes half of what the level leaves
    assert max(train.high, bound.high) <= larger.high
    assert larger.low <= max(train.low, bound.low)
    assert (LEVEL, made.methods["disagreement"].name) == (larger.level, larger.interval)


def test_without_disagreement_there_is_none_of_its_estimates():
    made = design(HALVES)
    assert ["E_2cv", "E_train"] == [record.estimate for record in estimate_candidate(made, "tree", evidence(made))]


def test_the_margins_of_a_table_are_its_means_over_rows_and_the_variance_of_those_over_repeats():
    # rows' means 1/2, 1/2, 2: about 1 they are 1/4 + 1/4 + 1 = 3/2, over 2
    found = repeated_by_row(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]]), SQUARED)
    assert ([1.0, 1.0], 0.75, 3, 1.0) == (found.by_repeat.tolist(), found.row_variance, found.n, found.error)
    assert 0.0 == repeated_by_row(np.array([[3.0], [5.0]]), SQUARED).row_variance


def test_what_is_left_of_a_design_has_fewer_halvings_and_draws_nothing_again():
    whole = design()
    drawn = {name: whole.splits(name) for name in (*DRAWN, "covalidation", "cross_validation")}
    left = whole.of_those_left(2, dropped=3)
    assert (2, 3) == (len(left.halves), left.dropped)
    assert all(drawn[name] is left.splits(name) for name in (*DRAWN, "cross_validation"))
    for kept, split in zip(left.splits("covalidation"), drawn["covalidation"][:4], strict=True):
        assert np.array_equal(kept.train, split.train)
    assert (REPEATS, 0) == (len(whole.halves), whole.dropped)
