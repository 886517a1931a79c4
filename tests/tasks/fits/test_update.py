"""update: partial_fit on a candidate: what it is called, how it is run and stored, and what it excludes."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heldout.online import OnePass
from heldout.schemes import fit_state
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits.stored_models import target_of
from tasks.fits.worker import fit_units, store_exact_losses
from tasks.outcome.ledger import learner_id
from tasks.params.build_learner import one_pass
from tasks.plans import units_of_scheme
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_counts import count_fits
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache
from tests.tasks.mistakes import assert_refused

SGD = "{name: sgd, estimator: sklearn.linear_model.SGDClassifier, update: partial_fit}"
BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB, params: {var_smoothing: 0.0}}"
ONCE = BAYES.replace("}}", "}, update: partial_fit}")
NETWORK = "sklearn.neural_network.MLPClassifier"
SHARED = ("cross_validation", "progressive")


def plans(settings, name):
    """The scheme, and the units of each candidate."""
    own = scheme(read_design(settings), name, settings.deliver)
    planned = units_of_scheme.plan_units(settings, own, Versions.current())
    return own, {candidate.name: (candidate, units) for candidate, units in planned}


def keys(settings, name):
    return {name: [unit.key for unit in units] for name, (_, units) in plans(settings, name)[1].items()}


def shared_key(settings, name):
    """Where the losses of the whole scheme lie of the one candidate that is updated."""
    own = scheme(read_design(settings), name, settings.deliver)
    found = units_of_scheme.exact_loss_keys(settings, own, Versions.current())
    (key,) = (key for candidate, key in found.items() if candidate.endswith("(one pass)"))
    return key


def share(settings, candidate, name):
    """What a worker answers, once it has made a whole scheme."""
    return store_exact_losses(settings, candidate, name, shared_key(settings, name), Versions.current())


def test_a_candidate_that_is_updated_is_called_so_and_is_one_pass(settings_with):
    settings = settings_with(f"candidates=[{SGD}, {BAYES}]")
    assert ["sgd (one pass)", "bayes"] == [candidate.name for candidate in settings.candidates]
    first, second = (candidate.learner() for candidate in settings.candidates)
    assert isinstance(first, OnePass)
    assert "SGDClassifier" == type(first.estimator).__name__
    assert not isinstance(second, OnePass)


def test_so_is_each_point_of_a_grid(settings_with):
    settings = settings_with("candidates=[" + SGD.replace("update", "grid: {alpha: [1.0, 0.1]}, update") + "]")
    assert ["sgd(alpha=1.0) (one pass)", "sgd(alpha=0.1) (one pass)"] == [one.name for one in settings.candidates]
    assert [1.0, 0.1] == [one.learner().estimator.alpha for one in settings.candidates]


def test_it_is_another_learner_than_its_refit_and_others_keep_their_identity(settings_with):
    refit, once = settings_with(f"candidates=[{BAYES}, {ONCE}]").candidates
    assert learner_id(refit) != learner_id(once)
    assert "update" not in refit.identity()


@pytest.mark.parametrize("shortcuts", ["auto", "off"])
@pytest.mark.parametrize("name", SHARED)
def test_its_folds_and_steps_share_their_updates_whatever_the_shortcuts(prepared, name, shortcuts):
    settings = prepared(f"candidates=[{ONCE}, {BAYES}]", f"execution.shortcuts={shortcuts}")
    own, planned = plans(settings, name)
    candidate, _ = planned["bayes (one pass)"]
    assert own.may_skip_fits(settings, candidate)
    spared = units_of_scheme.exact_loss_keys(settings, own, Versions.current())
    assert candidate not in units_of_scheme.candidates_to_fit(settings, spared).candidates
    assert share(settings, candidate, name) is None
    refit, others = planned["bayes"]
    assert fit_units(settings, refit, others, Versions.current()) is None
    made = fit_cache.store.load(shared_key(settings, name))
    found = made.losses
    assert {()} == {*made.warned}
    for losses, other in zip(found, others, strict=True):
        np.testing.assert_array_equal(fit_cache.store.load(other.key).losses, losses)


@pytest.mark.parametrize("name", ["holdout", "final", "covalidation", "subsamples", "fold_pairs"])
def test_all_else_is_one_pass_over_the_rows_of_its_own_part(prepared, name):
    settings = prepared(f"candidates=[{SGD}]")
    own, planned = plans(settings, name)
    candidate, units = planned["sgd (one pass)"]
    assert not own.may_skip_fits(settings, candidate)
    assert fit_units(settings, candidate, units[:2], Versions.current()) is None
    X, y = files.read_table(files.LABELED)
    for split, unit in zip(own.splits, units[:2], strict=False):
        hypothesis = one_pass(
            candidate.learner().estimator.set_params(random_state=fit_state(settings.seed, name, unit.number))
        )
        predicted = hypothesis.fit(X.iloc[split.train], y[split.train]).predict(X.iloc[split.validation])
        assert (predicted != y[split.validation]).astype(float).tolist() == fit_cache.store.load(
            unit.key
        ).losses.tolist()


@pytest.mark.parametrize("name", [*SHARED, "holdout"])
def test_keys_are_its_own(prepared, name):
    settings = prepared(f"candidates=[{BAYES}, {ONCE}]")
    found = keys(settings, name)
    assert set() == {*found["bayes"]} & {*found["bayes (one pass)"]}
    if name in SHARED:
        own = scheme(read_design(settings), name, settings.deliver)
        assert 2 == len({*units_of_scheme.exact_loss_keys(settings, own, Versions.current()).values()})


def test_a_fold_is_another_one_where_any_fold_is_for_the_order_of_updates_is_that_of_all(prepared):
    settings = prepared(f"candidates=[{ONCE}, {BAYES}]")
    base, shared = keys(settings, "cross_validation"), shared_key(settings, "cross_validation")
    partition = pd.read_parquet(files.PARTITION)
    one, other = (partition.index[partition["fold"] == fold][0] for fold in (0, 1))
    partition.loc[[one, other], "fold"] = [1, 0]
    partition.to_parquet(files.PARTITION)
    now = keys(settings, "cross_validation")
    assert shared != shared_key(settings, "cross_validation")
    assert base["bayes"][2:] == now["bayes"][2:]


def test_a_failure_is_told_and_nothing_is_refitted(prepared):
    settings = prepared("candidates=[" + SGD.replace("update", "params: {early_stopping: true}, update") + "]")
    own, planned = plans(settings, "cross_validation")
    candidate, _ = planned["sgd (one pass)"]
    reason = share(settings, candidate, "cross_validation")
    assert "cross_validation: ValueError: early_stopping should be False with partial_fit" == reason
    assert not fit_cache.store.has(shared_key(settings, "cross_validation"))
    exact_keys = units_of_scheme.exact_loss_keys(settings, own, Versions.current())
    assert [] == units_of_scheme.candidates_to_fit(settings, exact_keys).candidates


def test_the_forecast_counts_the_passes(prepared):
    counted = count_fits(prepared(f"candidates=[{ONCE}]", "intervals={E_cv: Bayle within folds}"), Versions.current())
    head, line, *_ = str(counted).splitlines()
    assert ["holdout", "final", "cross_validation", "progressive", "covalidation"] == head.split()
    assert "bayes (one pass)        1      1        passes: 3   passes: 1             6" == line
    # 60 rows in 5 folds, once by step, all and 4/5 of them, and six halves
    of_once = [fits for of in (counted.stream, counted.later) for fits in of["bayes (one pass)"]]
    trained = sum(fits.count * fits.trained for fits in of_once)
    assert 60 * 4 + 60 + 48 + 6 * 30 == trained


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        ("{name: svc, estimator: sklearn.svm.SVC, update: partial_fit}", ["partial_fit", "sklearn.svm.SVC"]),
        (
            f"{{name: net, estimator: {NETWORK}, params: {{solver: lbfgs}}, update: partial_fit}}",
            ["partial_fit", NETWORK],
        ),
        (SGD.replace("update", "preprocess: sklearn.preprocessing.StandardScaler, update"), ["preprocess"]),
        (SGD.replace("update", "family: {parameter: epochs, values: [1, 2]}, update"), ["family"]),
        (SGD.replace("partial_fit", "fit"), ["'fit'", "'partial_fit'"]),
    ],
)
def test_a_learner_that_cannot_be_updated_is_refused_where_it_is_written(settings_with, candidate, words):
    assert_refused(lambda: settings_with(f"candidates.0={candidate}"), "candidates[0].update", *words)


@pytest.mark.parametrize("form", ["k_fold", "progressive", "vote"])
def test_hypotheses_that_are_not_kept_cannot_be_delivered(prepared, form):
    with pytest.raises(UserError, match=f"update is partial_fit .* but deliver is {form}; use final"):
        check_before_fits(prepared(f"candidates=[{BAYES}, {ONCE}]", f"deliver={form}"))


@pytest.mark.parametrize(("change", "kind"), [("data.groups=id", "groups"), ("data.time=id", "time")])
def test_dependent_rows_are_refused(rows, settings_of_rows, change, kind):
    settings = settings_of_rows(f"candidates=[{ONCE}]", change)
    write_prepared(prepare(settings))
    with pytest.raises(UserError, match=rf"^candidates\[0\].update .* but rows depend by {kind}; remove"):
        check_before_fits(settings)


def test_weights_are_refused_where_updates_take_none(rows, settings_of_rows, checkout, monkeypatch):
    monkeypatch.syspath_prepend(checkout)
    (checkout / "unweighted.py").write_text(
        "from sklearn.linear_model import SGDClassifier\n\n\nclass Own(SGDClassifier):\n"
        "    def fit(self, X, y):\n        return super().fit(X, y)\n"
    )
    rows.assign(w=rows["id"] + 1.0).to_csv("rows.csv", index=False)
    settings = settings_of_rows(
        "candidates=[{name: own, estimator: unweighted.Own, update: partial_fit}]",
        "execution.allowed_modules=[sklearn, unweighted]",
        "data.weight=w",
    )
    write_prepared(prepare(settings))
    with pytest.raises(UserError, match="data.weight is 'w', but the fit of own .* takes no sample_weight"):
        check_before_fits(settings)


def test_the_target_of_its_estimates_says_so():
    once, whole = SimpleNamespace(update={}), SimpleNamespace(update=None)
    assert "g; updated once with each of its rows" == target_of(once, "g")
    assert "g" == target_of(whole, "g")
