#!/usr/bin/env bash
# mlxtend 0.25.0: McNemar's test of a model against itself.
#
# Expected: two models that agree on every row cannot be told apart, so the p-value is 1.
# Seen: `mcnemar(exact=False)`, the default form with the continuity correction, returns chi-squared = inf and p = 0.0,
# "different" at every level, with no more than numpy's warning of a division by zero. With exact=True, p is 1.0.
# What it would do to a user: of two candidates whose answers are equal, one is "significantly better".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'mlxtend==0.25.0' 'numpy==2.4.6' 'scipy==1.17.1' 'scikit-learn==1.9.1' 'pandas==3.1.1'
"$work/env/bin/python" -W ignore - <<'PY'
import mlxtend
import numpy as np
from mlxtend.evaluate import mcnemar, mcnemar_table

y = np.array([0, 1] * 50)
answers = np.where(np.arange(100) % 5 == 0, 1 - y, y)  # 20 errors of 100
table = mcnemar_table(y, answers, answers)
chi2, p = mcnemar(table)
_, exact = mcnemar(table, exact=True)
print(f"mlxtend {mlxtend.__version__}: chi2 = {chi2}, p = {p}; exact: p = {exact}")
assert np.isinf(chi2) and p == 0.0 and exact == 1.0, "the behaviour has changed"
PY
