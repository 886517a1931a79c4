"""Families, nested selection and what a winner's error is after it has won: from the parameters to every report."""

import html
import json
import sys

import pandas as pd
import pytest
from mlflow import MlflowClient

from heldout.learners import seeded
from heldout.schemes import fit_state
from tasks.params import load

pytestmark = pytest.mark.long  # of a run of their own: families, nested, k_fold

FAMILIES = ["penalty", "epochs"]


@pytest.fixture(scope="module")
def selection(rich) -> dict:
    return json.loads((rich.path / "reports/selection.json").read_text())


@pytest.fixture(scope="module")
def estimates(rich) -> pd.DataFrame:
    return pd.read_csv(rich.path / "reports/estimates.csv").set_index(["candidate", "estimate"])


@pytest.fixture(scope="module")
def words(rich) -> str:
    """What was printed, whatever the width of the terminal."""
    return " ".join(rich.said.split())


@pytest.fixture(scope="module")
def paths(rich) -> dict:
    """The path of each family, from a fit on all labelled rows as one would make it by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])  # `load` adds the folder of the parameters
        settings = load(rich.params)
    labeled = pd.read_parquet(rich.path / "data/prepared/labeled.parquet")
    found = {}
    for candidate in settings.candidates:
        if candidate.family is not None:
            learner = seeded(candidate.learner(), fit_state(settings.seed, "final", 0))
            fitted = learner.fit(labeled.drop(columns="target"), labeled["target"].to_numpy())
            found[candidate.name] = (fitted if candidate.preprocess is None else fitted[-1]).path_
    return found


@pytest.fixture(scope="module")
def runs(rich) -> dict:
    """MLflow's runs by name; the parent is called parent."""
    client = MlflowClient(f"sqlite:///{rich.path}/mlruns/mlflow.db")
    found = client.search_runs([client.get_experiment_by_name("heldout").experiment_id])
    return {run.info.run_name if "mlflow.parentRunId" in run.data.tags else "parent": run for run in found}


def test_a_family_is_one_candidate(selection, words, runs):
    assert ["bayes", "tree", *FAMILIES] == selection["candidates"]
    assert 4 == selection["contamination"]
    assert {"parent", *selection["candidates"]} == {*runs}
    assert "ever compared on these labels, 4 so far" in words


def test_the_path_of_each_family_is_drawn_and_kept_as_a_table(rich, paths):
    table = pd.read_csv(rich.path / "reports/plots/families.csv")
    assert ["candidate", "value", "E_in", "E_val"] == list(table.columns)
    assert FAMILIES == table["candidate"].unique().tolist()
    for name, path in paths.items():
        own = table[table["candidate"] == name]
        assert list(path.values) == own["value"].astype(float).tolist()
        assert path.training_errors.tolist() == pytest.approx(own["E_in"].tolist(), abs=1e-9)
        assert path.validation_errors.tolist() == pytest.approx(own["E_val"].tolist(), abs=1e-9)
    picture = (rich.path / "reports/plots/families.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert [picture] == [path.read_bytes() for path in (rich.path / "mlruns/artifacts").rglob("families.png")]
    assert 'id="families"' in (rich.path / "reports/report.html").read_text()


@pytest.mark.parametrize("name", FAMILIES)
def test_the_report_names_the_choice_its_optimistic_error_and_the_corrected_one(rich, words, paths, name):
    path = paths[name]
    parameter = {"penalty": "alpha", "epochs": "epochs"}[name]
    parts = [
        f"{parameter} = {path.chosen}, by validation on 24 of its training rows; the error there, "
        f"{100 * path.validation_errors.min():.1f} %, is optimistic; corrected it is {100 * path.corrected:.1f} %, ",
        f"at most {100 * path.bound:.1f} %",
        "Warning: one tuned degree of freedom is many for 24 rows",
    ]
    page = " ".join(html.unescape((rich.path / "reports/report.html").read_text()).split())
    for told, title in ((words, f"family {name} "), (page, f"<dt>family {name}</dt><dd>")):
        (_, said) = told.split(title)
        places = [said.find(part) for part in parts]
        assert 0 == places[0] < places[1] < places[2] < 800, said


def test_the_error_of_a_family_is_that_of_rows_which_no_choice_of_it_has_seen(rich, estimates, paths):
    validation = pd.read_parquet(rich.path / "data/prepared/partition.parquet")["validation"]
    assert {int(validation.sum())} == {*estimates.xs("E_val", level="estimate")["n_tested"]}
    losses = pd.read_parquet(rich.path / "data/results/losses.parquet")
    for name in FAMILIES:
        own = losses[(losses["candidate"] == name) & (losses["scheme"] == "holdout")]
        assert {*validation.index[validation]} == {*own["row"]}
        assert own["loss"].mean() == pytest.approx(estimates.loc[(name, "E_val"), "value"], abs=1e-9)


def test_a_child_run_holds_the_family_that_it_is(runs):
    for name, parameter, values in (("penalty", "alpha", "[100.0, 1.0, 0.01]"), ("epochs", "epochs", "[1, 2, 4]")):
        params = runs[name].data.params
        assert (parameter, values) == (params["family.parameter"], params["family.values"])


@pytest.mark.parametrize("name", ["E_bbc", "E_nested"])
def test_the_error_after_having_won_is_in_every_report(rich, words, selection, estimates, runs, name):
    ((winner, _),) = [place for place in estimates.index if place[1] == name]
    errors = estimates.xs("E_cv", level="estimate")["value"]
    assert errors[selection["candidates"]].idxmin() == winner == selection["selected"]
    value, low, high = estimates.loc[(winner, name), ["value", "low", "high"]]
    assert low <= value <= high
    for run in (runs["parent"], runs[winner]):
        assert value == pytest.approx(run.data.metrics[name], abs=1e-9)
    assert (low, high) == (runs[winner].data.metrics[f"{name}_low"], runs[winner].data.metrics[f"{name}_high"])
    assert f"{name} {100 * value:.1f} % [{100 * low:.1f}–{100 * high:.1f}] for {winner}: " in words
    page = html.unescape((rich.path / "reports/report.html").read_text())
    assert f"<dt>{name}</dt><dd>{100 * value:.1f} %" in page
    assert f'<th scope="row">{name}</th>' in page


def test_the_interval_that_was_named_is_the_one_that_is_claimed(rich, estimates):
    assert {"Clopper-Pearson"} == {*estimates.xs("E_val", level="estimate")["interval"]}
    assert "<em>named in params.yaml</em>" in (rich.path / "reports/report.html").read_text()
