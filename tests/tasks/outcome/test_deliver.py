"""What is shipped: the same hypothesis as a fit of its own would give, made of the fits that there are."""

from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.learners import seeded
from heldout.notebook.result import Validation
from heldout.schemes import fit_state
from heldout.schemes.delivery import FORMS
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits.model_process import opened
from tasks.fits.worker import fit_all_labeled, fit_units
from tasks.outcome.deliver import compare_speed, deliver
from tasks.outcome.ledger import Ledger
from tasks.outcome.opening import open_test_set
from tasks.outcome.unused_rows import look
from tasks.plans.all_labeled import spec_of
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.storage import files, fit_cache, model_file

OPEN = "{name: open, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_features: 1, max_depth: 3}}"
PATH = (
    "{name: path, estimator: sklearn.linear_model.SGDClassifier, preprocess: sklearn.preprocessing.StandardScaler, "
    "family: {parameter: epochs, values: [1, 3]}}"
)
NEEDED = {
    "final": ["final"],
    "k_fold": ["final", "cross_validation"],
    "vote": ["final", "cross_validation"],
    "progressive": ["final", "progressive"],
}
every_form = pytest.mark.parametrize("form", NEEDED)
every_learner = pytest.mark.parametrize("candidate", [OPEN, PATH], ids=["open", "path"])


@pytest.fixture
def delivered(prepared):
    """A function that makes the fits of a form as workers do, delivers, and returns the files before and after."""

    def make(form, candidate=OPEN, *changes):
        settings = prepared(f"candidates=[{candidate}]", f"deliver={form}", "progressive.block=7", *changes)
        (winner,) = settings.candidates
        design, versions = read_design(settings), Versions.current()
        for name in NEEDED[form]:
            for one, units in plan_units(settings, scheme(design, name, form), versions):
                assert fit_units(settings, one, units, versions) is None
        before = stored()
        return deliver(settings, winner), winner, before

    return make


def stored() -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in fit_cache.FOLDER.rglob("*")}


def fitted(form, winner):
    """The same from the science alone, by a fit of its own."""
    X, y = files.read_table(files.LABELED)
    learner = winner.learner()
    if form == "progressive":
        return heldout.ProgressiveHypothesis(learner, tested_fraction=0.5, block=7).fit(X, y)
    return heldout.KFoldHypothesis(learner, folds=5, vote=form == "vote").fit(X, y)


def queries():
    """Rows of which every member gets some: those labelled, and others."""
    X, _ = files.read_table(files.LABELED)
    rng = np.random.default_rng(4)
    more = {name: rng.uniform(column.min() - 1, column.max() + 1, 300) for name, column in X.items()}
    return X, type(X)(more)


@pytest.mark.slow
@every_learner
@pytest.mark.parametrize("form", ["k_fold", "vote", "progressive"])
def test_the_whole_of_the_fits_there_are_is_the_one_that_a_fit_of_its_own_gives(delivered, form, candidate):
    found, winner, _ = delivered(form, candidate)
    expected = fitted(form, winner)
    whole = found.hypothesis
    assert type(expected) is type(whole)
    assert repr(expected) == repr(whole)
    assert expected.weights_.tolist() == whole.weights_.tolist()
    assert expected.classes_.tolist() == whole.classes_.tolist()
    assert expected.feature_names_in_.tolist() == whole.feature_names_in_.tolist()
    for X in queries():
        assert expected.draw(X).tolist() == whole.draw(X).tolist()
        assert expected.predict(X).tolist() == whole.predict(X).tolist()
        assert expected.predict_proba(X).tolist() == whole.predict_proba(X).tolist()
    assert len(expected.members_) == len({*whole.draw(queries()[1])})


@every_form
def test_no_fit_is_made_twice(delivered, form):
    _, _, before = delivered(form)
    assert before == stored()


@pytest.mark.slow
@every_form
@every_learner
def test_the_single_model_next_to_it_is_the_winner_trained_on_all_rows(delivered, form, candidate):
    found, winner, _ = delivered(form, candidate)
    X, y = files.read_table(files.LABELED)
    expected = seeded(winner.learner(), fit_state(0, "final", 0)).fit(X, y)
    for rows in queries():
        assert expected.predict(rows).tolist() == found.final.predict(rows).tolist()
    assert (form == "final") == (found.hypothesis is found.final)
    assert (form == "final") == (found.sizes()["bytes"] == found.sizes()["bytes_final"])


@every_learner
def test_g_is_trained_on_every_label_whatever_rows_the_estimates_use(
    delivered, rows, settings_of_rows, candidate, checkout
):
    rows.assign(heavy=np.arange(60) % 5 + 1).to_csv("rows.csv", index=False)
    heavy = "data.weight=heavy" if candidate == OPEN else "data.drop=[heavy]"  # a tuned estimator takes no weights
    changes = (f"candidates=[{candidate}]", heavy, "split.test_fraction=0.2")
    write_prepared(prepare(settings_of_rows(*changes)))
    every = delivered("final", candidate, *changes)[0]
    part = settings_of_rows(*changes, "split.rows=25")
    write_prepared(prepare(part))
    assert fit_all_labeled(part, part.candidates[0], str(spec_of(part, part.candidates[0]).key)) is None
    found = deliver(part, part.candidates[0])
    model_file.save(every.hypothesis, checkout / "every.skops")
    model_file.save(found.hypothesis, checkout / "part.skops")
    assert (checkout / "every.skops").read_bytes() == (checkout / "part.skops").read_bytes()
    labels = len(files.read_target(files.ALL_LABELED))
    assert (labels, 25) == (found.rows, len(read_design(part).y))
    assert every.rows == found.rows
    assert (candidate == PATH) == ("tuned" in found.tuned)
    results = Validation(read_design(part), {}, {})
    rows = look(part, part.candidates[0], Ledger(1), pytest.fail, asked=True)
    opening = open_test_set(part, results, part.candidates[0], found, rows)
    assert labels == opening.estimates[0].n_train


def test_the_rows_of_a_form_of_several_hypotheses_are_their_mean(delivered):
    assert [48, 48, 42] == [delivered(form)[0].rows for form in ("k_fold", "vote", "progressive")]


def test_a_whole_of_more_members_is_larger(delivered):
    for form in ("k_fold", "progressive"):
        sizes = delivered(form)[0].sizes()
        assert sizes["bytes"] > sizes["bytes_final"] > 0


def test_the_fits_that_were_removed_are_found_again_in_the_seeds(delivered, settings_of_rows):
    first = delivered("k_fold")[0].hypothesis.predict(queries()[1])
    for path in fit_cache.FOLDER.rglob("*"):
        if path.is_file():
            path.unlink()
    assert first.tolist() == delivered("k_fold")[0].hypothesis.predict(queries()[1]).tolist()


@every_form
def test_a_form_is_saved_in_the_same_bytes_and_loaded_as_it_was(delivered, form, checkout):
    found, _, _ = delivered(form)
    model_file.save(found.hypothesis, checkout / "one.skops")
    model_file.save(delivered(form)[0].hypothesis, checkout / "other.skops")
    assert (checkout / "one.skops").read_bytes() == (checkout / "other.skops").read_bytes()
    loaded = model_file.load(checkout / "one.skops")
    for X in queries():
        assert found.hypothesis.predict(X).tolist() == loaded.predict(X).tolist()


def test_leave_one_out_delivers_a_member_for_each_row(delivered, rows, settings_of_rows):
    write_prepared(prepare(settings_of_rows("split.folds=loo")))
    whole = delivered("k_fold", OPEN, "split.folds=loo")[0].hypothesis
    assert ([1 / 60] * 60, 60) == (whole.weights_.tolist(), len(whole.members_))


@pytest.mark.long
def test_speeds_are_those_of_both_and_none_where_they_are_one(delivered, prepared):
    found, winner, _ = delivered("k_fold")
    settings = prepared(f"candidates=[{OPEN}]", "deliver=k_fold")
    Path(".cache").mkdir(exist_ok=True)
    model_file.save(found.hypothesis, Path("model.skops"))
    with opened(Path("model.skops"), settings) as model:
        speed = compare_speed(settings, winner, model)
        assert speed.delivered > 0 < speed.final
        assert compare_speed(prepared(f"candidates=[{OPEN}]"), winner, model) is None


def test_every_form_says_which_estimate_is_about_it():
    assert {*NEEDED} == {*FORMS}
    assert "E_cv is about exactly this hypothesis" in FORMS["k_fold"].about
    assert "E_prog is about exactly this hypothesis" in FORMS["progressive"].about
    assert FORMS["vote"].about.startswith("E_test alone")
    assert FORMS["final"].about.startswith("E_test alone")
    assert len(FORMS) == len({form.target for form in FORMS.values()})
