"""After the choice: the test set is opened for one winner alone, and selection.json describes it."""

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from heldout.fits import baseline
from heldout.intervals import pooled_shape
from heldout.losses.tested_losses import Tested
from heldout.notebook.result import Validation
from heldout.schemes.delivery import FORMS
from heldout.schemes.design import Evidence
from heldout.selection.joint_level import joint_level
from heldout.selection.selection import Selection
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome import unused_rows
from tasks.outcome.deliver import Delivered
from tasks.outcome.ledger import Ledger, Opened, winner_id
from tasks.outcome.opening import Opening, check_weights, describe, open_test_set
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.row_ids import read_row_ids

TWO = (
    "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}, "
    "{name: wide, estimator: sklearn.naive_bayes.GaussianNB, params: {var_smoothing: 0.1}}]"
)


@dataclass(frozen=True)
class Case:
    """A prepared checkout with a test set, and the winner fitted on its labelled rows."""

    settings: Any
    results: Validation
    delivered: Delivered

    @property
    def winner(self):
        return self.settings.candidates[0]

    @property
    def other(self):
        return self.settings.candidates[1]

    def open(self, *opened_for, delivered=None, used_by=0) -> Opening:
        seen = files.read_seen_rows()
        opened = tuple(Opened(winner_id(candidate, self.settings, seen), candidate.name) for candidate in opened_for)
        return self.after(Ledger(2, opened, used_by), delivered)

    def after(self, ledger: Ledger, delivered=None) -> Opening:
        """Asked for, after runs that tested all rows of the part."""
        rows = read_row_ids("test").words()
        found = unused_rows.look(
            self.settings, self.winner, ledger, lambda runs: rows if runs else rows[:0], asked=True
        )
        check_weights(self.results, found)
        return open_test_set(self.settings, self.results, self.winner, delivered or self.delivered, found)


@pytest.fixture
def case(rows, settings_of_rows):
    def make(*changes) -> Case:
        settings = settings_of_rows("split.test_fraction=0.25", TWO, *changes)
        write_prepared(prepare(settings))
        X, y = files.read_table(files.LABELED)
        model = GaussianNB().fit(X, y)
        return Case(settings, Validation(read_design(settings), {}, {}), Delivered(model, model, len(y)))

    return make


def test_the_first_winner_is_tested_on_the_test_set(case):
    one = case("selection.level=0.9")
    opening = one.open()
    X, y = files.read_table(files.TEST)
    (estimate,) = opening.estimates
    assert np.mean(one.delivered.hypothesis.predict(X) != y) == pytest.approx(estimate.value, abs=1e-12)
    rows = (60 - len(y), len(y))
    assert ("bayes", "E_test", *rows) == (estimate.candidate, estimate.estimate, estimate.n_train, estimate.n_tested)
    assert (0.9, True) == (estimate.level, estimate.low <= estimate.value <= estimate.high)
    assert (1, None) == (opening.found.winners, opening.found.refused)
    of_constant = opening.opened.of_baseline
    assert np.mean(y != "lost") == pytest.approx(of_constant.value, abs=1e-12)
    numbers = (of_constant.candidate, of_constant.estimate, of_constant.n_train, of_constant.n_tested)
    assert ("baseline", "E_test", *rows) == numbers
    assert estimate.interval == of_constant.interval


def test_e_test_is_the_ratio_over_the_rows_of_the_test_set_by_their_own_weights(rows, case):
    rows.assign(heavy=np.linspace(0.1, 5, 60)).to_csv("rows.csv", index=False)
    one = case("data.weight=heavy", "loss=brier")
    (estimate,) = one.open().estimates
    X, y = files.read_table(files.TEST)
    probability = one.delivered.hypothesis.predict_proba(X)[:, 1]
    weights, of_labeled = files.read_test_roles()["weight"], files.read_roles()["weight"]
    expected = np.average((probability - (y == "won")) ** 2, weights=weights)
    assert expected == pytest.approx(estimate.value, rel=1e-12)
    assert "log t" == estimate.interval
    of_constant = one.open().opened.of_baseline
    labels = files.read_target(files.LABELED, files.file_hash(files.LABELED))
    share = np.average(labels == "won", weights=of_labeled)
    expected = np.average((share - (y == "won")) ** 2, weights=weights)
    assert expected == pytest.approx(of_constant.value, rel=1e-12)


def test_a_test_set_without_weight_is_not_opened(rows, case, monkeypatch):
    rows.assign(heavy=np.linspace(0.1, 5, 60)).to_csv("rows.csv", index=False)
    one = case("data.weight=heavy")
    roles = {**files.read_test_roles(), "weight": np.zeros(len(files.read_test_roles()["weight"]))}
    monkeypatch.setattr(files, "read_test_roles", lambda: roles)
    with pytest.raises(UserError, match="weight 0"):
        one.open()


def test_the_test_set_takes_the_shape_of_the_losses_of_cross_validation_of_winner_and_baseline(case):
    one = case("loss=brier", "intervals={E_test: pooled shape}")
    design = one.results.design
    made = [np.linspace(0, 0.5, len(split.validation)) ** 4 for split in design.splits("cross_validation")]
    results = replace(one.results, evidence={"bayes": Evidence({"cross_validation": made})})
    opening = replace(one, results=results).open()
    of_winner, of_constant = opening.opened.estimate, opening.opened.of_baseline
    X, y = files.read_table(files.TEST)
    losses = (one.delivered.hypothesis.predict_proba(X)[:, 1] - (y == "won")) ** 2
    seen = Tested(losses, design.loss, design.seed, pool=np.concatenate(made))
    assert "pooled shape" == of_winner.interval == of_constant.interval
    assert (of_winner.low, of_winner.high) == pytest.approx(pooled_shape.bounds(seen, 0.95), rel=1e-9)
    parts = [*baseline.evidence(design).losses["cross_validation"]]
    seen = replace(seen, losses=np.full(len(y), of_constant.value), pool=np.concatenate(parts))
    assert (of_constant.low, of_constant.high) == pytest.approx(pooled_shape.bounds(seen, 0.95), rel=1e-9)


def test_a_class_that_no_row_of_the_estimates_has_is_tested_too(rows, case):
    rows.assign(kind=np.where(rows["id"] % 20 == 0, "rare", rows["kind"])).to_csv("rows.csv", index=False)
    one = case("split.rows=8", "split.stratify=false", "split.folds=2", "loss=log", "seed=3")
    assert "rare" not in files.read_target(files.LABELED)
    X, y = files.read_table(files.ALL_LABELED)
    model = GaussianNB().fit(X, y)
    (estimate,) = one.open(delivered=Delivered(model, model, len(y))).estimates
    X, y = files.read_table(files.TEST)
    expected = log_loss(y, model.predict_proba(X), labels=model.classes_)
    assert expected == pytest.approx(estimate.value, rel=1e-6)


def test_the_same_winner_is_tested_again_whatever_it_is_called(case):
    first = case().open()
    again = case("candidates.0.name=another").open(case().winner)
    assert (first.estimates[0].value, 1, None) == (again.estimates[0].value, again.found.winners, again.found.refused)


def test_a_second_winner_is_refused_with_the_reason_and_what_to_set(case, caplog):
    logging.getLogger("heldout").propagate = True
    one = case()
    opening = one.open(one.other)
    assert ((), 1) == (opening.estimates, opening.found.winners)
    assert "opened for 1 other winner;" in opening.found.refused
    assert "Set selection.reopen_test to true" in opening.found.refused
    assert [f"E_test: not opened: {opening.found.refused}"] == caplog.messages


def test_a_winner_that_was_opened_is_refused_once_another_was_too(case):
    one = case()
    opening = one.open(one.winner, one.other)
    assert ((), 2) == (opening.estimates, opening.found.winners)
    assert "opened for 1 other winner;" in opening.found.refused
    third = case("candidates.0.params={var_smoothing: 0.5}").open(one.winner, one.other)
    assert "opened for 2 other winners;" in third.found.refused


def test_a_second_winner_is_tested_where_that_is_asked_for_and_counted(case):
    one = case("selection.reopen_test=true")
    assert (1, 2) == (len(one.open(one.other).estimates), one.open(one.other).found.winners)
    assert (1, None) == (one.open(one.winner).found.winners, one.open(one.other).found.refused)


def test_the_same_learner_is_tested_again_on_a_table_that_grew(case, rows):
    one = case()
    earlier = winner_id(one.winner, one.settings, files.read_seen_rows())
    pd.concat([rows, rows.assign(x=rows["x"] + 0.5)]).to_csv("rows.csv", index=False)
    grown = case("seed=5")
    opening = grown.after(Ledger(2, (Opened(earlier),)))
    assert (1, 1, None) == (len(opening.estimates), opening.found.winners, opening.found.refused)


def test_the_same_learner_on_another_draw_of_rows_is_another_winner(case):
    one = case()
    earlier = winner_id(one.winner, one.settings, files.read_seen_rows())
    other = case("data.labeled_rows=30")
    opening = other.after(Ledger(2, (Opened(earlier),)))
    assert ((), 1) == (opening.estimates, opening.found.winners)


IN_TIME = ("data.time=id", "split.folds=2")


@pytest.mark.parametrize(
    ("before", "change"),
    [((), 'data.missing=["?"]'), ((), "split.test_fraction=0.2"), (IN_TIME, "split.gap=3")],
    ids=["missing", "fraction", "gap"],
)
def test_the_same_learner_on_rows_that_are_read_or_cut_in_another_way_is_another_winner(case, before, change):
    one = case(*before)
    earlier = winner_id(one.winner, one.settings, files.read_seen_rows())
    other = case(*before, change)
    opening = other.after(Ledger(2, (Opened(earlier),)))
    assert ((), 1) == (opening.estimates, opening.found.winners)


def test_rows_that_earlier_runs_trained_on_are_no_unseen_test_set(case):
    opening = case().open(used_by=2)
    assert () == opening.estimates
    for word in ("2 earlier runs", "split.test_key", "Set selection.reopen_test to true"):
        assert word in opening.found.refused
    assert 1 == len(case("selection.reopen_test=true").open(used_by=2).estimates)


def test_without_a_test_set_there_is_nothing_to_open(case):
    one = case("split.test_fraction=0")
    assert not files.TEST.exists()
    assert Opening() == one.open(one.other)


@pytest.mark.parametrize("form", ["final", "k_fold", "progressive", "vote"])
def test_the_target_of_the_test_error_names_the_form(case, form):
    (estimate,) = case(f"deliver={form}").open().estimates
    assert FORMS[form].target == estimate.target


def test_a_hypothesis_that_fails_on_the_test_set_is_named(case):
    one = case()
    unfitted = Delivered(GaussianNB(), GaussianNB(), 45)
    with pytest.raises(UserError, match="^candidates: bayes failed on the test set: NotFittedError: "):
        one.open(delivered=unfitted)


def selection() -> Selection:
    return Selection("wide", "E_cv", "minimum", {"bayes": 0.2, "wide": 0.1}, ("bayes", "wide"))


def with_losses(results: Validation) -> Validation:
    """The same with the losses of the 9 held-out rows: 3 errors of bayes, 2 of wide."""
    losses = {name: np.repeat([1.0, 0.0], [errors, 9 - errors]) for name, errors in (("bayes", 3), ("wide", 2))}
    return replace(results, evidence={name: Evidence({"holdout": [of]}) for name, of in losses.items()})


AGAINST = {"baseline": 0.4, "beats_baseline": None}


def test_the_selection_is_described_with_what_it_has_cost(case):
    one = case("deliver=vote")
    opening = one.open()
    results = with_losses(one.results)
    found = describe(
        one.settings, results, selection(), opening, ledger=Ledger(7), delivered=one.delivered, against=AGAINST
    )
    size = one.delivered.sizes()["bytes"]
    labels = len(files.read_target(files.LABELED))
    both = np.stack([results.evidence[name].losses["holdout"][0] for name in ("bayes", "wide")], axis=1)
    expected = {
        "selected": "wide",
        "criterion": "E_cv",
        "rule": "minimum",
        "loss": "zero_one",
        "candidates": ["bayes", "wide"],
        "dropped": [],
        "indistinguishable": ["bayes", "wide"],
        "contamination": 7,
        "bound": pytest.approx(beta.isf(0.05 / 7, 2 + 1, 9 - 2), rel=1e-12),
        # the two candidates of this run share 2/7 of .05, and err together on two rows
        "bound_joint": pytest.approx(
            beta.isf(joint_level(both, 0.05 * 2 / 7, results.design.seed), 2 + 1, 9 - 2), rel=1e-12
        ),
        "bound_of_one": pytest.approx(beta.isf(0.05, 2 + 1, 9 - 2), rel=1e-12),
        "bound_method": "Clopper-Pearson",
        "bound_hoeffding": pytest.approx(2 / 9 + np.sqrt(np.log(7 / 0.05) / 18), rel=1e-12),
        "baseline": 0.4,
        "beats_baseline": None,
        "E_test": opening.estimates[0].value,
        "rows_delivered": labels,
        "rows": {"estimates": labels, "labeled": labels, "test": 60 - labels},
        "test_openings": 1,
        "test_others": 0,
        "test_sealed": 0,
        "test_refused": None,
        "deliver": {"form": "vote", "target": FORMS["vote"].target, "bytes": size, "bytes_final": size},
    }
    assert expected == found
    assert list(expected) == list(found)


def test_a_test_set_that_stayed_shut_is_described_by_its_reason_without_a_number(case):
    one = case()
    shut = one.open(one.other)
    results = with_losses(one.results)
    found = describe(
        one.settings, results, selection(), shut, ledger=Ledger(2), delivered=one.delivered, against=AGAINST
    )
    assert (None, 1, shut.found.refused) == (found["E_test"], found["test_openings"], found["test_refused"])
