"""Label-next with the real commands: rows are asked, labelled, returned and weighed; no other file is written."""

import numpy as np
import pandas as pd
import pytest

from heldout.unlabelled.label_next import lure_weights

LABELLED, POOL, ASKED = 120, 200, 30


def population(rng, n):
    x = rng.normal(size=(n, 2))
    label = np.where(x[:, 0] + 0.4 * rng.normal(size=n) > 0, "won", "lost")
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "note": rng.choice(["=1+1", "plain"], n), "label": label})


@pytest.mark.long
def test_rows_are_asked_labelled_and_weighed_and_then_others_are_asked(clone, server, write_params, tmp_path):
    checkout, rng = clone(server), np.random.default_rng(0)
    known, pool = population(rng, LABELLED), population(rng, POOL)
    raw = checkout.path / "data/raw"
    known.to_csv(raw / "known.csv", index=False)
    pool.drop(columns="label").to_csv(raw / "march.csv", index=False)
    data = {"source": "data/raw/known.csv", "target": "label", "positive": None, "labeled_rows": None}
    data["unlabeled"] = "data/raw/march.csv"
    candidates = [
        {"name": "neighbours", "estimator": "sklearn.neighbors.KNeighborsClassifier", "preprocess": "auto"},
        {"name": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "preprocess": "auto"},
    ]
    changes = {"candidates": candidates, "selection": {"criterion": None}}
    params = write_params(tmp_path / "params.yaml", data=data, **changes)
    early = checkout.flow("label-next", 3, "--params", params, check=False)
    assert (2, 1) == (early.returncode, early.stderr.count("\n"))  # nothing was validated
    checkout.flow("validate", "--params", params)
    before = checkout.hashes()
    for output in ("../out.csv", "/srv/label-next.csv"):
        refused = checkout.flow("label-next", 3, "--params", params, "--output", output, check=False)
        assert (2, 1) == (refused.returncode, refused.stderr.count("error: --output is "))
    said = checkout.flow("label-next", ASKED, "--params", params, "--output", "labels/one.csv").stdout
    assert f"drawn     {ASKED} of {POOL} unlabelled rows" in said
    checkout.flow("label-next", ASKED, "--params", params)
    assert before == {name: found for name, found in checkout.hashes().items() if not name.endswith("label_next.csv")}
    one = checkout.path / "labels/one.csv"
    assert one.read_bytes() == (checkout.path / "reports/label_next.csv").read_bytes()  # the same call
    assert "=1+1" not in one.read_text().replace("'=1+1", "")

    asked = pd.read_csv(one)
    rows = asked["label_id"].str.removeprefix("march:").astype(int)
    assert pool["a"][rows].tolist() == pytest.approx(asked["a"].tolist(), rel=1e-15)
    drawn = asked.filter(like="label_").join(pool.loc[rows].reset_index(drop=True))
    pd.concat([known, drawn], ignore_index=True).to_csv(raw / "known.csv", index=False)
    data |= {"sampling": "active", "label_probability": "label_probability"}
    params = write_params(tmp_path / "params.yaml", data=data, **changes)
    printed = checkout.flow("validate", "--params", params).stdout
    assert "by minimum of E_cv" in printed
    assert "rows that label-next drew count by label_probability" in " ".join(printed.split())
    labeled, roles, losses = (
        pd.read_parquet(checkout.path / "data" / name)
        for name in ("prepared/labeled.parquet", "prepared/roles.parquet", "results/losses.parquet")
    )
    weights = dict(zip(drawn["a"], lure_weights(asked["label_probability"], asked["label_pool"]), strict=True))
    expected = [weights.get(a, 1.0) for a in labeled["a"]]
    assert roles["weight"].tolist() == pytest.approx(expected, rel=1e-12)
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv").set_index(["candidate", "estimate"])["value"]
    of_folds = losses[losses["scheme"] == "cross_validation"]
    for name, some in of_folds.groupby("candidate"):
        assert {0.0, 1.0} >= {*some["loss"]}
        assert some["weight"].tolist() == pytest.approx([expected[row] for row in some["row"]], rel=1e-12)
        error = np.average(some["loss"], weights=some["weight"])
        assert error == pytest.approx(estimates[name, "E_cv"], rel=1e-9)
    assert {"E_cv", "E_maxdt"} <= {estimate for _, estimate in estimates.index}
    checkout.flow("label-next", 50, "--params", params, "--output", "labels/two.csv")
    two = pd.read_csv(checkout.path / "labels/two.csv")
    assert not {*asked["label_id"]} & {*two["label_id"]}
    assert [ASKED + 1, ASKED + 50] == two["label_order"].iloc[[0, -1]].tolist()
