"""Models that version 0.1 saved still load and answer as they did: the import paths inside them have not moved."""

import json
import shutil
import warnings
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_digits

from heldout.family import ParameterPath, TunedEstimator
from tasks.storage import model_file

SAVED = Path(__file__).with_name("saved")
ANSWERS = json.loads((SAVED / "answers.json").read_text(encoding="utf-8"))
X = load_digits().data[:120, ::8]


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")  # naive Bayes at a pixel without variance
def test_a_model_of_version_0_1_answers_as_it_did(name, checkout):
    shutil.copy(SAVED / f"{name}.skops", checkout)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Trying to unpickle")  # of a later scikit-learn
        model = model_file.load(checkout / f"{name}.skops")
    rows = pd.DataFrame(X, columns=[f"p{i}" for i in range(X.shape[1])]) if name == "preprocessed" else X
    assert ANSWERS[name] == model.predict(rows).astype(int).tolist()


def test_the_former_names_of_classes_are_still_known():
    family = model_file.load(SAVED / "family.skops")
    assert TunedEstimator is type(family)
    assert ParameterPath is type(family.path_)
