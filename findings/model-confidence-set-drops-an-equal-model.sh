#!/usr/bin/env bash
# model-confidence-set 0.1.3: the confidence set of three models, two of which have equal losses in every row.
#
# Expected: models with equal losses are all in the set, or all outside of it.
# Seen: one of the two is excluded with p = 0.0 and the other is the only one included, with p = 1.0. The difference of
# equal models has a bootstrap variance of 0, so that their statistic is 0 / 0; the NaN is taken for a rejection, and
# numpy's warning is all that is said. Without the copy the same model is included.
# What it would do to a user: a candidate that is listed twice, or two settings that make no difference, are told apart.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'model-confidence-set==0.1.3' 'numpy==2.4.6' 'pandas==3.1.1'
"$work/env/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from model_confidence_set import ModelConfidenceSet

rng = np.random.default_rng(0)
first, other = (rng.random(100) < 0.3).astype(float), (rng.random(100) < 0.5).astype(float)
status = {}
for name, losses in {"two": np.c_[first, other], "with a copy": np.c_[first, first, other]}.items():
    found = ModelConfidenceSet(losses, n_boot=1000, alpha=0.05)
    found.compute()
    status[name] = found.results()["status"].sort_index().tolist()
print(f"model-confidence-set {version('model-confidence-set')}: {status}")
assert status["two"][0] == "included", "the behaviour has changed"
assert sorted(status["with a copy"][:2]) == ["excluded", "included"], "the behaviour has changed"
PY
