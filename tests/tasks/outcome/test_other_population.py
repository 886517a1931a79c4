"""Shards whose gaps are not those of the labelled rows are of another population; half models are not asked then."""

from types import SimpleNamespace

import numpy as np
import pytest

from heldout.parts.dependence import Dependence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome import other_population


@pytest.fixture
def looked(rows, settings_of_rows):
    """What is found where a share of the values of a column is there in the shard."""

    def look(share, weights=None):
        rng = np.random.default_rng(0)
        frame = rows.assign(fee=rng.normal(size=60))
        frame.to_csv("rows.csv", index=False)
        shard = frame.drop(columns="kind").sample(60, replace=True, random_state=0)
        shard.assign(fee=shard["fee"].where(rng.random(60) < share)).to_csv("shard.csv", index=False)
        settings = settings_of_rows("data.unlabeled=shard.csv")
        write_prepared(prepare(settings))
        design = SimpleNamespace(y=frame["kind"].to_numpy(), dependence=Dependence(), weights=weights)
        return other_population.look(settings, SimpleNamespace(design=design), "bayes", None)

    return look


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_column_that_is_filled_for_the_labelled_rows_alone_is_named(looked, share):
    text = looked(share)["other_population"]
    assert text.startswith("the unlabelled rows differ from the labelled rows: fee is missing in ")
    assert "and in 0.0 % of the labelled rows, p " in text


def test_rows_with_weights_are_not_compared(looked):
    assert {} == looked(0.0, weights=np.ones(60))
