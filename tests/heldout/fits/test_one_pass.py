"""Whole schemes of a learner that is updated once: the losses are those of its refits where both are one learner."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

from heldout.errors import FitFailure
from heldout.estimates import PER_CANDIDATE
from heldout.estimates.methods import choose
from heldout.fits.one_pass import passes, shared_update_losses, updated_once
from heldout.fits.specs import Known, KnownSplits, Labeled, Specs
from heldout.learners.fitting import fit_and_test
from heldout.learners.tree_cv import folds
from heldout.losses import choose_loss
from heldout.online import OnePass
from heldout.schemes import SCHEMES
from heldout.schemes.design import Design
from heldout.shortcuts import Declined
from heldout.splits.dependence import Dependence
from heldout.splits.partition import make_halves, make_partition
from heldout.splits.weights import Weights

N = 60
RNG = np.random.default_rng(4)
COUNTS = np.tile(RNG.integers(0, 6, size=(N // 2, 4)), (2, 1)).astype(float)  # each row has a copy
NUMBERS = COUNTS + np.tile(RNG.normal(size=(N // 2, 4)), (2, 1))
y = (COUNTS[:, 0] + RNG.normal(size=N) > 2).astype(int) + (COUNTS[:, 1] > 4)


def design(loss=None, weights=None, folds: int = 5, repeats: int = 1, **further) -> Design:
    chosen = choose_loss(loss, y, weights)
    return Design(
        y=y,
        loss=chosen,
        partition=make_partition(
            y, validation_fraction=0.2, folds=folds, tested_fraction=0.5, stratify=folds < N, seed=3
        ),
        halves=make_halves(y, repeats=2, stratify=True, seed=3),
        block=7,
        stratify=folds < N,
        seed=3,
        level=0.95,
        methods=choose(None, chosen),
        estimates=PER_CANDIDATE,
        fold_repeats=repeats,
        weights=Weights.of(weights),
        copies=np.tile(np.arange(N // 2), 2),
        **further,
    )


def losses_of(learner, X, made: Design, scheme, state=0):
    """The losses of a scheme, and the warnings, with the seed `state`."""
    splits = KnownSplits(made, keyed=False)
    specs = Specs("once", Known(lambda: Labeled(X, y), None), Known(lambda: OnePass(learner), None), None, splits)
    return shared_update_losses(replace(specs.exact(scheme), state=state))


def assert_same(learner, made: Design, scheme, X=COUNTS) -> None:
    got, warned = losses_of(learner, X, made, scheme)
    assert () == warned
    for split, losses in zip(made.splits(scheme), got, strict=True):
        wanted = fit_and_test(learner, X, y, split, made.loss, 0, made.weights).losses
        np.testing.assert_allclose(losses, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scheme", [name for name, scheme in SCHEMES.items() if scheme.updates_shared])
@pytest.mark.parametrize("loss", [None, "log", "balanced"])
@pytest.mark.parametrize(
    ("learner", "X"),
    [(MultinomialNB(), COUNTS), (BernoulliNB(binarize=2), COUNTS), (GaussianNB(var_smoothing=0), NUMBERS)],
)
def test_learners_of_sums_have_the_losses_of_their_refits(scheme, loss, learner, X):
    assert_same(learner, design(loss), scheme, X)


@pytest.mark.parametrize("scheme", ["cross_validation", "progressive"])
def test_so_have_leave_one_out_several_partitions_and_weights(scheme):
    assert_same(MultinomialNB(), design(folds=N), scheme)
    assert_same(MultinomialNB(), design(repeats=3), scheme)
    assert_same(MultinomialNB(), design(weights=RNG.integers(1, 4, N)), scheme)


@pytest.mark.parametrize("kind", [pd.DataFrame, csr_matrix])
@pytest.mark.parametrize("scheme", ["cross_validation", "progressive"])
def test_rows_may_be_a_table_or_sparse(kind, scheme):
    assert_same(MultinomialNB(), design(), scheme, kind(COUNTS))


def test_the_first_fold_of_stochastic_gradients_is_learnt_down_the_tree_and_not_refitted():
    learner, made = SGDClassifier(), design()
    splits = made.splits("cross_validation")
    parts = [split.validation for split in splits]
    seeded = SGDClassifier(random_state=9)
    wanted = folds(seeded, COUNTS, y, parts, lambda hypothesis, rows: hypothesis.predict(COUNTS[rows]) != y[rows])
    got, _ = losses_of(learner, COUNTS, made, "cross_validation", 9)
    np.testing.assert_array_equal(np.concatenate(got), np.concatenate(list(wanted)))
    refits = [fit_and_test(seeded, COUNTS, y, split, made.loss, 0).losses for split in splits]
    assert not np.array_equal(np.concatenate(refits), np.concatenate(got))


@pytest.mark.parametrize(("folds", "repeats", "expected"), [(5, 1, 3), (8, 1, 3), (9, 1, 4), (N, 1, 6), (5, 3, 9)])
def test_passes_are_counted(folds, repeats, expected):
    made = design(folds=folds, repeats=repeats)
    assert expected == passes(made, "cross_validation")
    assert 1 == passes(made, "progressive")


def test_dependent_rows_are_declined():
    grouped = design(dependence=Dependence(group=np.arange(N) // 2))
    with pytest.raises(Declined, match="rows depend on each other by groups,"):
        losses_of(MultinomialNB(), COUNTS, grouped, "cross_validation")


@pytest.mark.parametrize(
    ("learner", "loss", "reason"),
    [
        (SGDClassifier(early_stopping=True), None, "ValueError: early_stopping should be False with partial_fit"),
        (MultinomialNB(class_prior=[1, 2]), None, "ValueError: Number of priors must match number of classes."),
        (SGDClassifier(), "log", "AttributeError: .*predict_proba"),
    ],
)
@pytest.mark.parametrize("scheme", ["cross_validation", "progressive"])
def test_a_failure_has_the_learners_own_reason(learner, loss, reason, scheme):
    with pytest.raises(FitFailure, match=f"^{reason}"):
        losses_of(learner, COUNTS, design(loss), scheme)


def test_a_warning_of_any_update_is_kept():
    learner = BernoulliNB(binarize=2, alpha=0, force_alpha=False)
    _, warned = losses_of(learner, COUNTS, design(), "cross_validation")
    ((category, first),) = warned
    assert "UserWarning" == category
    assert first.startswith("alpha too small will result in numeric errors")


def test_a_target_says_that_its_hypotheses_are_updated():
    assert "g; updated once with each of its rows" == updated_once("g")
