#!/usr/bin/env bash
# OpenBLAS 0.3 of scipy 1.17.1 and numpy 2.4.6: a logistic regression of scikit-learn 1.9.1 on two kinds of x86-64 processor.
#
# Expected: with the same wheels and the same rows, a fit without randomness differs by processor in the last digits.
# Seen: OpenBLAS chooses its kernels by the processor; OPENBLAS_CORETYPE sets them by hand, here those of 2013 (Haswell) and
# of 2011 (Sandybridge). Their sums differ in the last digit. On features that are not scaled the solver lbfgs then stops a
# thousand steps earlier or later, and half of the coefficients differ by more than 2 %. Both converged, and nothing warns.
# What it would do to a user: CI, a colleague and the cluster have other coefficients, with every seed and version pinned.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'scikit-learn==1.9.1' 'numpy==2.4.6' 'scipy==1.17.1'
cat > "$work/fit.py" <<'PY'
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

fitted = LogisticRegression(max_iter=10000).fit(*load_breast_cancer(return_X_y=True))
print(fitted.n_iter_[0], *fitted.coef_[0])
PY
for kernel in Haswell Sandybridge; do
    OPENBLAS_CORETYPE=$kernel OPENBLAS_NUM_THREADS=1 "$work/env/bin/python" -W error "$work/fit.py" > "$work/$kernel"
done
"$work/env/bin/python" - "$work/Haswell" "$work/Sandybridge" <<'PY'
import sys

import numpy as np

first, second = (np.loadtxt(path) for path in sys.argv[1:])
apart = np.abs(second[1:] / first[1:] - 1)
print(f"OpenBLAS: {first[0]:.0f} and {second[0]:.0f} steps; coefficients differ by {np.median(apart):.1%} (median), at most {apart.max():.1%}")
assert np.median(apart) > 0.005, "the behaviour has changed"
PY
