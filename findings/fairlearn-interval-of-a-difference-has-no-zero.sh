#!/usr/bin/env bash
# fairlearn 0.15.0: the bootstrap interval of the difference between two groups that have the same accuracy.
#
# Expected: two groups of 500 rows, each with 400 right answers, differ by 0; a 95 % interval holds 0, and the ratio's 1.
# Seen: `MetricFrame(..., n_boot=200).difference_ci()` begins above 0, and `ratio_ci()` ends below 1: the estimate lies
# outside of its own interval. The difference is that of the largest and the smallest group, so that it is positive in
# nearly every resample, however alike the groups are; the quantiles of these are taken as they are.
# What it would do to a user: every model is "significantly" unfair, however alike its groups are.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'fairlearn==0.15.0' 'numpy==2.4.6' 'pandas==3.1.1' 'scikit-learn==1.9.1' 'scipy==1.17.1'
"$work/env/bin/python" -W ignore - <<'PY'
import fairlearn
import numpy as np
from fairlearn.metrics import MetricFrame
from sklearn.metrics import accuracy_score

group, y = np.repeat(["a", "b"], 500), np.tile([0, 1], 500)
answers = np.where(np.arange(1000) % 5 == 0, 1 - y, y)  # 100 errors in each group
frame = MetricFrame(
    metrics=accuracy_score, y_true=y, y_pred=answers, sensitive_features=group, n_boot=200, ci_quantiles=[0.025, 0.975], random_state=0
)
(low, high), (ratio_low, ratio_high) = frame.difference_ci(), frame.ratio_ci()
print(f"fairlearn {fairlearn.__version__}: difference {frame.difference()} in [{low:.4f}, {high:.4f}], ratio {frame.ratio()} in [{ratio_low:.4f}, {ratio_high:.4f}]")
assert frame.difference() == 0 and frame.ratio() == 1, "the behaviour has changed"
assert 0 < low < high and ratio_low < ratio_high < 1, "the behaviour has changed"
PY
