"""A leak that no check of the table found is told after the run, with its column, by the hypothesis that is kept."""

from types import SimpleNamespace

import numpy as np
import pytest

from heldout.notebook.result import Validation
from heldout.rows.frames import take
from heldout.schemes.design import Evidence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome import suspicious
from tasks.outcome.suspicious import Suspicious
from tasks.plans.read_design import read_design
from tasks.storage import files

TREE = "candidates=[{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}]"


@pytest.fixture
def case(rows, settings_of_rows):
    """A function: a tree on rows.csv with the column `told`, whose folds err `error`."""

    def make(error, *changes):
        rows.assign(told=(rows["kind"] == "won") * 3).to_csv("rows.csv", index=False)
        settings = settings_of_rows(TREE, "intervals.E_cv=corrected fold t", *changes)
        write_prepared(prepare(settings))
        design = read_design(settings)
        losses = [np.full(len(split.validation), error) for split in design.splits("cross_validation")]
        (split,), (X, y) = design.splits("holdout"), files.read_table(files.LABELED)
        g_minus = settings.candidates[0].learner().fit(take(X, split.train), y[split.train])
        models = SimpleNamespace(X=X, updated_once=False, final_rows=None, hypotheses=lambda _: [g_minus])
        return Validation(design, {"tree": Evidence({"cross_validation": losses})}, {"tree": models})

    return make


def test_the_column_that_carries_the_error_is_named_and_comes_back_from_selection_json(case):
    found = suspicious.look(case(0.0))
    assert 0 == found.E_cv
    assert [("told",)] == [one.columns for one in found.carriers]
    assert found == Suspicious.read(found.described())
    assert None is Suspicious.read({"selected": "tree"})
    assert found == suspicious.look(case(0.0))


def test_a_winner_at_a_hundredth_of_the_baseline_is_not_suspicious_and_is_asked_nothing(case):
    assert None is suspicious.look(case(1 / 3 / 100))
