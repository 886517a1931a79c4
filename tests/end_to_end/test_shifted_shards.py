"""A regression whose shards are of another population: what is said of them is not said of the labelled rows."""

import html
import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def shifted(clone, server, write_params, tmp_path_factory):
    """A validation without a test set, and what it printed."""
    folder, rng = tmp_path_factory.mktemp("shifted"), np.random.default_rng(0)
    rows = load_diabetes(as_frame=True).data
    (folder / "shards").mkdir()
    for number in range(2):
        part = rows.iloc[rng.permutation(len(rows))[:100]]
        part.assign(bmi=4 * part["bmi"] + 0.3).to_csv(folder / f"shards/part-{number}.csv", index=False)
    kernel = {"kernel": "poly", "degree": 3}
    params = write_params(
        folder / "params.yaml",
        data={
            "source": "sklearn:diabetes",
            "positive": None,
            "labeled_rows": None,
            "unlabeled": str(folder / "shards"),
        },
        split={"test_fraction": 0},
        candidates=[
            {"name": "ridge", "estimator": "sklearn.linear_model.Ridge"},
            {"name": "poly", "estimator": "sklearn.kernel_ridge.KernelRidge", "params": kernel},
        ],
    )
    checkout = clone(server)
    return checkout, " ".join(checkout.flow("validate", "--params", params).stdout.split())


def test_the_disagreement_is_about_the_shards(shifted):
    checkout, said = shifted
    reason = json.loads((checkout.path / "reports/selection.json").read_text())["other_population"]
    assert reason.startswith("the unlabelled rows differ from the labelled rows: bmi lies outside of ")
    page = " ".join(html.unescape((checkout.path / "reports/report.html").read_text()).split())
    for text in (said, page):
        assert "about the shards' population and not about that of E_cv" in text
        assert "E_test alone is about it" not in text
        assert "no estimate is about exactly it, because no test set was opened" in text
