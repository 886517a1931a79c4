"""A result that was saved and loaded is equal, needs no model for what it says, and a stranger's file runs nothing."""

import io
import json
import pickle
import warnings
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, FitFailure
from heldout.notebook import saved_result
from heldout.notebook.opened_test_set import Opened
from heldout.notebook.tables import KINDS
from heldout.records import Difference, Estimate

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["bird", "cat", "dog"], object)[Y]
NUMBERS = load_diabetes(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=2)
TWO = {"bayes": GaussianNB(), "tree": TREE}
TREES = {f"tree {depth}": DecisionTreeClassifier(max_depth=depth) for depth in range(1, 5)}
LINE = {"line": LinearRegression()}


class Few(GaussianNB):
    """Fails on few rows, as those of half models and of first blocks."""

    def fit(self, X, y):
        if len(X) < 100:
            raise ValueError("too few rows")
        return super().fit(X, y)


class Never(GaussianNB):
    def fit(self, X, y):
        raise ValueError("never")


def twice_as_bad(y, answers):
    return 2.0 * (y != answers)


CASES = {
    "strings, unlabelled": (TWO, X[::2], NAMES[::2], {"unlabeled": X[1::2]}),
    "groups": (TWO, X, Y, {"groups": np.arange(150) // 3}),
    "time": (TWO, X[Y > 0], Y[Y > 0], {"time": np.random.default_rng(0).permutation(100), "unlabeled": X[Y == 0]}),
    "weights": (TWO, X, Y, {"sample_weight": np.linspace(1, 2, 150)}),
    "metrics of a set": (TWO, X[Y > 0], Y[Y > 0], {"further_estimates": ["E_auc", "E_f1"]}),
    "lacking and failed": ({**TWO, "few": Few(), "never": Never()}, X, Y, {"race": "off"}),
    "finalists": (TREES, X, Y, {"finalists": 2}),
    "numbers": (LINE, *NUMBERS, {"loss_max": 1e6}),
    "pinball": (LINE, *NUMBERS, {"loss": {"pinball": 0.2}}),
    "several labels": (LINE, NUMBERS[0], np.column_stack([NUMBERS[1], NUMBERS[1] ** 2]), {}),
    "costs": (TWO, X[Y > 0], Y[Y > 0], {"loss": {"cost": {1: {2: 3.0}, 2: {1: 1.0}}}}),
    "leave-one-out": (TWO, X, Y, {"folds": 150, "estimates": ["E_cv"]}),
    "margin, intervals": (TWO, X, NAMES, {"margin": 1, "intervals": {"E_val": "hoeffding"}}),
}


@cache  # results are read only
def made(name):
    candidates, rows, y, how = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return heldout.validate(candidates, rows, y, progress=False, **{"repeats": 3, "folds": 5, **how})


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A result, and the folder that it was saved to."""
    found = made("strings, unlabelled")
    return found, found.save(tmp_path_factory.mktemp("saved") / "result")


@pytest.mark.parametrize("name", CASES)
def test_what_is_loaded_is_equal_and_says_the_same(name, tmp_path):
    found = made(name)
    again = heldout.load(found.save(tmp_path / "result"))
    assert found == again
    assert (str(found), repr(found), found._repr_html_()) == (str(again), repr(again), again._repr_html_())
    assert (found.baseline, found.lacking, found.failed) == (again.baseline, again.lacking, again.failed)
    assert (found.warnings, found.candidates, found.dropped) == (again.warnings, again.candidates, again.dropped)
    assert all(np.array_equal(losses, again.losses()[name]) for name, losses in found.losses().items())
    assert ["result"] == [path.name for path in tmp_path.iterdir()]


def test_every_table_that_needs_no_model_is_the_same_and_a_saved_result_can_be_saved(plain, tmp_path):
    found, folder = plain
    again = heldout.load(heldout.load(folder).save(tmp_path / "again"))
    for kind in {*KINDS} - {"columns", "confusion", "costs", "hard_rows"}:
        for name in found:
            assert found.to_frame(kind, name).equals(again.to_frame(kind, name)), kind
    assert found.hard_rows().tolist() == again.hard_rows().tolist()
    assert (found.bound(models=9), found.skill("tree")) == (again.bound(models=9), again.skill("tree"))


def test_a_choice_and_an_opened_test_part_are_saved_too(plain, tmp_path):
    found, name = replace(plain[0], criterion="E_val", rule="one_standard_error"), "tree"
    apart = Difference(name, "baseline", -0.2, -0.3, -0.1)
    e_test, of_baseline = (Estimate(one, "E_test", 0.1, "g", 75, 20) for one in (name, "baseline"))
    _, _, answered = found._answered(name)
    opened = found.with_opened(Opened(e_test, of_baseline, apart, True, answered))
    again = heldout.load(opened.save(tmp_path / "result"))
    assert (opened.estimates, opened.baseline, opened.chosen) == (again.estimates, again.baseline, again.chosen)
    assert (opened.curves(name), opened.decide(), e_test) == (again.curves(name), again.decide(), again[name]["E_test"])


def test_losses_stay_on_the_disk_and_errors_take_a_byte_each(plain, tmp_path):
    found = made("numbers")
    losses = heldout.load(found.save(tmp_path / "result")).evidence["line"].losses["cross_validation"]
    assert isinstance(losses.values.base, np.memmap)
    _, folder = plain
    rows, repeats, models = 75, 3, 2
    errors = models * rows * (1 + 1 + 0.5 + 2 * repeats)  # in folds, of the final fit, in steps, by half models
    assert errors < (folder / "arrays.npy").stat().st_size < 8 * 4 * errors


def test_what_needs_models_says_what_to_do_and_they_are_fitted_again(plain):
    found, folder = plain
    again = heldout.load(folder)
    for asks in (lambda: again.target("tree", "E_cv"), again.columns, lambda: again.prediction_sets(X, "tree")):
        with pytest.raises(BadArgument, match=r"load\(folder, candidates=..., X=...\)"):
            asks()
    again = heldout.load(folder, candidates=TWO, X=X[::2])
    for expected, model in zip(found.target("tree", "E_cv"), again.target("tree", "E_cv"), strict=True):
        assert np.array_equal(expected.predict_proba(X), model.predict_proba(X))
    assert found.columns("tree") == again.columns("tree")
    assert np.array_equal(found.metric("accuracy").select().values, again.metric("accuracy").select().values)
    for wrong in (
        {"candidates": TWO},
        {"X": X[::2]},
        {"candidates": TWO, "X": X[1::2]},
        {"candidates": {}, "X": X[::2]},
    ):
        with pytest.raises(BadArgument):
            heldout.load(folder, **wrong)


def test_a_loss_that_is_a_function_comes_with_load(tmp_path):
    found = heldout.validate(TWO, X, Y, loss=twice_as_bad, estimates=["E_val", "E_cv"], progress=False)
    folder = found.save(tmp_path / "result")
    with pytest.raises(BadArgument, match="twice_as_bad"):
        heldout.load(folder)
    assert found == heldout.load(folder, loss=twice_as_bad)


def test_an_error_that_is_too_low_is_still_told_with_its_columns(tmp_path):
    told = heldout.validate({"tree": TREE}, np.column_stack([X, Y]), Y, estimates=["E_val", "E_cv"], progress=False)
    again = heldout.load(told.save(tmp_path / "result"))
    assert told.too_good() == again.too_good() != ()
    assert told.decide() == again.decide()


def test_nothing_is_replaced_unless_asked_and_nothing_half_written_is_there(plain, tmp_path, monkeypatch):
    found, _ = plain
    folder = found.save(tmp_path / "result")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        found.save(folder)
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(FileExistsError, match="no saved result"):
        found.save(other, overwrite=True)
    before = (folder / "validation.json").read_bytes()

    def breaks(*_, **__):
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(np, "save", breaks)
        for path in (folder, tmp_path / "new"):
            with pytest.raises(OSError, match="full"):
                found.save(path, overwrite=True)
    with monkeypatch.context() as patch:
        patch.setattr(saved_result.json, "dumps", breaks)
        with pytest.raises(OSError, match="full"):
            found.save(folder, overwrite=True)
    assert {"result", "other"} == {path.name for path in tmp_path.iterdir()}
    assert found == heldout.load(found.save(folder, overwrite=True))
    assert before == (folder / "validation.json").read_bytes()


def test_labels_of_several_types_are_refused():
    with pytest.raises(BadArgument, match="labels of several types"):
        saved_result.Writer(io.BytesIO()).of(np.array([1, "a", object()], object))


class Planted:
    """Code in a pickle, which leaves a file where it is run."""

    def __reduce__(self):
        return Path.touch, (Path("ran"),)


def changed(folder):
    """The JSON with one of its values changed."""
    whole = (folder / "validation.json").read_text()
    record = json.loads(whole)

    def places(value, way=()):
        yield way
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, of in items:
            yield from places(of, (*way, key))

    rng = np.random.default_rng(0)
    ways = [way for way in places(record) if way]
    for number in rng.choice(len(ways), 15, replace=False):
        for value in (
            None,
            -1,
            "x",
            [],
            {},
            {"array": 64},
            {"array": 10**30},
            {"array": "../1"},
            {"record": "Popen", "fields": {}},
        ):
            made = json.loads(whole)
            *way, last = ways[number]
            inner = made
            for key in way:
                inner = inner[key]
            inner[last] = value
            yield json.dumps(made)


def test_a_changed_file_is_an_error_or_another_result_and_runs_nothing(plain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, _ = plain
    folder = found.save(tmp_path / "result")
    whole = (folder / "validation.json").read_text()
    for number, text in enumerate([whole[:-9], "[" * 100_000, "", "[]", "{}", *changed(folder)]):
        (folder / "validation.json").write_text(text)
        try:
            read = heldout.load(folder)
        except BadArgument:
            continue
        assert number > 4
        if not number % 20:
            with suppress(FitFailure, AttributeError, IndexError, KeyError, TypeError, ValueError):
                str(read)
    (folder / "validation.json").write_text(whole)
    assert found == heldout.load(folder)
    arrays = folder / "arrays.npy"
    kept = arrays.read_bytes()
    np.save(arrays, np.array([Planted()], object), allow_pickle=True)
    planted = arrays.read_bytes()
    for content in (planted, planted + kept[len(planted) :], pickle.dumps(Planted()), kept[:-40], kept[:40], b""):
        arrays.write_bytes(content)
        with pytest.raises(BadArgument, match="damaged or changed"):
            heldout.load(folder)
    arrays.unlink()
    with pytest.raises(BadArgument, match="damaged or changed"):
        heldout.load(folder)
    assert not Path("ran").exists()


def test_another_format_and_a_folder_without_a_result_are_refused(plain, tmp_path):
    folder = plain[0].save(tmp_path / "result")
    record = json.loads((folder / "validation.json").read_text())
    (folder / "validation.json").write_text(json.dumps({**record, "format": saved_result.FORMAT + 1}))
    with pytest.raises(BadArgument, match="format 4, and this version of heldout reads 3"):
        heldout.load(folder)
    with pytest.raises(BadArgument, match="no result"):
        heldout.load(tmp_path)
