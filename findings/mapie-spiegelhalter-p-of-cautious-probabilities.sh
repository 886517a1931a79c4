#!/usr/bin/env bash
# MAPIE 1.6.0: the p-value of Spiegelhalter's test of probabilities that are too close to 1/2.
#
# Expected: the test is of calibration: probabilities that are far off, in either direction, have a small p-value.
# Seen: `spiegelhalter_p_value` is the upper tail of z alone. Answers of .4 and .6 where the rates are .1 and .9 have
# z = -12.2 and p = 1.0, "perfectly calibrated"; answers of .01 and .99 have p = 0. Kolmogorov and Smirnov's test in the
# same module finds the first too (p < .001). Spiegelhalter (1986) compares z with both tails.
# What it would do to a user: a forest, which answers too cautiously, passes the check of calibration with full marks.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'mapie==1.6.0' 'numpy==2.4.6' 'scipy==1.17.1' 'scikit-learn==1.9.1'
"$work/env/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from mapie.metrics import calibration

labels = np.r_[np.arange(200) < 20, np.arange(200) < 180].astype(int)  # rates of .1 and .9
cautious, bold = np.repeat([0.4, 0.6], 200), np.repeat([0.01, 0.99], 200)
z = calibration.spiegelhalter_statistic(labels, cautious)
p, of_bold = (calibration.spiegelhalter_p_value(labels, answers) for answers in (cautious, bold))
ks = calibration.kolmogorov_smirnov_p_value(labels, cautious)
print(f"MAPIE {version('mapie')}: cautious z = {z:.2f}, p = {p:.4f} (Kolmogorov-Smirnov {ks:.2g}); bold p = {of_bold:.2g}")
assert z < -12 and p > 0.999 and ks < 0.001 and of_bold < 0.001, "the behaviour has changed"
PY
