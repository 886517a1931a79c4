#!/usr/bin/env bash
# scikit-learn 1.9.1: a TargetEncoder in a pipeline whose every `random_state` was set.
#
# Expected: who sets each parameter called random_state that is None, as the glossary has it, can repeat a fit.
# Seen: since 1.9 `TargetEncoder.random_state` and `shuffle` hold the text "deprecated", so that the usual walk over
# get_params finds nothing to set, while the encoder still shuffles the rows into its five folds by numpy's global
# generator: two fits of one pipeline on one table differ. No warning is given. A splitter with a state, as `cv`, repeats.
# What it would do to a user: two runs of one script with one seed have two errors, from 1.9 on.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'scikit-learn==1.9.1' 'numpy==2.4.6' 'scipy==1.17.1'
"$work/env/bin/python" -W error - <<'PY'
import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder

rng = np.random.default_rng(0)
X, y = rng.integers(0, 20, size=(200, 3)).astype(str), rng.integers(0, 2, 200)


def repeats(encoder):
    pipeline = make_pipeline(encoder, RandomForestClassifier(10))
    open_states = {name: 0 for name, value in pipeline.get_params().items() if name.endswith("random_state") and value is None}
    pipeline.set_params(**open_states)
    first, second = (clone(pipeline).fit(X, y).predict_proba(X) for _ in range(2))
    return sorted(open_states), bool(np.array_equal(first, second))


found = repeats(TargetEncoder())
with_splitter = repeats(TargetEncoder(cv=StratifiedKFold(5, shuffle=True, random_state=0)))
print(f"scikit-learn {sklearn.__version__}: states that were open {found[0]}, two fits equal: {found[1]}, with a splitter: {with_splitter[1]}")
assert found == (["randomforestclassifier__random_state"], False) and with_splitter[1], "the behaviour has changed"
PY
