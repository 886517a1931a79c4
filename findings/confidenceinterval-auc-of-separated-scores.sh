#!/usr/bin/env bash
# confidenceinterval 1.0.5: the interval of an AUC of 1 on three rows of the rarer class, and of an accuracy-like score.
#
# Expected: 3 rows of a class that are ranked right show little; an interval of AUC must have a width, and none of a
# score in [0, 1] may pass 1.
# Seen: `roc_auc_score` (DeLong, its default) gives [1.0, 1.0] at 95 %, `method="bootstrap_bca"` [nan, nan]; and
# `f1_score`, whose default average is "micro" (so that it is the accuracy, .97, for a classifier that never finds
# the class, whose F1 is 0), has an upper limit of 1.0034.
# What it would do to a user: the least certain AUC is shown as the most certain.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'confidenceinterval==1.0.5'
"$work/env/bin/python" -W ignore - 2>/dev/null <<'PY'
from importlib.metadata import version

import confidenceinterval
import numpy as np

labels = np.array([0] * 97 + [1] * 3)
scores = np.r_[np.linspace(0, 0.5, 97), [0.9, 0.8, 0.7]]
auc, (low, high) = confidenceinterval.roc_auc_score(labels, scores)
_, of_bootstrap = confidenceinterval.roc_auc_score(labels, scores, method="bootstrap_bca")
f1, (_, f1_high) = confidenceinterval.f1_score(labels, np.zeros(100, int))
print(f"confidenceinterval {version('confidenceinterval')}: AUC {auc} [{low}, {high}], BCa {of_bootstrap}; F1 {f1}, {f1_high:.4f}")
assert auc == low == high == 1.0 and np.isnan(of_bootstrap).all(), "the behaviour has changed"
assert f1 == 0.97 and f1_high > 1, "the behaviour has changed"
PY
