#!/usr/bin/env bash
# MLstatkit 0.1.91: DeLong's test of two models with the same scores, or with the same AUC of 1.
#
# Expected: no difference, so a p-value of 1 (or an error that says that the variance is 0).
# Seen: p = 0.0 with z = 0.0. The variance of the difference is 0, the function falls back to a bootstrap whose
# replicates are all 0, and reports that none is as large as the difference of 0.
# What it would do to a user: a model is "significantly different" from a copy of itself.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'MLstatkit==0.1.91' 'numpy==2.4.6' 'scipy==1.17.1' 'scikit-learn==1.9.1'
"$work/env/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from MLstatkit import Delong_test

labels = np.repeat([0, 1], 30)
scores = np.r_[np.linspace(0, 0.4, 30), np.linspace(0.5, 0.9, 30)]
z, p = Delong_test(labels, scores, scores, random_state=0, return_ci=False, return_auc=False)[:2]
print(f"MLstatkit {version('MLstatkit')}: z = {z}, p = {p} for equal scores")
assert z == 0.0 and p == 0.0, "the behaviour has changed"
PY
