"""update: partial_fit, with the real command: compared with its refit, and with a learner that is never refitted."""

import json

import pandas as pd
import pytest

from heldout.online import OnePass
from tasks.storage import model_file

pytestmark = pytest.mark.long
BAYES = {"estimator": "sklearn.naive_bayes.MultinomialNB"}
CANDIDATES = [
    {"name": "counts", **BAYES, "update": "partial_fit"},  # before its refit, which a tie does not go to
    {"name": "counts", **BAYES},
    {"name": "sgd", "estimator": "sklearn.linear_model.SGDClassifier", "update": "partial_fit"},
]


def test_sums_have_the_estimates_of_the_refit_and_every_target_says_which_is_updated(clone, server, write_params):
    checkout = clone(server)
    params = write_params(checkout.path / "params.yaml", candidates=CANDIDATES)
    said = checkout.flow("validate", "--params", params).stdout
    assert "sgd (one pass)" in said
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv").set_index(["candidate", "estimate"])
    refit, once = estimates.loc["counts"], estimates.loc["counts (one pass)"]
    numbers = ["value", "low", "high", "n_train", "n_tested"]
    shared = refit.index.intersection(once.index)
    assert {"E_in", "E_val", "E_cv", "E_prog", "E_2cv", "disagreement"} <= {*shared}
    pd.testing.assert_frame_equal(refit.loc[shared, numbers], once.loc[shared, numbers], rtol=1e-9, atol=1e-9)
    own = estimates[~estimates.index.get_level_values("estimate").isin(["E_bbc", "E_nested"])]
    updated = own["target"].str.contains("; updated once with each of its rows")
    assert own.index.get_level_values("candidate").str.endswith("(one pass)").tolist() == updated.tolist()
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    assert selection["selected"].endswith(" (one pass)")
    assert selection["deliver"]["target"] == estimates.loc[(selection["selected"], "E_test"), "target"]
    assert isinstance(model_file.load(checkout.path / "models/selected.skops"), OnePass)
    before = checkout.hashes()
    checkout.flow("fit", "--params", params, "--set", "execution.shortcuts=off")
    assert before == checkout.hashes()  # another protocol, and no shortcut of a fit
