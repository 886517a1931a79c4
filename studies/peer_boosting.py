"""Gradient boosting with its defaults on every row outside the test set of this checkout: its error on that part.

    python -m studies.peer_boosting    # after dvc repro; prints of_classes, error, rows, test_rows as JSON

Columns become numbers by `heldout.preprocessing.auto`. Boosting is scikit-learn's; for texts it is LightGBM's, which
takes sparse rows.
"""

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline

from heldout.learners.fitting import test
from heldout.losses import choose_loss
from heldout.preprocessing import auto
from tasks import params
from tasks.plans import all_labeled
from tasks.storage import files

_SEED = 0


def learner(X: pd.DataFrame, of_classes: bool) -> Any:
    """An unfitted gradient boosting for these columns."""
    if any(pd.api.types.is_string_dtype(dtype) for dtype in X.dtypes):
        from lightgbm import LGBMClassifier, LGBMRegressor

        boosting = (LGBMClassifier if of_classes else LGBMRegressor)(random_state=_SEED, n_jobs=1, verbose=-1)
    else:
        boosting = (HistGradientBoostingClassifier if of_classes else HistGradientBoostingRegressor)(random_state=_SEED)
    return make_pipeline(auto(boosting), boosting)


def main() -> None:
    """Fit, test, print."""
    settings = params.load()
    X, y = files.read_table(all_labeled.path())
    X_test, y_test = files.read_table(files.TEST)
    loss = choose_loss(settings.loss, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = learner(X, loss.of_classes).fit(X, y)
        losses = test(model, X_test, y_test, np.arange(len(y_test)), loss)
    of_test = {"error": float(losses.mean()), "rows": len(y), "test_rows": len(y_test)}
    print(json.dumps({"of_classes": loss.of_classes, **of_test}))


if __name__ == "__main__":
    main()
