"""Each form of delivery: what is saved is what is registered and what was tested, wherever it is loaded."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import skops.io
import yaml

from heldout.schemes.delivery import FORMS

pytestmark = pytest.mark.long  # of a run of their own: families, nested, k_fold

ELSEWHERE = """
import json, sys
import mlflow, pandas
mlflow.set_tracking_uri("sqlite:///mlruns/mlflow.db")
model = mlflow.sklearn.load_model(f"models:/digits@{sys.argv[1]}")
print(json.dumps({
    "class": type(model).__name__,
    "answers": [model.predict(pandas.read_parquet(path)).tolist() for path in sys.argv[2:]],
    "heldout": sys.modules["heldout"].__file__ if "heldout" in sys.modules else None,
}))
"""
CLASSES = {
    "final": "Pipeline",  # the winner itself, a family behind its preprocessing
    "k_fold": "KFoldHypothesis",
    "vote": "KFoldHypothesis",
    "progressive": "ProgressiveHypothesis",
}


@pytest.fixture(
    scope="module",
    params=["k_fold", "final", "progressive", "vote"],
)
def delivered(request, rich, tmp_path_factory):
    """The form, the checkout in which it was delivered, and what was printed."""
    if request.param == "k_fold":
        return request.param, rich.checkout, rich.said
    checkout = rich.checkout.copy(tmp_path_factory.mktemp("copy") / "heldout")
    shutil.rmtree(checkout.path / "mlruns")  # which knows the test set as opened for another form
    return (
        request.param,
        checkout,
        checkout.flow(
            "validate",
            *("--params", rich.params, "--set", f"deliver={request.param}", "--set", "tracking.promote=always"),
            "--new-store",
        ).stdout,
    )


@pytest.fixture(scope="module")
def model(delivered):
    path = delivered[1].path / "models/selected.skops"
    return skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))


@pytest.fixture(scope="module")
def selection(delivered) -> dict:
    return json.loads((delivered[1].path / "reports/selection.json").read_text())


@pytest.fixture(scope="module")
def tables(delivered, tmp_path_factory) -> list:
    """Files of features alone: of the labelled rows, the test set and the shards."""
    folder, prepared = tmp_path_factory.mktemp("rows"), delivered[1].path / "data/prepared"
    paths = []
    for path in (prepared / "labeled.parquet", prepared / "test.parquet", *(prepared / "unlabeled").iterdir()):
        paths.append(folder / path.name)
        pd.read_parquet(path).drop(columns="target", errors="ignore").to_parquet(paths[-1])
    return paths


def test_the_registered_model_loads_outside_of_the_checkout_and_predicts_as_the_saved_one(
    delivered, model, selection, tables, tmp_path
):
    form, checkout, _ = delivered
    alias = "champion" if selection["verdict"] == "ship" else "challenger"
    shutil.copytree(checkout.path / "mlruns", tmp_path / "mlruns")  # a store elsewhere: no heldout/ next to it
    elsewhere = type(checkout)(tmp_path)
    found = json.loads(elsewhere.run("python", "-c", ELSEWHERE, alias, *map(str, tables)).stdout.splitlines()[-1])
    assert [model.predict(pd.read_parquet(path)).tolist() for path in tables] == found["answers"]
    assert CLASSES[form] == found["class"] == type(model).__name__
    if form != "final":  # the science's own classes came with the model
        assert str(tmp_path / "mlruns/artifacts") in found["heldout"]


def test_the_test_error_is_that_of_the_saved_hypothesis_and_says_so(delivered, model, selection):
    form, checkout, _ = delivered
    part = pd.read_parquet(checkout.path / "data/prepared/test.parquet")
    expected = np.mean(model.predict(part.drop(columns="target")) != part["target"])
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv")
    estimates = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    assert (expected, len(part)) == (
        pytest.approx(estimates.loc["E_test", "value"], abs=1e-9),
        estimates.loc["E_test", "n_tested"],
    )
    assert expected == pytest.approx(selection["E_test"], abs=1e-9)
    assert FORMS[form].target == estimates.loc["E_test", "target"] == selection["deliver"]["target"]
    assert form == selection["deliver"]["form"]


def test_the_print_tells_the_form_its_size_and_which_estimate_is_about_it(delivered, selection):
    form, _, said = delivered
    words = " ".join(said.split())
    assert f", of {FORMS[form].target}; the test set was opened for this model alone" in words
    assert f"delivered {FORMS[form].target}" in words
    assert FORMS[form].about in words
    sizes, other_form = selection["deliver"], form != "final"
    assert f"{sizes['bytes'] / 1024:.0f} KiB" in words
    assert other_form == (f"; the single model has {sizes['bytes_final'] / 1024:.0f} KiB)" in words)
    assert other_form == ("µs with the single model" in words)
    assert other_form == (sizes["bytes"] > sizes["bytes_final"])


def test_the_target_of_the_estimate_is_the_hypothesis_that_is_delivered(delivered, selection):
    form, checkout, _ = delivered
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv").set_index(["candidate", "estimate"])
    about = {"k_fold": "E_cv", "progressive": "E_prog"}.get(form)
    targets = {name: estimates.loc[(selection["selected"], name), "target"] for name in ("E_val", "E_cv", "E_prog")}
    assert {about} - {None} == {name for name, target in targets.items() if target == FORMS[form].target}


def test_dvc_delivers_the_same_bytes_and_another_form_prepares_nothing_again(clone, rich):
    checkout, ran = clone(), "Running stage "
    params = checkout.path / "params.yaml"
    shutil.copy(rich.params, params)
    checkout.run("dvc", "repro")
    assert rich.checkout.hashes() == checkout.hashes()
    assert "Data and pipelines are up to date." == checkout.run("dvc", "status").stdout.strip()
    params.write_text(yaml.safe_dump({**yaml.safe_load(params.read_text()), "deliver": "vote"}, sort_keys=False))
    said = checkout.run("dvc", "repro").stdout.splitlines()
    again = [line.removeprefix(ran).strip("':") for line in said if line.startswith(ran)]
    assert ["settings", "fit", "select", "report"] == again
