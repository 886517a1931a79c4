#!/usr/bin/env bash
# CatBoost 1.2.10: F1, precision and accuracy on test rows, as a classifier with class weights reports them.
#
# Expected: weights of classes are about the fit; the F1 on rows that have no weights is that of its answers.
# Seen: with `auto_class_weights="Balanced"` (or class_weights) every row of the evaluation set has the weight of its
# class too. By eval_metric="F1" and "Precision", evals_result_ and best_score_ say F1 .72 where the
# answers about a class of 6 % have .27, and precision .74 where they have .16. `score()` has no weights, and
# "F1:use_weights=false" is the metric of the answers.
# What it would do to a user: a model for a rare class is reported as more than twice as good as it is.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'catboost==1.2.10' 'numpy==2.4.6' 'pandas==3.1.1' 'scikit-learn==1.9.1' 'scipy==1.17.1'
cd "$work" # catboost_info is written here
"$work/env/bin/python" -W ignore - <<'PY'
import catboost
import numpy as np
from sklearn.metrics import f1_score, precision_score

rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 4))
y = (X[:, 0] + rng.normal(size=4000) > 2.2).astype(int)
train, test = slice(0, 2000), slice(2000, 4000)
shown = {}
for metric in ("F1", "Precision"):
    model = catboost.CatBoostClassifier(
        iterations=50, auto_class_weights="Balanced", eval_metric=metric, random_seed=0,
        thread_count=1, verbose=False, allow_writing_files=False, use_best_model=False,
    ).fit(X[train], y[train], eval_set=(X[test], y[test]))
    shown[metric] = model.evals_result_["validation"][metric][-1]
answers = model.predict(X[test])
plain = model.eval_metrics(catboost.Pool(X[test], y[test]), "F1:use_weights=false")["F1:use_weights=false"][-1]
f1, precision = f1_score(y[test], answers), precision_score(y[test], answers)
weight = np.bincount(y[train]).max() / np.bincount(y[train])
weighted = f1_score(y[test], answers, sample_weight=weight[y[test]])
print(f"catboost {catboost.__version__}: {shown}; of the answers F1 {f1:.4f} (weighted {weighted:.4f}), precision {precision:.4f}")
assert shown["F1"] - f1 > 0.3 and shown["Precision"] - precision > 0.5, "the behaviour has changed"
assert abs(shown["F1"] - weighted) < 1e-4 and abs(plain - f1) < 1e-6, "the behaviour has changed"
PY
