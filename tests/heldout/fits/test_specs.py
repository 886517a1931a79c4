"""The key of a record is made of all its fields, and what makes a fit knows nothing but the record."""

import dataclasses
import inspect
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from heldout.estimates import PER_CANDIDATE
from heldout.estimates.methods import choose
from heldout.fits.scheme_fits import Fits, losses_without_fits
from heldout.fits.specs import CompareSpec, FitSpec, How, Known, KnownSplits, Labeled, Specs, VoteSpec
from heldout.losses import choose_loss
from heldout.schemes.design import Design
from heldout.splits.partition import make_halves, make_partition
from heldout.splits.weights import Weights

N = 40
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
HOW = {"shortcuts": ["auto", "off"], "fit_timeout": [None, 100.0], "keep": [False, True]}  # every way to make a fit


def design(weights=None) -> Design:
    loss = choose_loss(None, Y, weights)
    return Design(
        y=Y,
        loss=loss,
        partition=make_partition(Y, validation_fraction=0.2, folds=4, tested_fraction=0.5, stratify=True, seed=3),
        halves=make_halves(Y, repeats=2, stratify=True, seed=3),
        block=3,
        stratify=True,
        seed=3,
        level=0.95,
        methods=choose(None, loss),
        estimates=PER_CANDIDATE,
        weights=Weights.of(weights),
    )


def specs(learner=None, *, keyed=True, made: Design | None = None, judged: str | None = "loss") -> Specs:
    learner = GaussianNB() if learner is None else learner
    made = design() if made is None else made
    rows = Known(lambda: Labeled(X, Y), "rows" if keyed else None)
    return Specs(
        "candidate", rows, Known(lambda: learner, type(learner).__name__), judged, KnownSplits(made, keyed=keyed)
    )


SPECS = [specs().fit("cross_validation", 1), specs().exact("cross_validation")]
OF_A_FIELD = [(spec, field.name) for spec in SPECS for field in dataclasses.fields(spec)]


@pytest.mark.parametrize(("spec", "name"), OF_A_FIELD, ids=lambda of: of if isinstance(of, str) else type(of).__name__)
def test_another_value_of_any_field_is_another_key(spec, name):
    value = getattr(spec, name)
    other = Known(lambda: value.value, f"{value.digest}?") if isinstance(value, Known) else not value
    assert replace(spec, **{name: other}).key != spec.key
    if isinstance(value, Known):
        assert replace(spec, **{name: Known(lambda: value.value, value.digest)}).key == spec.key
        assert replace(spec, **{name: Known(lambda: value.value, None)}).key is None  # nobody can tell


@dataclass(frozen=True, eq=False)
class OfAStranger(FitSpec):
    """A record with one more part."""

    sample: object


@pytest.mark.parametrize("samples", [(0.25, 0.5), (1, 2), ("a", "b"), (Known(int, "a"), Known(int, "b"))])
def test_one_more_field_is_in_the_key_or_is_refused(samples):
    base = {field.name: getattr(SPECS[0], field.name) for field in dataclasses.fields(SPECS[0])}
    first, second = (OfAStranger(**base, sample=sample) for sample in samples)
    assert first.key != second.key
    with pytest.raises(TypeError, match=r"^sample of a spec is a list"):
        _ = OfAStranger(**base, sample=[0.5]).key


@pytest.mark.parametrize("spec", [CompareSpec(("a", "b"), "c"), VoteSpec(("a", "b"), "c", "d")])
def test_a_comparison_of_half_models_is_keyed_by_theirs_and_by_the_rows(spec):
    changes = {"halves": ("b", "a"), "rows": "e", "labeled": "e", "unlabeled": "e"}
    names = [field.name for field in dataclasses.fields(spec)]
    assert 1 + len(names) == len({spec.key, *(replace(spec, **{name: changes[name]}).key for name in names)})
    assert CompareSpec(("a",), "b").key != VoteSpec(("a",), "b", "").key


def test_what_makes_a_fit_is_given_the_record_alone():
    assert ["self", "spec"] == [*inspect.signature(Fits.make).parameters]
    assert ["first", "scheme", "fits", "how"] == [*inspect.signature(Fits).parameters]


def test_every_way_to_make_a_fit_is_tried_here():
    assert [*HOW] == [field.name for field in dataclasses.fields(How)]


@pytest.mark.parametrize("learner", [GaussianNB(), SVC(), DecisionTreeClassifier()])
@pytest.mark.parametrize("scheme", ["holdout", "cross_validation", "covalidation"])
def test_how_a_fit_is_made_changes_no_result(learner, scheme):
    of = specs(learner)
    count = len(of.design.splits(scheme))
    for name, values in HOW.items():
        made = []
        for value in values:
            fits = Fits(of.fit(scheme, 0), scheme, count, How(**{name: value}))
            made.append([fits.make(of.fit(scheme, number))[1] for number in range(count)])
        for first, second in zip(*made, strict=True):
            np.testing.assert_allclose(first.losses, second.losses, rtol=1e-9)
            assert (first.training is None) == (second.training is None) == (scheme != "covalidation")
            if first.training is not None:
                np.testing.assert_allclose(first.training, second.training, rtol=1e-9)


@pytest.mark.parametrize("scheme", ["cross_validation", "progressive", "covalidation"])
def test_losses_without_fits_are_those_of_the_fits(scheme):
    of = specs()
    count = len(of.design.splits(scheme))
    fits = Fits(of.fit(scheme, 0), scheme, count, How("off"))
    exact = losses_without_fits(of.exact(scheme))
    for number in range(count):
        result = fits.make(of.fit(scheme, number))[1]
        np.testing.assert_allclose(exact.losses[number], result.losses, rtol=1e-9)


def test_a_seed_that_a_learner_does_not_use_is_in_no_key():
    for learner, same in ((GaussianNB(), True), (DecisionTreeClassifier(), False)):
        keys = [specs(learner, made=replace(design(), seed=seed)).fit("holdout", 0).key for seed in (3, 4)]
        assert same == (keys[0] == keys[1])


def test_weights_and_their_kind_are_in_the_key():
    values = RNG.integers(1, 4, N).astype(float)
    keys = set()
    for weights in (None, Weights.of(values), Weights.of(values, drawn=True), Weights.of(values[::-1])):
        keys.add(specs(made=replace(design(), weights=weights)).fit("holdout", 0).key)
    assert 4 == len(keys)


def test_a_record_without_digests_has_no_key_and_makes_the_same_fit():
    keyed, plain = (specs(keyed=keyed).fit("holdout", 0) for keyed in (True, False))
    assert plain.key is None
    assert keyed.key is not None
    losses = [Fits(spec, "holdout", 1, How()).make(spec)[1].losses for spec in (keyed, plain)]
    np.testing.assert_array_equal(*losses)
