#!/usr/bin/env bash
# catboost 1.2.10: `cv(..., early_stopping_rounds=3)`, and the means over folds that it returns for each round.
#
# Expected: the mean of a round is over models that have as many rounds, or cv stops for all folds at the round whose mean is
# best, as `cv` of XGBoost and LightGBM does.
# Seen: each fold stops by itself, and the lines after that repeat its last value, which is 3 rounds past its best. The last
# line is the mean of models with unlike many trees; no line says how many folds were still there.
# What it would do to a user: the best line is taken for the number of rounds to train with, and its mean is of no such model.
# With all rounds of all folds the same line is another number.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'catboost==1.2.10' 'scikit-learn==1.9.1' 'numpy==2.4.6' 'pandas==3.1.1'
cd "$work"
"$work/env/bin/python" -W ignore - <<'PY'
import numpy as np
import catboost
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold

X, y = (values[50:] for values in load_iris(return_X_y=True))
y, folds = y - 1, [*KFold(5, shuffle=True, random_state=0).split(X)]
params = {
    "loss_function": "Logloss", "iterations": 30, "learning_rate": 0.3, "random_seed": 0, "thread_count": 1,
    "logging_level": "Silent", "allow_writing_files": False,
}


def cv(**more):
    table, models = catboost.cv(catboost.Pool(X, y), params, folds=folds, return_models=True, **more)
    means = table["test-Logloss-mean"].to_numpy()
    return means, models


means, models = cv(early_stopping_rounds=3)
whole, _ = cv()
trees = [one.tree_count_ for one in models]
of_models = [log_loss(y[test], one.predict(X[test], prediction_type="Probability")) for one, (_, test) in zip(models, folds)]
print(f"catboost {catboost.__version__}: {len(means)} rounds in the table, {trees} trees in the models of the folds")
print(f"log loss of the last line {means[-1]:.4f}, the mean of these models {np.mean(of_models):.4f}; without stopping {whole[-1]:.4f}")
assert len(means) == max(trees) and len({*trees}) > 1, "the behaviour has changed"
assert abs(means[-1] - np.mean(of_models)) < 1e-6 and abs(means[-1] - whole[-1]) > 1e-3, "the behaviour has changed"
PY
