"""All preprocessing is fitted inside each training part: planted features whose leak would show."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldout.fits.specs import hypothesis_key
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits.worker import fit_units
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import files, fit_cache
from tests.variants import some

SCHEMES = ("holdout", "final", "cross_validation", "progressive", "covalidation")
LAWS = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


PLANTED = """
from sklearn.preprocessing import TargetEncoder


class Planted(TargetEncoder):
    def __init__(self):
        super().__init__(smooth=1e-9, target_type="binary")

    def fit_transform(self, X, y):
        return self.fit(X, y).transform(X)
"""


def fitted(settings, name: str):
    """The hypothesis, if it is kept, the split and the losses of each fit of a scheme, as a worker leaves them."""
    own = scheme(read_design(settings), name, settings.deliver)
    ((candidate, units),) = units_of_scheme.plan_units(settings, own, Versions.current())
    assert fit_units(settings, candidate, units, Versions.current()) is None
    return [
        (
            fit_cache.store.load(hypothesis_key(unit.key)) if own.keep else None,
            split,
            fit_cache.store.load(unit.key).losses,
        )
        for unit, split in zip(units, own.splits, strict=True)
    ]


@pytest.mark.parametrize(
    "name",
    some((name for name in SCHEMES if name != "holdout"), "cross_validation"),  # of the hold-out g- is not kept
)
@LAWS
@given(seed=st.integers(0, 2**32))
def test_fitted_statistics_are_those_of_the_training_rows_in_every_split(checkout, settings_of_rows, name, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.standard_cauchy(40),
            "c": rng.choice([f"c{level}" for level in range(15)], 40),
            "t": [f"word{row} common" for row in range(40)],
            "kind": ["won", "lost"] * 20,
        }
    )
    frame.loc[rng.random(40) < 0.3, "x"] = None
    frame.to_csv("rows.csv", index=False)
    candidate = "candidates=[{name: a, estimator: sklearn.linear_model.LogisticRegression, preprocess: auto}]"
    own = settings_of_rows(candidate, f"deliver={'k_fold' if name == 'cross_validation' else 'progressive'}")
    write_prepared(prepare(own))
    X, _ = files.read_table(files.LABELED)
    for hypothesis, split, _ in fitted(own, name):
        train = X.iloc[split.train]
        parts = hypothesis[0].named_transformers_
        imputer, scaler = parts["numeric"]
        median = train["x"].median()
        assert median == imputer.statistics_[0]
        assert train["x"].fillna(median).mean() == pytest.approx(scaler.mean_[0], rel=1e-12)
        assert sorted(train["c"].unique()) == sorted(parts["category"][-1].categories_[0])
        words = {word for text in train["t"] for word in text.split()}
        assert words == set(parts["text"].vectorizers_[0].vocabulary_)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_transformer_that_looks_at_labels_gains_nothing_on_tested_rows(checkout, monkeypatch, settings_of_rows, name):
    """A category of its own for each pair of rows, and labels of coin throws: the mean label of a category tells the
    training rows' labels, and of a tested row's only if the row had been in the fit. Without a leak each loss is a
    coin throw: within 4 standard errors of one half."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"c": [f"c{row // 2}" for row in range(240)], "kind": rng.permutation(["won", "lost"] * 120)})
    frame.to_csv("rows.csv", index=False)
    Path("planted.py").write_text(PLANTED)
    monkeypatch.syspath_prepend(checkout)
    monkeypatch.delitem(sys.modules, "planted", raising=False)
    candidate = "candidates=[{name: a, estimator: sklearn.tree.DecisionTreeClassifier, preprocess: planted.Planted}]"
    allowed = "execution.allowed_modules=[sklearn, planted]"
    own = settings_of_rows(candidate, allowed, "data.columns.c=category", "split.stratify=false")
    write_prepared(prepare(own))
    losses = np.concatenate([losses for _, _, losses in fitted(own, name)])
    if name == "final":
        assert losses.mean() < 0.4  # tested on its training rows, it gains
    else:
        assert abs(losses.mean() - 0.5) < 4 * 0.5 / np.sqrt(min(len(losses), 240))
