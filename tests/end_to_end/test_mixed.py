"""A table of every kind of column, with gaps, through the real pipeline and again by plain scikit-learn, to 1e-9."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROWS, LABELLED, BLOCK = 240, 150, 15
WORDS = ["red", "green", "blue", "rain", "sun"]
COLOURS = ["amber", "beige", "cyan"]


def table(kind: str) -> pd.DataFrame:
    """Rows of which the last have no label; every column but the truth values has gaps."""
    rng = np.random.default_rng(7)
    size, colour = rng.normal(size=ROWS), rng.choice(COLOURS, ROWS)
    text = [" ".join(rng.choice(WORDS, 6)) + f" n{row}" for row in range(ROWS)]
    truth = size + (colour == "cyan") + rng.normal(size=ROWS) / 2
    target = {
        "binary": np.where(truth > 0, "yes", "no"),
        "classes": np.array(["low", "middle", "high"])[np.digitize(truth, [-0.4, 0.6])],
        "numbers": truth,
    }[kind]
    frame = pd.DataFrame(
        {
            "size": size,
            "count": rng.integers(0, 50, ROWS).astype(float),
            "old": rng.random(ROWS) < 0.4,
            "colour": colour,
            "when": (pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 3_000_000, ROWS), unit="s")).astype(
                str
            ),
            "text": text,
            "label": target,
        }
    )
    for name in ("size", "count", "colour", "when", "text"):
        frame.loc[rng.random(ROWS) < 0.1, name] = None
    frame.loc[ROWS - 40 :, "label"] = None
    return frame


def write_shards(folder: Path) -> Path:
    """Two good shards, with columns in another order and a new category, and one that lacks a column."""
    folder.mkdir()
    rows = table("classes").drop(columns="label").tail(90)
    rows[rows.columns[::-1]].head(40).to_csv(folder / "a.csv", index=False)
    rows.iloc[40:60].assign(colour="drab").to_csv(folder / "b.csv", index=False)
    rows.iloc[60:].drop(columns="when").to_csv(folder / "c.csv", index=False)
    return folder


def calendar(X: pd.DataFrame) -> np.ndarray:
    """What a person would take from a date."""
    when = X["when"]
    days = (when - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    return np.column_stack([days, when.dt.month, when.dt.day, when.dt.day_of_week, when.dt.hour]).astype(float)


def words(X: pd.DataFrame) -> np.ndarray:
    return X.fillna("").to_numpy()


def by_hand(learner, *, scaled: bool, ordinal: bool, most: int | None = None):
    """The preprocessing that `auto` stands for, column by column."""

    def numbers():
        imputer = SimpleImputer(strategy="median", add_indicator=True)
        return make_pipeline(imputer, StandardScaler()) if scaled else imputer

    encoder = (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
        if ordinal
        else OneHotEncoder(handle_unknown="ignore")
    )
    return make_pipeline(
        ColumnTransformer(
            [
                ("numbers", numbers(), ["size", "count"]),
                ("truths", FunctionTransformer(lambda X: X.to_numpy().astype(float)), ["old"]),
                ("colour", encoder, ["colour"]),
                ("when", make_pipeline(FunctionTransformer(calendar), numbers()), ["when"]),
                ("text", make_pipeline(FunctionTransformer(words), TfidfVectorizer(max_features=most)), "text"),
            ],
            sparse_threshold=0.3 if most is None else 0.0,  # a tree breaks ties in another way on a sparse matrix
        ),
        learner,
    )


LINEAR = {"scaled": True, "ordinal": False}
OF_CLASSES = {
    "bayes": (
        "sklearn.naive_bayes.GaussianNB",
        {},
        lambda: by_hand(GaussianNB(), scaled=False, ordinal=False, most=1000),
    ),
    "logistic": (
        "sklearn.linear_model.LogisticRegression",
        {"tol": 1e-10, "max_iter": 5000},
        lambda: by_hand(LogisticRegression(tol=1e-10, max_iter=5000), **LINEAR),
    ),
    "tree": (
        "sklearn.tree.DecisionTreeClassifier",
        {"random_state": 3, "max_depth": 3},
        lambda: by_hand(DecisionTreeClassifier(random_state=3, max_depth=3), scaled=False, ordinal=True),
    ),
}
OF_NUMBERS = {
    "ridge": (
        "sklearn.linear_model.Ridge",
        {"solver": "cholesky"},
        lambda: by_hand(Ridge(solver="cholesky"), **LINEAR, most=1000),
    ),
    "tree": (
        "sklearn.tree.DecisionTreeRegressor",
        {"random_state": 3, "max_depth": 3},
        lambda: by_hand(DecisionTreeRegressor(random_state=3, max_depth=3), scaled=False, ordinal=True),
    ),
}
LEARNERS = {"binary": OF_CLASSES, "classes": OF_CLASSES, "numbers": OF_NUMBERS}


@pytest.fixture(scope="module")
def ran(clone, server, write_params, tmp_path_factory):
    """A function that validates one kind of target, and returns the checkout and what was printed."""

    def run(kind: str) -> tuple[Path, str]:
        folder = tmp_path_factory.mktemp(kind)
        table(kind).to_csv(folder / "mixed.csv", index=False)
        candidates = [
            {"name": name, "estimator": path, "params": params, "preprocess": "auto"}
            for name, (path, params, _) in LEARNERS[kind].items()
        ]
        data = {"source": str(folder / "mixed.csv"), "target": "label", "positive": None}
        if kind == "classes":  # with shards of one's own, one of them bad
            data |= {"unlabeled": str(write_shards(folder / "shards")), "on_bad_shard": "skip"}
        params = write_params(
            folder / "params.yaml",
            data={**data, "labeled_rows": LABELLED},
            progressive={"block": BLOCK},
            candidates=candidates,
        )
        checkout = clone(server)
        return checkout.path, checkout.flow("validate", "--params", params).stdout

    return run


@pytest.mark.long  # three validations
@pytest.mark.parametrize("kind", LEARNERS)
def test_every_mean_of_a_mixed_table_is_that_of_a_plain_loop(ran, kind):
    path, printed = ran(kind)
    labeled = pd.read_parquet(path / "data/prepared/labeled.parquet")
    assert LABELLED == len(labeled)
    X, y = labeled.drop(columns="target"), labeled["target"].to_numpy()
    partition = pd.read_parquet(path / "data/prepared/partition.parquet").set_index("row").sort_index()
    halves = pd.read_parquet(path / "data/prepared/halves.parquet").pivot(index="repeat", columns="row", values="half")
    shards = [pd.read_parquet(found) for found in sorted((path / "data/prepared/unlabeled").glob("*.parquet"))]
    unlabeled = pd.concat(shards)
    estimates = pd.read_csv(path / "reports/estimates.csv").set_index(["candidate", "estimate"])["value"]
    expected = {
        (name, estimate): value
        for name, (_, _, learner) in LEARNERS[kind].items()
        for estimate, value in means(learner, X, y, partition, halves.to_numpy(), unlabeled).items()
    }
    assert expected == pytest.approx({place: estimates[place] for place in expected}, abs=1e-9)
    if kind == "classes":
        assert [40, 20] == [len(shard) for shard in shards]
        page = (path / "reports/report.html").read_text()
        for said in (page, " ".join(printed.split())):
            assert "1 of 3, 30 rows lost" in said
            assert "unlabelled rows (" in said
        assert "has categories that no labelled row has in 100.0 % of the rows" in page.replace("&#39;", "'")


def means(learner, X, y, partition, halves, unlabeled) -> dict[str, float]:
    """The means of the method, as one would write them by hand."""
    validation, fold, step = (partition[name].to_numpy() for name in ("validation", "fold", "step"))

    def fit(train):
        return learner().fit(X.iloc[train], y[train])

    def apart(one, other):
        return (one - other) ** 2 if y.dtype.kind == "f" else (one != other).astype(float)

    def losses(hypothesis, rows):
        return apart(hypothesis.predict(X.iloc[rows]), y[rows])

    everything = np.arange(len(y))
    folds = [losses(fit(np.flatnonzero(fold != k)), np.flatnonzero(fold == k)) for k in np.unique(fold)]
    steps = [
        losses(fit(np.flatnonzero(step < first)), np.flatnonzero((first <= step) & (step < first + BLOCK)))
        for first in range(0, step.max() + 1, BLOCK)
    ]
    tested, trained, disagreement = [], [], []
    for half in halves:
        pair = [fit(np.flatnonzero(half == side)) for side in (0, 1)]
        tested += [losses(pair[side], np.flatnonzero(half != side)) for side in (0, 1)]
        trained += [losses(pair[side], np.flatnonzero(half == side)).mean() for side in (0, 1)]
        disagreement.append(apart(pair[0].predict(unlabeled), pair[1].predict(unlabeled)).mean())
    return {
        "E_in": losses(fit(everything), everything).mean(),
        "E_val": losses(fit(np.flatnonzero(~validation)), np.flatnonzero(validation)).mean(),
        "E_cv": np.concatenate(folds).mean(),
        "E_prog": np.concatenate(steps).mean(),
        "E_2cv": np.concatenate(tested).mean(),
        "E_train": np.mean(trained),
        "disagreement": np.mean(disagreement),
    }
