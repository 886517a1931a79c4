#!/usr/bin/env bash
# skops 0.16.0: the file of one fitted model, written by several processes that do the same.
#
# Expected: one script, one table and no randomness give one file, as with pickle, so that a store by content keeps it once.
# Seen: `skops.io.dumps` names the arrays of its archive by their `id()`, an address in memory, and writes these numbers
# into schema.json as well; each member also has the clock's time. So the names of the members, and the bytes, differ in each
# process; pickle's are equal.
# What it would do to a user: a rerun without a change "changes" the model in DVC, and every stage after it runs again.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'skops==0.16.0' 'scikit-learn==1.9.1' 'numpy==2.4.6' 'scipy==1.17.1'
cat > "$work/fit.py" <<'PY'
import hashlib
import io
import pickle
import zipfile

import skops.io
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

fitted = LogisticRegression(max_iter=500).fit(*load_iris(return_X_y=True))
members = zipfile.ZipFile(io.BytesIO(skops.io.dumps(fitted))).namelist()
print(hashlib.sha256(pickle.dumps(fitted)).hexdigest(), "-".join(members))
PY
for _ in 1 2 3 4; do "$work/env/bin/python" "$work/fit.py"; done > "$work/written"
pickles=$(cut -d ' ' -f 1 "$work/written" | sort -u | wc -l)
archives=$(cut -d ' ' -f 2 "$work/written" | sort -u | wc -l)
echo "skops 0.16.0: of 4 processes $archives different lists of members, and $pickles different pickles"
[ "$archives" -gt 1 ] && [ "$pickles" -eq 1 ]
