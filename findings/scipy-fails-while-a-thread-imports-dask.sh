#!/usr/bin/env bash
# SciPy 1.17.1 with Dask 2026.8.0: a test of SciPy's while another thread of the process imports dask.array.
#
# Expected: an import in the background, as a program makes it to be ready sooner, changes no result elsewhere.
# Seen: scipy.stats.wilcoxon raises AttributeError, "partially initialized module 'dask.array' has no attribute 'Array'".
# SciPy asks whether an array is Dask's by a look into sys.modules, where the half imported module is already. skops.io
# and other importers of scikit-learn's array_api_compat import dask.array wherever Dask is installed.
# What it would do to a user: a program that imports skops in a thread fails now and then, in code that has no Dask.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'scipy==1.17.1' 'numpy==2.4.6' 'dask[array]==2026.8.0'
cat >"$work/both.py" <<'PY'
import importlib
import sys
import threading

import numpy as np
from scipy.stats import wilcoxon

differences = np.array([1.0, -2.0, 0.0, 3.0, 4.0, -0.5])
thread = threading.Thread(target=importlib.import_module, args=("dask.array",))
thread.start()
while thread.is_alive():
    if "dask.array" in sys.modules:  # the first question about a type is the one that counts: SciPy keeps the answers
        try:
            wilcoxon(differences, alternative="greater")
        except AttributeError as error:
            print(error)
            sys.stdout.flush()
            thread.join()
            sys.exit(3)
        break
PY
failed=0
for _ in 1 2 3 4 5; do
  "$work/env/bin/python" -W ignore "$work/both.py" || { [ $? = 3 ] && failed=$((failed + 1)); }
done
echo "failed in $failed of 5 processes"
[ "$failed" -gt 0 ]
