"""`loss_max` in a run: no part of a fit, and refuted by any loss, in stored fits and on the test set too."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from heldout.intervals import betting
from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested
from heldout.notebook.result import Validation
from heldout.schemes.design import Evidence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import run_schemes, saved_fits
from tasks.fits.fit_results import Compared, Fitted
from tasks.outcome.deliver import Delivered
from tasks.outcome.ledger import Ledger
from tasks.outcome.opening import describe, open_test_set
from tasks.outcome.unused_rows import UnusedRows
from tasks.params import load
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

TREE = "candidates=[{name: tree, estimator: sklearn.tree.DecisionTreeRegressor, params: {random_state: 0}}]"


@pytest.fixture
def numbers(rows, settings_of_rows, monkeypatch):
    """Settings for rows whose target is 3 or 9.5 whatever x is, prepared; with changes. Fits are made in this process.

    The baseline's answer lies between the two, so its losses are below 6.5 ** 2 = 42.25, which a tree's are.
    """
    rows.assign(kind=np.random.default_rng(0).permutation(np.repeat([3.0, 9.5], 30))).to_csv("rows.csv", index=False)

    def run_all(_, _what, todo, _reused, **_more):
        return [one.function(*one.arguments) for one in todo]

    monkeypatch.setattr(run_schemes, "run_all", run_all)

    def settings(*changes):
        return settings_of_rows("loss=squared", TREE, *changes)

    write_prepared(prepare(settings()))
    return settings


def holdout(settings) -> None:
    finished, failures = run_schemes.fit_all(settings, ["holdout", "final"])
    saved_fits.write(settings, Fitted(read_design(settings), finished, failures), Compared())


def left() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(files.FITS.rglob("arrays.npy"))}


@pytest.mark.parametrize(
    ("written", "value", "allowed"),
    [
        ("0", "0", "greater than 0"),
        ("-1", "-1", "greater than 0"),
        (".inf", "inf", "a finite number"),
        (".nan", "nan", "a finite number"),
        ("true", "True", "a valid number"),
        ("many", "'many'", "a valid number"),
    ],
)
def test_what_is_no_limit_is_reported_with_its_value(shipped, written, value, allowed):
    with pytest.raises(UserError) as caught:
        load(shipped, [f"loss_max={written}"])
    assert f"{shipped}, --set: loss_max is {value}: input should be {allowed}" == str(caught.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (["loss_max=9"], "loss_max is 9, but the squared loss of baseline, which answers the mean, is "),
        (
            ["intervals.E_val=betting"],
            "intervals: betting is for losses of known limit, and the squared loss has none ",
        ),
    ],
)
def test_what_can_be_known_before_any_fit_is_refused_before_any_fit(numbers, changes, says):
    with pytest.raises(UserError, match=f"^{says}"):
        holdout(numbers(*changes))
    assert not fit_cache.FOLDER.exists()


def test_a_limit_of_a_loss_that_has_one_is_refused_and_rows_with_weights_have_no_bound(
    prepared, rows, settings_of_rows
):
    with pytest.raises(UserError, match="^loss_max is 9, but no zero_one loss of this target is above 1: "):
        read_design(prepared("loss_max=9"))
    heavy = {"kind": np.linspace(1, 2, 60), "heavy": np.arange(60) + 1}
    rows.assign(**heavy).to_csv("rows.csv", index=False)
    settings = settings_of_rows(TREE, "data.weight=heavy", "loss_max=9")
    write_prepared(prepare(settings))
    loss = read_design(settings).loss
    assert (9, True, False) == (loss.limit, loss.weighted, loss.bounded)


def test_stored_fits_serve_every_limit_and_refute_a_false_one(numbers, monkeypatch):
    holdout(numbers())
    before = left()
    monkeypatch.setattr(run_schemes.worker, "fit_units", None)  # nothing is fitted again
    holdout(numbers("loss_max=42.25", "intervals.E_val=betting"))
    assert before == left()
    with pytest.raises(UserError) as caught:
        holdout(numbers("loss_max=42"))
    losses, _ = saved_fits.read_fits(numbers())
    [split] = losses.design.splits("holdout")
    first = split.validation[losses.evidence["tree"].losses["holdout"][0] == 42.25][0]
    assert str(caught.value).startswith(f"loss_max is 42, but the squared loss of tree is 42.25 at row {first}; ")
    assert before == left()


def test_the_bound_of_the_selection_is_in_units_of_the_limit(numbers):
    settings = numbers("loss_max=50")
    losses = np.random.default_rng(1).uniform(0, 42, 12)
    results = Validation(read_design(settings), {"tree": Evidence({"holdout": [losses]})}, {})
    model = DecisionTreeRegressor().fit([[0.0]], [3.0])
    selection = SimpleNamespace(selected="tree", criterion="E_cv", rule="minimum", indistinguishable=("tree",))
    opening = open_test_set(settings, results, settings.candidates[0], Delivered(model, model, 60), None)
    delivered = Delivered(model, model, 60)
    found = describe(settings, results, selection, opening, ledger=Ledger(7), delivered=delivered, against={})
    unit = Tested(losses / 50, SQUARED, read_design(settings).seed)
    bounds = [50 * betting.upper_limit(unit, 0.05 / models) for models in (7, 1)]
    assert bounds == pytest.approx([found["bound"], found["bound_of_one"]], rel=1e-9)
    reach = 50 * np.sqrt(np.log(7 / 0.05) / 24)
    assert ("betting", pytest.approx(losses.mean() + reach)) == (found["bound_method"], found["bound_hoeffding"])


@pytest.mark.parametrize(("whose", "label"), [("tree", 6.0), ("baseline", 0.0)])
def test_a_loss_above_the_limit_on_the_test_set_is_refused(numbers, rows, whose, label):
    rows.assign(kind=np.where(rows["x"] > 0, 6.0, 6.5)).to_csv("rows.csv", index=False)
    changes = ("split.test_fraction=0.25", "intervals.E_test=betting")
    settings = numbers("loss_max=50", *changes)
    write_prepared(prepare(settings))
    X, y = files.read_table(files.TEST)
    fifth = np.arange(len(y)) == 4  # answered by 0, and labelled so where the winner is to be right
    X.assign(target=np.where(fifth, label, y)).to_parquet(files.TEST)
    model = DecisionTreeRegressor().fit(X, np.where(fifth, 0.0, y))
    of_test = (
        settings.candidates[0],
        Delivered(model, model, len(y)),
        UnusedRows(np.arange(len(files.read_target(files.TEST)))),
    )
    (estimate,) = open_test_set(settings, Validation(read_design(settings), {}, {}), *of_test).estimates
    assert ("betting", True) == (estimate.interval, estimate.value <= estimate.high < 50)
    settings = numbers("loss_max=12", *changes)
    with pytest.raises(UserError) as caught:
        open_test_set(settings, Validation(read_design(settings), {}, {}), *of_test)
    assert str(caught.value).startswith(f"loss_max is 12, but the squared loss of {whose} on the test set is 3")
    assert " at row 4; " in str(caught.value)
