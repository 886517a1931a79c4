"""A loss of the user's own module in the whole run, through DVC: the numbers of the same loss of the registry."""

import shutil

import pandas as pd
import pytest

MODULE = """
import numpy as np


def costly(y, answers):
    return np.where(y == answers, 0.0, np.where(y == "yes", 5.0, 1.0))
"""
COSTS = {"cost": {"yes": {"no": 5, "yes": 0}, "no": {"yes": 1, "no": 0}}}


@pytest.mark.long
def test_dvc_repro_by_a_function_gives_the_numbers_of_the_registry(clone, server, write_params):
    checkout = clone(server)
    rows = pd.DataFrame({"x": [(7 * n) % 31 for n in range(150)], "y": ["yes" if n % 3 else "no" for n in range(150)]})
    rows.to_csv(checkout.path / "rows.csv", index=False)
    (checkout.path / "own_losses.py").write_text(MODULE)
    data = {"source": "rows.csv", "target": "y", "positive": None, "labeled_rows": None}
    learners = {"bayes": "sklearn.naive_bayes.GaussianNB", "tree": "sklearn.tree.DecisionTreeClassifier"}
    how = {
        "data": data,
        "split": {"folds": 3},
        "candidates": [{"name": name, "estimator": path} for name, path in learners.items()],
        "execution": {"allowed_modules": ["sklearn", "own_losses"]},
    }
    found = {}
    for name, loss in {"own": {"function": "own_losses.costly"}, "registry": COSTS}.items():
        params = write_params(checkout.path / f"{name}.yaml", loss=loss, **how)
        shutil.copy(params, checkout.path / "params.yaml")
        checkout.run("dvc", "repro")
        found[name] = pd.read_csv(checkout.path / "reports/estimates.csv")
    values = {name: table.loc[table["estimate"].isin(["E_cv", "E_val", "E_prog"])] for name, table in found.items()}
    assert values["own"]["value"].tolist() == pytest.approx(values["registry"]["value"].tolist(), abs=1e-12)
    assert {"E_cv", "E_val", "E_prog"} == {*values["own"]["estimate"]}
