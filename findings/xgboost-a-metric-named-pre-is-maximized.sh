#!/usr/bin/env bash
# XGBoost 3.2.0: early stopping by an error of one's own, whose name begins with "pre", "map", "auc" or "ndcg".
#
# Expected: the name of a custom metric is a label; a metric that is not said to be maximized is minimized.
# Seen: `xgboost.cv` and `train` with early_stopping_rounds look at the first letters of the name alone: one and the same
# error stops at the best round when it is called "error_of_premium", and as "premium_error" it counts as better the
# higher it is: the first round, which is the worst, is kept. No warning is given; `maximize=False` prevents it.
# What it would do to a user: a model of one tree, with twice the error, because of what its error is called.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'xgboost-cpu==3.2.0' 'numpy==2.4.6' 'scipy==1.17.1' 'pandas==3.1.1' 'scikit-learn==1.9.1'
"$work/env/bin/python" -W ignore - <<'PY'
import numpy as np
import xgboost

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 5))
data = xgboost.DMatrix(X, 2 * X[:, 0] + rng.normal(size=400))
SETTINGS = {"max_depth": 2, "eta": 0.1, "seed": 0, "nthread": 1, "disable_default_eval_metric": 1}


def validated(name, **more):
    def absolute_error(answers, of):
        return name, float(np.abs(answers - of.get_label()).mean())

    rounds = xgboost.cv(SETTINGS, data, 200, nfold=5, seed=0, early_stopping_rounds=10, custom_metric=absolute_error, **more)
    return len(rounds), round(float(rounds[f"test-{name}-mean"].iloc[-1]), 3)


found = {name: validated(name) for name in ("error_of_premium", "premium_error")}
told = validated("premium_error", maximize=False)
print(f"xgboost {xgboost.__version__}: rounds and error {found}; premium_error with maximize=False {told}")
assert found["premium_error"][0] == 1 and found["error_of_premium"][0] > 20, "the behaviour has changed"
assert found["premium_error"][1] > 1.5 * found["error_of_premium"][1] and told == found["error_of_premium"], "the behaviour has changed"
PY
