"""What an AutoML library reaches on the rows of the study `datasets`, in the same seconds: docs/studies/automl.csv.

    python -m studies.peer_automl --data FOLDER    # after make datasets; needs FLAML, which no lock of ours has

FLAML (Wang, Wu, Weimer, Zhu 2021) searches LightGBM, XGBoost, forests, extra trees and linear models, and judges them
by its own hold-out or folds of the training rows. It gets the rows of the delivered model, the columns that `init`
keeps, as many seconds as `init` and `dvc repro` took, two threads, and the seed 0. Its error is that on the test set.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from heldout.losses import choose_loss
from studies import datasets_page, public_sets
from studies.run_set import call
from tasks.runtime import environment

SETS = (
    "spambase",
    "german_credit",
    "wine_quality",
    "california_housing",
    "breast_cancer",
    "diabetes",
    "phishing",
    "segment",
)
_SEED = 0
_DUMP = """
import sys
from tasks.plans import all_labeled
from tasks.storage import files
import pickle
pickle.dump((files.read_table(all_labeled.path()), files.read_table(files.TEST)), open(sys.argv[1], "wb"))
"""


def main() -> None:
    """Search on each set in turn, and write the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=public_sets.FOLDER)
    data = options.parse_args().data
    environment.enter()
    rows = []
    for run in datasets_page.stored():
        if run.name in SETS:
            error, best = searched(run.name, data, run.seconds)
            rows.append({"set": run.name, "error": error, "best": best})
            print(rows[-1], flush=True)
    pd.DataFrame(rows).to_csv(datasets_page.AUTOML, index=False)


def searched(name: str, data: Path, seconds: float) -> tuple[float, str]:
    """The error on the test set of what FLAML finds in so many seconds, and which learner that is."""
    from flaml import AutoML  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone, dump = Path(folder) / "checkout", Path(folder) / "rows"
        call(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], Path(folder))
        public = public_sets.find(name, data, clone.parent)
        call([sys.executable, "-m", "flows", "init", str(public.path), "--target", public.target], clone)
        call([sys.executable, "-m", "flows", "prepare"], clone)
        call([sys.executable, "-c", _DUMP, str(dump)], clone)
        (X, y), (X_test, y_test) = pd.read_pickle(dump)  # noqa: S301  # written by the line above
    X.columns = X_test.columns = [f"x{place}" for place in range(X.shape[1])]  # LightGBM refuses some signs in names
    loss = choose_loss(None, y)
    search = AutoML()
    task, metric = ("classification", "accuracy") if loss.of_classes else ("regression", "mse")
    search.fit(X, y, task=task, metric=metric, time_budget=seconds, n_jobs=2, seed=_SEED, verbose=0)
    losses = loss.pointwise(y_test, np.asarray(search.predict(X_test)))
    return float(np.mean(losses)), str(search.best_estimator)


if __name__ == "__main__":
    main()
