"""One-parameter families: their paths as tables, from the final fit of each."""

import pytest

from heldout.fits.specs import hypothesis_key
from tasks.fits import saved_fits, tuned_paths
from tasks.fits.fit_results import Compared, Fitted
from tasks.fits.run_schemes import fit_all
from tasks.fits.worker import fit_units
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.storage import files, fit_cache

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
SGD = "estimator: sklearn.linear_model.SGDClassifier"
EPOCHS = f"{{name: epochs, {SGD}, family: {{parameter: epochs, values: [1, 2, 5]}}}}"
SCALED = (
    f"{{name: scaled, {SGD}, preprocess: sklearn.preprocessing.StandardScaler, "
    "family: {parameter: penalty, values: [l2, null]}}"
)
NAMES = ["holdout", "final"]


@pytest.fixture
def final(prepared):
    """A function that makes the fits of the hold-out as workers do; what was fitted on all rows, and its tables."""

    def make(*candidates):
        settings = prepared(f"candidates=[{', '.join(candidates)}]")
        for name in NAMES:
            own = scheme(read_design(settings), name, settings.deliver)
            for candidate, units in plan_units(settings, own, Versions.current()):
                assert fit_units(settings, candidate, units, Versions.current()) is None
        finished, _ = fit_all(settings, NAMES)
        return settings, finished["final"], tuned_paths.tables(settings, finished["final"])

    return make


def test_a_candidate_that_is_no_family_has_no_line(final):
    _, _, tables = final(BAYES)
    assert {"paths": 0, "families": 0} == {name: len(table) for name, table in tables.items()}
    assert ["candidate", "value", "E_in", "E_val"] == list(tables["paths"].columns)


def test_the_path_has_both_errors_at_every_value_in_order(final):
    _, finished, tables = final(BAYES, EPOCHS, SCALED)
    lines = list(tables["paths"].itertuples(index=False, name=None))
    expected = []
    for name in ("epochs", "scaled"):
        hypothesis = fit_cache.store.load(hypothesis_key(finished[name].keys[0]))
        path = (hypothesis if name == "epochs" else hypothesis[-1]).path_
        expected += [
            (name, str(value), training, tested)
            for value, training, tested in zip(path.values, path.training_errors, path.validation_errors, strict=True)
        ]
    assert expected == lines
    assert ["1", "2", "5", "l2", "None"] == tables["paths"]["value"].tolist()


def test_the_choice_is_the_least_error_and_the_corrected_one_stands_beside_it(final):
    _, _, tables = final(BAYES, EPOCHS, SCALED)
    paths, choices = tables["paths"], tables["families"].set_index("candidate")
    assert ["epochs", "scaled"] == list(choices.index)
    assert ["epochs", "penalty"] == choices["parameter"].tolist()
    for name, choice in choices.iterrows():
        own = paths[paths["candidate"] == name]
        assert own["E_val"].min() == choice["E_val"]
        assert own["value"].iloc[own["E_val"].to_numpy().argmin()] == choice["chosen"]
        assert choice["low"] <= choice["corrected"] <= choice["high"]
        assert choice["E_val"] < choice["bound"]
        assert (12, True) == (choice["validated_on"], choice["many"])  # a fifth of 60 rows


def test_a_family_that_failed_has_no_line(final):
    settings, finished, _ = final(BAYES, EPOCHS)
    tables = tuned_paths.tables(settings, {"bayes": finished["bayes"]})
    assert {"paths": 0, "families": 0} == {name: len(table) for name, table in tables.items()}


def test_the_tables_are_kept_with_the_results(final):
    settings, _, tables = final(BAYES, EPOCHS)
    finished, _ = fit_all(settings, NAMES)
    saved_fits.write(settings, Fitted(read_design(settings), finished), Compared())
    for name, table in tables.items():
        assert table.to_dict("records") == files.read_result(name).to_dict("records")
