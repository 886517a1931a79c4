"""The winner against the best constant answer: the rows of E_cv and the test part are one verdict."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from heldout.fits import baseline
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes.design import Evidence
from heldout.selection.selected import Selection
from tasks.outcome.against_baseline import AgainstBaseline, compare, on_test_part
from tasks.outcome.estimate import Results
from tasks.params import load
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError


@pytest.fixture
def results(prepared):
    """Results of 60 rows, 20 of the rarer class: a winner that always errs, one that never does, and a constant."""
    design = read_design(prepared("intervals.E_cv=corrected fold t"))
    splits = design.splits("cross_validation")
    of_constant = [*baseline.evidence(design).losses["cross_validation"]]
    losses = {"bad": [np.ones(len(s.validation)) for s in splits], "constant": of_constant}
    losses["good"] = [np.zeros(len(s.validation)) for s in splits]
    return Results(design, {name: Evidence({"cross_validation": parts}) for name, parts in losses.items()}, {})


@pytest.mark.parametrize(
    ("winner", "on_test", "verdict"),
    [
        ("good", None, True),
        ("good", True, True),
        ("good", False, False),  # the test part is about what is delivered
        ("constant", None, False),
        ("bad", True, False),
    ],
)
def test_one_part_that_shows_a_worse_winner_outweighs_the_other(results, winner, on_test, verdict):
    of_test = Estimate("baseline", "E_test", 0.25, "g", 60, 20)
    found = compare(results, Selection(winner, "E_cv", "minimum", {}, ()), AgainstBaseline((of_test,), on_test))
    assert verdict is found.beaten
    assert ["E_val", "E_cv", "E_test"] == [record.estimate for record in found.estimates]
    assert {"baseline": pytest.approx(1 / 3), "beats_baseline": verdict} == found.described()


def test_where_neither_part_shows_it_the_test_part_may_and_without_one_it_cannot_be_told(results):
    near = [part.copy() for part in results.evidence["constant"].losses["cross_validation"]]
    near[0][np.flatnonzero(near[0])[:1]] = 0  # one error fewer
    one = replace(results, evidence={"near": Evidence({"cross_validation": near})})
    verdicts = [
        compare(one, Selection("near", "E_cv", "minimum", {}, ()), AgainstBaseline((), on_test)).beaten
        for on_test in (None, True, False)
    ]
    assert [None, True, False] == verdicts


def test_the_test_part_is_compared_with_the_constant_of_the_labelled_rows(results):
    y = np.array(["won"] * 10 + ["lost"] * 30)
    verdicts = []
    for losses in (np.zeros(40), np.r_[np.zeros(1), np.ones(9), np.zeros(30)], np.ones(40)):
        tested = Tested(losses, results.design.loss)
        found = on_test_part(results.design, results.design, "near", tested, y)
        assert ("baseline", "E_test", 0.25, 60, 40) == tuple(
            getattr(found.estimates[0], name) for name in ("candidate", "estimate", "value", "n_train", "n_tested")
        )
        verdicts.append(found.beaten)
        apart = found.on_test
        assert ("near", "baseline") == (apart.candidate, apart.against)
        assert losses.mean() - 0.25 == pytest.approx(apart.difference)
        d = losses - (y == "won")
        of_rows = d.var(ddof=1) / 40  # and two rows more on which the two differ
        reach = stats.t.ppf(0.975, 39) * np.sqrt(of_rows + 2 * (1 + d.mean() ** 2 * 40 / 42) / 40**2)
        assert [d.mean() - reach, d.mean() + reach] == pytest.approx([apart.low, apart.high])
    assert [True, None, False] == verdicts


def test_no_candidate_of_params_yaml_has_its_name(shipped):
    with pytest.raises(UserError, match=r"candidates\[0\].name is 'baseline', .*; take another name$"):
        load(shipped, ["candidates.0.name=baseline"])
