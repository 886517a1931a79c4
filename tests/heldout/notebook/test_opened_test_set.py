"""The winner on the test set: the rows of E_cv and the test set are one verdict against the baseline."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier

import heldout
from heldout.decision.ship import Further
from heldout.fits import baseline
from heldout.losses.tested_losses import Tested
from heldout.metrics.answered_rows import ask
from heldout.notebook.opened_test_set import Opened
from heldout.records import Difference, Estimate
from heldout.schemes.design import Evidence

Y = np.array(["won"] * 20 + ["lost"] * 40)
OF_TEST = Estimate("baseline", "E_test", 0.25, "g", 60, 20)


@pytest.fixture(scope="module")
def made():
    """60 rows, 20 of the rarer class: a candidate that always errs, one that seldom does, and a constant."""
    how = {"estimates": ["E_val", "E_cv"], "intervals": {"E_cv": "corrected fold t"}, "progress": False}
    found = heldout.validate({"constant": DummyClassifier()}, np.zeros((60, 1)), Y, **how)
    losses = {
        "bad": lambda rows: np.ones(len(rows)),
        "constant": lambda rows: (Y[rows] == "won").astype(float),
        "good": lambda rows: (rows % 20 == 0).astype(float),
    }
    schemes = {scheme: found.design.splits(scheme) for scheme in ("holdout", "cross_validation")}
    evidence = {
        name: Evidence({scheme: [of(split.validation) for split in splits] for scheme, splits in schemes.items()})
        for name, of in losses.items()
    }
    models = dict.fromkeys(losses, SimpleNamespace(updated_once=False, final_rows=None, unlabeled=None))
    return replace(found, evidence=evidence, _fits=models)


def opened(candidate, beaten):
    apart = Difference(candidate, "baseline", -0.25, -0.5, -0.1)
    return Opened(Estimate(candidate, "E_test", 0.0, "g", 60, 20), OF_TEST, apart, beaten, None)


@pytest.mark.parametrize(
    ("winner", "on_test", "verdict"),
    [
        ("good", None, True),
        ("good", True, True),
        ("good", False, False),  # the test set is about what is delivered
        ("constant", None, False),
        ("bad", True, False),
    ],
)
def test_one_part_that_shows_a_worse_winner_outweighs_the_other(made, winner, on_test, verdict):
    found = made.with_opened(opened(winner, on_test))
    assert verdict is found.beats_baseline(winner)
    assert ["E_val", "E_cv", "E_test"] == [record.estimate for record in found.baseline]
    of_winner = ["E_val", "E_cv", "E_test"]
    assert of_winner == [record.estimate for record in found.estimates if record.candidate == winner][:3]
    assert made.baseline == found.baseline[:2]
    other = next(name for name in made if name != winner)
    assert made.beats_baseline(other) is found.beats_baseline(other)


def test_where_neither_part_shows_it_the_test_set_may_and_without_one_it_cannot_be_told(made):
    near = [part.copy() for part in made.evidence["constant"].losses["cross_validation"]]
    near[0][np.flatnonzero(near[0])[:1]] = 0  # one error fewer
    one = replace(made, evidence={"near": Evidence({"cross_validation": near})})
    verdicts = [one.with_opened(opened("near", on_test)).beats_baseline("near") for on_test in (None, True, False)]
    assert [None, True, False] == verdicts
    assert one.beats_baseline("near") is None


def test_a_decision_plans_with_what_was_opened_and_counts_what_else_is_known(made):
    plain, found = (one.decide() for one in (made, made.with_opened(opened("good", True))))
    assert ("ship", "ship") == (plain.verdict, found.verdict)
    assert "E_test" == made.with_opened(opened("good", True))["good"]["E_test"].estimate
    stopped = made.decide(further=Further(findings=[("stop", "a column is told after the target")], openings=2))
    assert ("not_yet", 2) == (stopped.verdict, len(stopped.caveats) - len(plain.caveats))


def test_the_test_set_is_compared_with_the_constant_of_the_labelled_rows(made):
    design = made.design
    y = np.array(["won"] * 10 + ["lost"] * 30)
    verdicts = []
    for losses in (np.zeros(40), np.r_[np.zeros(1), np.ones(9), np.zeros(30)], np.ones(40)):
        tested = Tested(losses, design.loss)
        answered, _ = ask(DummyClassifier().fit(np.zeros((60, 1)), Y), np.zeros((40, 1)), y, Y, tested)
        e_test = Estimate("near", "E_test", losses.mean(), "g", 60, 40)
        found = Opened.of(e_test, tested, answered, y, design, design)
        assert ("baseline", "E_test", 0.25, 60, 40) == tuple(
            getattr(found.of_baseline, name) for name in ("candidate", "estimate", "value", "n_train", "n_tested")
        )
        verdicts.append(found.beats_baseline)
        apart = found.less_baseline
        assert ("near", "baseline") == (apart.candidate, apart.against)
        assert losses.mean() - 0.25 == pytest.approx(apart.difference)
        d = losses - (y == "won")
        of_rows = d.var(ddof=1) / 40  # and two rows more on which the two differ
        reach = stats.t.ppf(0.975, 39) * np.sqrt(of_rows + 2 * (1 + d.mean() ** 2 * 40 / 42) / 40**2)
        assert [d.mean() - reach, d.mean() + reach] == pytest.approx([apart.low, apart.high])
    assert [True, None, False] == verdicts
    assert baseline.NAME == found.of_baseline.candidate
