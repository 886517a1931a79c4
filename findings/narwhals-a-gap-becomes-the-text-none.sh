#!/usr/bin/env bash
# narwhals 2.29.0 with pandas 2.3.3: a column of texts with a gap, made by `from_dict` with its type.
#
# Expected: the gap stays one, as with polars, with pandas 3, and as by `new_series` with the same values and type.
# Seen: in a frame of pandas 2 it is the text "None": `from_dict({"a": [None, "x"]}, {"a": String}, backend="pandas")`
# gives ["None", "x"], without a warning. narwhals 2.2.0 does the same.
# What it would do to a user: a library that makes tables for whatever frames its user has hands on a word in place of
# "nothing is known"; counts of gaps are 0, and a file that is written from it has the word.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'narwhals==2.29.0' 'pandas==2.3.3' 'polars==1.40.0' 'numpy==2.4.6'
"$work/env/bin/python" - <<'PY'
import narwhals as nw

values, seen = [None, "x"], {}
for backend in ("pandas", "polars"):
    seen[backend] = nw.from_dict({"a": values}, {"a": nw.String}, backend=backend)["a"].to_list()
series = nw.new_series("a", values, nw.String, backend="pandas").to_list()
print(f"narwhals {nw.__version__}: from_dict {seen}, new_series with pandas {series}")
assert seen == {"pandas": ["None", "x"], "polars": [None, "x"]} and series == [None, "x"], "the behaviour has changed"
PY
