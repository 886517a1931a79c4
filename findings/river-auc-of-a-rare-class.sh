#!/usr/bin/env bash
# river 0.26.1: ROCAUC of calibrated probabilities of a rare class.
#
# Expected: as its page says, an approximation whose error is small where probabilities are calibrated, and by which models
# can reliably be compared.
# Seen: with the ten thresholds of the default (0, 1/9, 2/9, …) all probabilities below 1/9 are one and the same. A model
# whose answers .002 and .1 are exactly calibrated has an AUC of .753, and ROCAUC says .5, no better than chance; of a
# worse calibrated model (.04 and .15, AUC .602) it says .602, so that the order is turned around.
# What it would do to a user: on a class of 5 % the worse of two models is kept, and the better one seems to know nothing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'river==0.26.1' 'numpy==2.4.6' 'scipy==1.17.1' 'pandas==3.1.1' 'scikit-learn==1.9.1'
"$work/env/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

from river import metrics
from sklearn.metrics import roc_auc_score


def both(*rows_and_rates):
    """The AUC of answers that are the exact rates of their rows, and river's."""
    labels, answers, of_river = [], [], metrics.ROCAUC()
    for rows, rate in rows_and_rates:
        labels += [row < rows * rate for row in range(rows)]
        answers += [rate] * rows
    for label, answer in zip(labels, answers):
        of_river.update(label, {True: answer, False: 1 - answer})
    return round(roc_auc_score(labels, answers), 3), round(of_river.get(), 3)


better, worse = both((5000, 0.002), (5000, 0.1)), both((9000, 0.04), (1000, 0.15))
print(f"river {version('river')}: AUC {better[0]}, ROCAUC {better[1]}; of a worse model AUC {worse[0]}, ROCAUC {worse[1]}")
assert better == (0.753, 0.5) and worse == (0.602, 0.602), "the behaviour has changed"
PY
