"""The loss and the weights that params.yaml names, in the flows' own units: read, refused, part of a key, told."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from heldout.fits.specs import CompareSpec, hypothesis_key
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import run_schemes
from tasks.fits.worker import disagree, fit_units
from tasks.params import load
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import HalfPairs, Versions
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
ONE = f"candidates=[{BAYES}]"
COSTS = "loss={cost: {won: {lost: 5}, lost: {won: 1}}}"


def units(settings, name="cross_validation"):
    ((candidate, found),) = units_of_scheme.plan_units(
        settings, scheme(read_design(settings), name, settings.deliver), Versions.current()
    )
    return candidate, found


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("null", None),
        ("log", "log"),
        ("{pinball: 0.9}", {"pinball": 0.9}),
        ("{cost: {0: {1: 5}, 1: {0: 1}}}", {"cost": {0: {1: 5}, 1: {0: 1}}}),
        ("{cost: {won: {lost: 5.5}, lost: {won: 0}}}", {"cost": {"won": {"lost": 5.5}, "lost": {"won": 0}}}),
        ("{cost: {true: {false: 1}, false: {true: 2}}}", {"cost": {True: {False: 1}, False: {True: 2}}}),
    ],
)
def test_a_loss_is_read_as_it_is_written(shipped, written, expected):
    found = load(shipped, [f"loss={written}"]).loss
    assert expected == found
    if isinstance(expected, dict) and "cost" in expected:
        assert [type(label) for label in expected["cost"]] == [type(label) for label in found["cost"]]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("logloss", "loss is 'logloss'; it must be one of zero_one, log, brier, "),
        ("5", "loss is 5; it must be one of zero_one, log, brier, "),
        ("{pinball: 90}", "loss.pinball is 90; it must lie between 0 and 1, both excluded"),
        ("{cost: {0: {1: -5}}}", "loss.cost of 1 for 0 is -5; it must be a number of at least 0"),
        ("{cost: [1, 2]}", "loss.cost is [1, 2]; it must map each class to the cost of each prediction"),
    ],
)
def test_what_is_no_loss_is_told_in_one_line(shipped, written, message):
    with pytest.raises(UserError) as caught:
        load(shipped, [f"loss={written}"])
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{shipped}, --set: {message}")


@pytest.mark.parametrize(
    ("loss", "changes", "message"),
    [
        ("squared", [], "loss is squared, but kind holds (object|str) labels; use zero_one, log, "),
        ("{cost: {won: {lost: 5}}}", [], "loss.cost has no cost for 'won' where 'lost' is right; the classes of kind "),
        ("log", ["data.target=x"], "loss is log, but x holds numbers that are no classes; use squared, "),
    ],
)
def test_a_loss_that_does_not_fit_the_target_is_told_before_anything_is_written(
    rows, settings_of_rows, loss, changes, message
):
    with pytest.raises(UserError, match=f"^{message}"):
        prepare(settings_of_rows(f"loss={loss}", *changes))


def test_numbers_by_their_own_wish_are_not_stratified(rows, settings_of_rows):
    rows.assign(kind=np.tile([0, 1], 30)).to_csv("rows.csv", index=False)
    classes, numbers = (prepare(settings_of_rows(f"loss={loss}")).partition for loss in ("null", "absolute"))
    assert classes.fold.tolist() != numbers.fold.tolist()
    write_prepared(prepare(settings_of_rows("loss=absolute")))
    design = read_design(settings_of_rows("loss=absolute"))
    assert (False, 0) == (design.stratify, design.classes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            ["loss=log", "candidates=[{name: svm, estimator: sklearn.svm.SVC}]"],
            r"candidates\[0\]: svm \(sklearn.svm.SVC\): the log loss needs class probabilities, and it has no predict_",
        ),
        (
            ["loss=brier", "candidates=[{name: a, estimator: sklearn.linear_model.Perceptron}]"],
            r"candidates\[0\]: a \(.*Perceptron\): the brier loss needs class probabilities, ",
        ),
        (
            ["loss=balanced", ONE, "data.sampling=active", "selection.criterion=null"],
            "selection.criterion is E_maxdt, but the balanced loss does not admit E_maxdt: a bound on the balanced",
        ),
        (
            ["loss=log", ONE, "deliver=k_fold"],
            "deliver is k_fold, whose probabilities are the shares of its members' v",
        ),
        (
            ["loss=brier", ONE, "deliver=progressive"],
            "deliver is progressive, whose probabilities are the shares of its",
        ),
        (["loss=log", ONE, "intervals.E_val=Wilson"], "intervals: Wilson is for losses 0/1, and the log loss is not"),
    ],
)
def test_what_the_loss_does_not_admit_is_told_before_any_fit(prepared, changes, message):
    with pytest.raises(UserError, match=message):
        run_schemes.fit_all(prepared(*changes), ["holdout"])
    assert not fit_cache.FOLDER.exists()


def test_a_key_holds_the_loss_unless_none_is_written(prepared):
    plain, *others = (prepared(ONE, *change) for change in ([], ["loss=log"], ["loss=brier"], [COSTS]))
    keys = [[unit.key for unit in units(settings)[1]] for settings in (plain, *others)]
    assert 4 * 5 == len({key for some in keys for key in some})
    assert keys[0] == [unit.key for unit in units(prepared(ONE, "loss=null"))[1]]


@pytest.mark.parametrize("loss", ["log", "brier", "balanced", COSTS.removeprefix("loss=")])
def test_the_stored_losses_are_those_of_the_loss(prepared, loss):
    settings = prepared(ONE, f"loss={loss}")
    candidate, planned = units(settings)
    assert fit_units(settings, candidate, planned, Versions.current()) is None
    X, y = files.read_table(files.LABELED)
    design = read_design(settings)
    for unit, split in zip(planned, design.splits("cross_validation"), strict=True):
        bayes = GaussianNB().fit(X.iloc[split.train], y[split.train])
        part = X.iloc[split.validation]
        answers = bayes.predict_proba(part) if loss in ("log", "brier") else bayes.predict(part)
        expected = choose_loss(settings.loss, y).pointwise(y[split.validation], answers)
        assert expected.tolist() == fit_cache.store.load(unit.key).losses.tolist()


@pytest.mark.parametrize("name", ["brier", "log"])
def test_probabilities_of_half_models_are_compared_on_a_shard(prepared, name):
    settings = prepared(ONE, f"loss={name}")
    candidate, planned = units(settings, "covalidation")
    assert fit_units(settings, candidate, planned, Versions.current()) is None
    X, _ = files.read_table(files.LABELED)
    shard = files.UNLABELED / "shard-00000.parquet"
    X.to_parquet(shard)
    keys = [unit.key for unit in planned]
    compared = [HalfPairs(0, CompareSpec(tuple(keys), "rows"))]
    assert disagree(settings, [shard], compared, read_design(settings).loss) is None
    said = [fit_cache.store.load(hypothesis_key(key)).predict_proba(X) for key in keys]

    def apart(one, other):
        return (one - other)[:, 0] ** 2 if name == "brier" else -np.log(np.sqrt(one * other).sum(axis=1))

    expected = [np.mean(apart(one, other)) for one, other in zip(said[::2], said[1::2], strict=True)]
    assert {"disagreement", "E_dis", "E_maxdt"} <= set(read_design(settings).estimates)
    assert expected == pytest.approx(fit_cache.store.load(compared[0].key)[0][:, 0].tolist(), rel=1e-9)


# --- weights


@pytest.fixture
def weighted(rows, settings_of_rows):
    """data/prepared of rows with the column `heavy`; returns settings for it, with changes."""

    def make(heavy, *changes):
        rows.assign(heavy=heavy).to_csv("rows.csv", index=False)
        settings = settings_of_rows("data.weight=heavy", *changes)
        write_prepared(prepare(settings))
        return settings

    return make


def test_weights_reach_the_design_the_loss_and_the_fit(weighted):
    heavy = np.arange(60) % 7 + 0.5
    settings = weighted(heavy, ONE)
    design = read_design(settings)
    assert heavy.tolist() == design.weights.values.tolist()
    assert ("zero_one", False, True) == (design.loss.name, design.loss.bounded, design.loss.weighted)
    candidate, planned = units(settings)
    assert fit_units(settings, candidate, planned, Versions.current()) is None
    X, y = files.read_table(files.LABELED)
    assert "heavy" not in X.columns
    for unit, split in zip(planned, design.splits("cross_validation"), strict=True):
        bayes = GaussianNB().fit(X.iloc[split.train], y[split.train], sample_weight=heavy[split.train])
        wrong = bayes.predict(X.iloc[split.validation]) != y[split.validation]
        assert wrong.astype(float).tolist() == fit_cache.store.load(unit.key).losses.tolist()


def test_other_weights_are_other_fits_and_weights_of_1_are_for_fits_alone(weighted, settings_of_rows):
    found = []
    for heavy in (np.arange(60) + 1, np.arange(60) + 2, np.ones(60)):
        found.append({unit.key for unit in units(weighted(heavy, ONE))[1]})
    assert 15 == len(set.union(*found))
    design = read_design(weighted(np.ones(60), ONE))
    assert design.weights_of() is None
    assert ZERO_ONE == design.loss
    assert SQUARED.name == choose_loss(None, np.linspace(0.5, 9, 30), np.arange(30.0)).name


@pytest.mark.parametrize(
    ("heavy", "message"),
    [
        (-1.0, "data.weight is 'heavy': weights of row 0 is -1; a weight must be a finite number of at least 0"),
        (np.inf, "data.weight is 'heavy': weights of row 0 is inf; a weight must be a finite number of at least 0"),
        (0.0, "data.weight is 'heavy': weights is 0 in every row; at least one row must count"),
        ("much", "data.weight is 'heavy': weights holds values that are no numbers; each row needs a number"),
        (np.nan, "data.weight is 'heavy', which is missing in 60 of 60 rows with a label; "),
    ],
)
def test_what_is_no_weight_is_told_before_anything_is_written(weighted, heavy, message):
    with pytest.raises(UserError, match=f"^{message}"):
        weighted(np.full(60, heavy, dtype=object))
    assert not files.PREPARED.exists()


def test_a_learner_whose_fit_takes_no_weights_is_told_by_name_before_any_fit(weighted):
    near = "candidates=[{name: near, estimator: sklearn.neighbors.KNeighborsClassifier}]"
    settings = weighted(np.arange(60) + 1, near)
    message = (
        r"^candidates\[0\]: data.weight is 'heavy', but the fit of near \(sklearn.neighbors.KNeighborsClassifier\) "
        "takes no sample_weight; remove the candidate, or data.weight$"
    )
    with pytest.raises(UserError, match=message):
        run_schemes.fit_all(settings, ["holdout"])
    assert not fit_cache.FOLDER.exists()


def test_the_prepared_weights_are_those_of_the_rows(weighted):
    settings = weighted(np.arange(60) + 1, ONE, "split.test_fraction=0.2", "data.labeled_rows=30")
    roles = pd.read_parquet(files.ROLES)
    ids = pd.read_parquet(files.LABELED)["id"]
    assert (ids + 1).tolist() == roles["weight"].tolist()
    test_ids = pd.read_parquet(files.TEST)["id"]
    assert (test_ids + 1).tolist() == files.read_test_roles()["weight"].tolist()
    assert "heavy" == settings.data.weight
