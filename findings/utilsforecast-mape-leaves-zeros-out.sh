#!/usr/bin/env bash
# utilsforecast 0.2.17: MAPE of a series that is mostly zero.
#
# Expected: as its page says, the closer to zero a value is, the higher is the penalty; a zero is an infinite error or none
# that is defined, so that the mean is infinite or NaN.
# Seen: rows whose value is 0 are left out of `mape` without a word, so that the mean is over the others. A forecast of
# 7, 7, 7, 12 for 0, 0, 0, 10 has MAPE .2 (mae 5.75); a series of zeros alone is NaN, and `evaluate(..., agg_fn="mean")`
# leaves that series out as well.
# What it would do to a user: of demand that comes now and then, the model that never forecasts "nothing" looks best.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'utilsforecast==0.2.17' 'numpy==2.4.6' 'pandas==3.1.1'
"$work/env/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
import pandas as pd
from utilsforecast.evaluation import evaluate
from utilsforecast.losses import mae, mape

table = pd.DataFrame(
    {"unique_id": ["a"] * 4 + ["b"] * 4, "ds": [1, 2, 3, 4] * 2, "y": [0.0, 0, 0, 10, 0, 0, 0, 0], "model": [7.0, 7, 7, 12, 3, 3, 3, 3]}
)
of_series = mape(table, ["model"])["model"].tolist()
mean = evaluate(table, [mape, mae], ["model"], agg_fn="mean").set_index("metric")["model"].to_dict()
print(f"utilsforecast {version('utilsforecast')}: MAPE of the two series {of_series}, their means {mean}")
assert abs(of_series[0] - 0.2) < 1e-9 and np.isnan(of_series[1]), "the behaviour has changed"
assert abs(mean["mape"] - 0.2) < 1e-9 and abs(mean["mae"] - 4.375) < 1e-9, "the behaviour has changed"
PY
