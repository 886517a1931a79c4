"""The assumption behind an interval, from what `estimates.csv` holds: the estimate and the name of the method."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from heldout import validate
from heldout.errors import BadArgument
from heldout.estimates.methods import METHODS, VALID, assumption_of, choose
from heldout.losses import SQUARED, ZERO_ONE
from heldout.testing.intervals import COSTS


def dependent_cases():
    for kind, methods_of in VALID.items():
        for estimate, methods in methods_of.items():
            for method in methods:
                yield pytest.param(kind, estimate, method, id=f"{kind}: {estimate}, {method.name}")


@pytest.mark.parametrize(("kind", "estimate", "method"), list(dependent_cases()))
def test_of_dependent_rows_it_is_the_assumption_of_the_chosen_method(kind, estimate, method):
    loss = next(loss for loss in (ZERO_ONE, SQUARED, COSTS) if method.admits(loss))
    chosen = choose({estimate: method.name}, loss, kind)[estimate]
    assert chosen.covers[estimate] == assumption_of(estimate, method.name, kind)
    assert "independent examples" not in assumption_of(estimate, method.name, kind)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_of_independent_rows_it_is_what_the_method_says(method):
    for estimate, assumption in method.covers.items():
        assert assumption == assumption_of(estimate, method.name, None)


def test_it_equals_the_assumption_of_each_record_with_an_interval_bounds_of_the_disagreement_included():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    every = validate({"bayes": GaussianNB()}, X, y, unlabeled=rng.normal(size=(80, 2)), repeats=3).estimates
    claimed = [record for record in every if record.interval is not None]
    assert {"E_val", "E_cv", "E_prog", "E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt"} == {
        record.estimate for record in claimed
    }
    for record in claimed:
        assert record.assumption == assumption_of(record.estimate, record.interval, None)


@pytest.mark.parametrize(("estimate", "interval"), [("E_in", "Wilson"), ("E_cv", "Wilson"), ("E_val", "none")])
def test_what_no_method_covers_has_no_assumption(estimate, interval):
    with pytest.raises(BadArgument, match=r"^intervals") as caught:
        assumption_of(estimate, interval, None)
    assert "intervals" == caught.value.argument
