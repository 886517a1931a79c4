"""All candidates side by side: whose losses are compared, who wins, and what is said of the winner."""

import numpy as np
import pytest

from heldout.decision.judging import select_among
from heldout.decision.select import standard_error
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES, e_nested, estimate_candidate, estimate_winner, schemes_of
from heldout.estimates.criteria import CRITERIA, WITH_LOSSES
from heldout.estimates.methods import choose
from heldout.intervals import corrected_fold_t
from heldout.losses import SQUARED, ZERO_ONE, Loss
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.schemes.design import Design, Evidence
from heldout.selection import bbc, nested_selection
from heldout.selection.comparison import Comparison
from heldout.selection.differences import differences
from heldout.selection.rules import RULES
from heldout.splits.partition import Partition

# six rows: validation 1, 4; folds 0, 0, 1, 1, 2, 2; steps of rows 5, 0, 3 in this order; one halving and its reverse
PARTITION = Partition(
    validation=np.array([False, True, False, False, True, False]),
    fold=np.array([0, 0, 1, 1, 2, 2]),
    step=np.array([1, -1, -1, 2, -1, 0]),
)
HALVES = np.array([[0, 0, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0]], dtype=np.int8)
Y = np.array([0, 1, 0, 1, 0, 1])
OF_ROWS = [name for name in WITH_LOSSES if ESTIMATES[name].set_metric is None]
NAMES = ("E_val", "E_cv", "E_prog", "E_2cv", "E_train", "E_bbc", "E_nested")
LEVEL = 0.9


def design(estimates=NAMES, loss: Loss = ZERO_ONE, seed: int = 0) -> Design:
    return Design(
        y=Y,
        loss=loss,
        partition=PARTITION,
        halves=HALVES,
        block=1,
        stratify=False,
        seed=seed,
        level=LEVEL,
        methods=choose({"E_cv": "Bayle within folds", "E_nested": "corrected fold t"}, loss),
        estimates=estimates,
    )


def evidence(made: Design, errs: np.ndarray, inside: np.ndarray | None = None) -> Evidence:
    """A candidate whose every hypothesis has the loss errs[row] on a row; those without two folds `inside`."""
    losses = {
        scheme: [
            (inside if scheme == "fold_pairs" and inside is not None else errs)[split.validation]
            for split in made.splits(scheme)
        ]
        for scheme in schemes_of(made)
    }
    return Evidence(losses, [errs[split.train] for split in made.splits("covalidation")])


def rows(*losses: float) -> np.ndarray:
    return np.array(losses)


A, B = rows(1.0, 0, 0, 1.0, 0, 0), rows(0, 0, 1.0, 0, 0, 0)  # 2 and 1 errors in 6


def both(made: Design) -> dict[str, Evidence]:
    return {"a": evidence(made, A), "b": evidence(made, B)}


def estimates_of(made: Design, given: dict[str, Evidence]) -> dict:
    return {name: estimate_candidate(made, name, of) for name, of in given.items()}


def test_the_losses_behind_e_cv_are_the_held_out_ones_and_their_terms_the_fold_errors():
    found = ESTIMATES["E_cv"].losses_behind(design(), both(design()))
    assert {"a": A.tolist(), "b": B.tolist()} == {name: of.losses.tolist() for name, of in found.observed.items()}
    assert {"a": [0.5, 0.5, 0.0], "b": [0.0, 0.5, 0.0]} == {name: of.tolist() for name, of in found.terms.items()}
    assert 3 == found.folds


def test_the_losses_behind_e_2cv_are_each_rows_means_over_repeats():
    made = design()
    # two repeats, and another loss in the second one
    losses = [A[split.validation] for split in made.splits("covalidation")[:2]]
    losses += [B[split.validation] for split in made.splits("covalidation")[2:]]
    found = ESTIMATES["E_2cv"].losses_behind(made, {"a": Evidence({"covalidation": losses})})
    assert ((A + B) / 2).tolist() == found.observed["a"].losses.tolist() == found.terms["a"].tolist()
    assert 2 == found.folds


@pytest.mark.parametrize(("criterion", "tested"), [("E_val", [1, 4]), ("E_prog", [5, 0, 3])])
def test_the_losses_behind_e_val_and_e_prog_are_those_of_the_tested_rows(criterion, tested):
    made = design()
    found = ESTIMATES[criterion].losses_behind(made, {"a": evidence(made, np.arange(6.0))})
    assert [float(row) for row in tested] == found.observed["a"].losses.tolist() == found.terms["a"].tolist()
    assert found.folds is None


@pytest.mark.parametrize("criterion", OF_ROWS)
def test_the_mean_of_the_paired_losses_is_the_value_of_the_criterion(criterion):
    made = design()
    given = both(made)
    chosen = select_among(made, given, estimates_of(made, given), criterion, "minimum")
    for name, of in ESTIMATES[criterion].losses_behind(made, given).observed.items():
        # counts over 6 or 12
        assert of.error == pytest.approx(chosen.values[name], abs=1e-15)


@pytest.mark.parametrize("criterion", OF_ROWS)
@pytest.mark.parametrize("rule", list(RULES))
def test_the_indistinguishable_ones_are_those_whose_difference_of_e_cv_is_not_below_0(criterion, rule):
    made = design(seed=3)
    given = both(made)
    found = select_among(made, given, estimates_of(made, given), criterion, rule)
    worse = {record.against for record in differences(made, given, found.selected) if record.high < 0}
    assert tuple(name for name in "ab" if name not in worse) == found.indistinguishable


def test_without_e_cv_the_indistinguishable_ones_are_by_the_losses_of_the_criterion():
    made = design(["E_val", "E_prog", "E_2cv"], seed=3)
    given = both(made)
    for criterion in ("E_val", "E_prog", "E_2cv"):
        found = select_among(made, given, estimates_of(made, given), criterion, "minimum")
        behind = ESTIMATES[criterion].losses_behind(made, given)
        alike = Comparison(behind.observed, behind.folds, LEVEL).alike(found.selected)
        assert alike == found.indistinguishable


def test_one_standard_error_is_that_of_the_fold_errors():
    made = design(["E_cv"], SQUARED)
    # b has 1/3 with fold errors 0, 1, 0: s = sqrt(1/3), s / sqrt(3) = 1/3, so that 2/3 is the limit, and a has 7/12;
    # of the six losses s = sqrt(4/15), s / sqrt(6) = 0.21, and the limit would be 0.54
    given = {"a": evidence(made, rows(1.0, 1.0, 1.0, 0.5, 0, 0)), "b": evidence(made, rows(0, 0, 1.0, 1.0, 0, 0))}
    records = estimates_of(made, given)
    assert 1 / 3 == pytest.approx(standard_error(ESTIMATES["E_cv"].losses_behind(made, given).terms["b"]), rel=1e-14)
    assert "a" == select_among(made, given, records, "E_cv", "one_standard_error").selected
    assert "b" == select_among(made, given, records, "E_cv", "minimum").selected


def test_a_criterion_without_losses_has_a_set_by_e_cv():
    made = design()
    given = both(made)
    records = estimates_of(made, given)
    for name in records:  # as if there had been unlabelled rows
        records[name].append(records[name][-1].__class__(name, "E_maxdt", 0.3, "", 3, 6))
    found = select_among(made, given, records, "E_maxdt", "minimum")
    assert ("a", ("a", "b")) == (found.selected, found.indistinguishable)
    # max(2/6, 0.3) and max(1/6, 0.3)
    found = select_among(made, given, records, "max(E_cv, E_maxdt)", "minimum")
    assert ("b", {"a": 1 / 3, "b": 0.3}) == (found.selected, found.values)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_criterion_that_was_not_computed_is_refused(criterion):
    made = design(["E_train"])
    given = both(made)
    with pytest.raises(BadArgument, match="was not computed") as caught:
        select_among(made, given, estimates_of(made, given), criterion, "minimum")
    assert "criterion" == caught.value.argument


def test_e_bbc_is_about_the_candidate_that_the_rule_took_by_e_cv_if_a_bootstrap_can_repeat_it():
    made = design(["E_cv", "E_val", "E_bbc"])
    given = {"a": evidence(made, rows(1.0, 1.0, 1.0, 0.5, 0, 0)), "b": evidence(made, rows(0, 0, 1.0, 1.0, 0, 0))}
    records = estimates_of(made, given)
    table = np.stack([of_a := rows(1.0, 1.0, 1.0, 0.5, 0, 0), rows(0, 0, 1.0, 1.0, 0, 0)])
    (of_rule,) = estimate_winner(made, given, select_among(made, given, records, "E_cv", "one_standard_error"))
    assert ("a", bbc.target("one_standard_error")) == (of_rule.candidate, of_rule.target)
    assert bbc.corrected(table, 0, None, "one_standard_error", PARTITION.fold).error == of_rule.value
    assert of_rule.value != of_a.mean()
    (of_least,) = estimate_winner(made, given)
    assert ("b", bbc.target("minimum"), bbc.corrected(table, 0).error) == (
        of_least.candidate,
        of_least.target,
        of_least.value,
    )
    for criterion, rule in (("E_cv", "indistinguishable"), ("E_val", "one_standard_error"), ("E_cv", "minimum")):
        assert [of_least] == estimate_winner(made, given, select_among(made, given, records, criterion, rule))


@pytest.mark.parametrize("wanted", [[], ["E_bbc"], ["E_nested"], ["E_bbc", "E_nested"]])
def test_of_the_winner_there_is_what_the_design_asks_for(wanted):
    made = design(["E_cv", *wanted])
    assert wanted == [record.estimate for record in estimate_winner(made, both(made))]


def test_the_winner_is_the_candidate_of_least_e_cv_and_a_tie_goes_to_the_first():
    made = design(["E_bbc", "E_nested"])
    assert {"b"} == {record.candidate for record in estimate_winner(made, both(made))}
    tied = {"a": evidence(made, A), "same": evidence(made, A[::-1])}
    assert {"a"} == {record.candidate for record in estimate_winner(made, tied)}


def test_the_record_of_e_bbc_is_the_corrected_error():
    made = design(["E_bbc"], seed=4)
    (found,) = estimate_winner(made, both(made))
    by = bbc.corrected(np.array([A, B]), 4)
    interval = bbc.interval(by.error, CrossValidated(B, ZERO_ONE, fold=PARTITION.fold), LEVEL, taken=by.losses)
    assert (by.error, interval.low, interval.high, LEVEL) == (found.value, found.low, found.high, found.level)
    assert (bbc.target(), "corrected fold Wilson") == (found.target, found.interval)
    assert bbc.assumption("corrected fold Wilson", None) == found.assumption
    assert (4, 6) == (found.n_train, found.n_tested)  # 6 - 6/3


def test_the_record_of_e_nested_by_hand():
    made = design(["E_nested"])
    # outside fold 0 a errs less inside, outside folds 1 and 2 b does
    inside_a, inside_b = rows(1.0, 1.0, 0, 0, 0, 0), rows(0, 0, 0, 0, 0, 1.0)
    given = {"a": evidence(made, A, inside_a), "b": evidence(made, B, inside_b)}
    assert [0, 1, 1] == e_nested.winners(made, given)  # means of a 0, 1/2, 1/2; of b 1/4, 1/4, 0
    (found,) = estimate_winner(made, given)
    outer = rows(1.0, 0, 1.0, 0, 0, 0)  # rows 0 and 1 of a, the others of b
    assert ("b", 2 / 6) == (found.candidate, found.value)
    seen = CrossValidated(outer, ZERO_ONE, fold=PARTITION.fold)
    interval = corrected_fold_t.METHOD.interval("E_nested", seen, LEVEL)
    assert (interval.low, interval.high, interval.method) == (found.low, found.high, found.interval)
    assert (nested_selection.TARGET, 4, 6) == (found.target, found.n_train, found.n_tested)


def test_losses_of_numbers_are_judged_in_the_same_way():
    made = design(["E_cv", "E_bbc", "E_nested"], SQUARED)
    given = {"far": evidence(made, 9 + A), "near": evidence(made, 2 * B + 1)}
    found = select_among(made, given, estimates_of(made, given), "E_cv", "minimum")
    assert ("near", ("near",)) == (found.selected, found.indistinguishable)
    for record in estimate_winner(made, given):
        assert "near" == record.candidate
        assert 1 <= record.value <= 2


@pytest.mark.parametrize("copies", [2, 5])
def test_copies_of_rows_as_clusters_change_neither_the_bootstrap_nor_the_confidence_set_nor_the_standard_error(copies):
    rng = np.random.default_rng(2)
    losses = (rng.random((4, 80)) < np.array([[0.2], [0.25], [0.3], [0.6]])).astype(float)
    many, cluster = np.repeat(losses, copies, axis=1), np.repeat(np.arange(80), copies)
    mixed = rng.permutation(80 * copies)  # rows of a cluster need not be neighbours
    many, cluster = many[:, mixed], cluster[mixed]
    assert bbc.corrected(losses, 3).error == pytest.approx(bbc.corrected(many, 3, cluster).error, abs=1e-12)
    few = [Tested(of, SQUARED) for of in losses]
    of_few, of_clusters, of_rows = (
        Comparison(dict(zip("abcd", seen, strict=True)), None, 0.9).alike("a")
        for seen in (
            few,
            [Tested(of, SQUARED, 0, cluster) for of in many],
            [Tested(of, SQUARED) for of in many],
        )
    )
    assert of_few == of_clusters
    assert len(of_rows) <= len(of_few)
    assert standard_error(losses[0]) == pytest.approx(standard_error(many[0], cluster), abs=1e-12)
    assert 0 == standard_error(many[0], np.zeros(80 * copies, dtype=int))
