#!/usr/bin/env bash
# MLflow 3.17.2: the F1 of a classifier that never finds the class, by autolog and by mlflow.models.evaluate.
#
# Expected: one name is one number: of the same labels and answers `training_f1_score` and `f1_score` are equal, and 0.
# Seen: `mlflow.sklearn.autolog` logs averages over the classes by their size as training_f1_score, training_precision_score
# and training_recall_score: of a class of 5 % that is never answered .92, .90 and .95. `mlflow.models.evaluate`, and
# f1_score, precision_score and recall_score of scikit-learn, which have these names, are about class 1: 0, 0 and 0.
# What it would do to a user: runs are sorted by an F1 that is near 1 where a model finds no case, and next to a true one.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'mlflow==3.17.2' 'scikit-learn==1.9.1' 'numpy==2.4.6' 'pandas==3.1.1' 'scipy==1.17.1'
cd "$work"
export MLFLOW_DISABLE_TELEMETRY=true MLFLOW_TRACKING_URI="sqlite:///$work/mlflow.db"
"$work/env/bin/python" -W ignore - 2> "$work/log" <<'PY'
import mlflow
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

rng = np.random.default_rng(0)
X, y = rng.normal(size=(1000, 3)), (rng.random(1000) < 0.05).astype(int)
mlflow.sklearn.autolog(log_models=False)
with mlflow.start_run() as run:
    answers = LogisticRegression().fit(X, y).predict(X)
names = ("f1_score", "precision_score", "recall_score")
logged = mlflow.get_run(run.info.run_id).data.metrics
by_autolog = {name: round(logged[f"training_{name}"], 2) for name in names}
mlflow.sklearn.autolog(disable=True)
table = pd.DataFrame({"label": y, "answer": answers})
found = mlflow.models.evaluate(data=table, predictions="answer", targets="label", model_type="classifier").metrics
by_evaluate = {name: float(found[name]) for name in names}
print(f"mlflow {mlflow.__version__}: autolog {by_autolog}, evaluate {by_evaluate}, scikit-learn F1 {f1_score(y, answers)}")
assert by_autolog == {"f1_score": 0.92, "precision_score": 0.9, "recall_score": 0.95}, "the behaviour has changed"
assert by_evaluate == dict.fromkeys(names, 0.0) and f1_score(y, answers) == 0, "the behaviour has changed"
PY
