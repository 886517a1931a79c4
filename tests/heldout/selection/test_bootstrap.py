import numpy as np
import pytest

from heldout.selection import bootstrap
from heldout.selection.bbc import corrected


@pytest.mark.parametrize("rows", [1, 3, 500])
def test_each_bootstrap_draws_as_many_rows_as_there_are(rows):
    drawn = np.concatenate(list(bootstrap.draws(rows, seed=1)))
    assert (bootstrap.BOOTSTRAPS, rows) == drawn.shape
    assert {rows} == set(drawn.sum(axis=1))


@pytest.mark.parametrize("cells", [1, 777, 20_000])
def test_what_is_drawn_and_concluded_does_not_depend_on_the_size_of_a_block(monkeypatch, cells):
    losses = np.random.default_rng(0).integers(0, 2, size=(4, 60)).astype(float)

    def found():
        return (
            np.concatenate(list(bootstrap.draws(60, seed=5))).tolist(),
            corrected(losses, 5, None, "one_standard_error", np.arange(60) % 4).error,
        )

    whole = found()
    monkeypatch.setattr(bootstrap, "_CELLS", cells)
    assert whole == found()


def test_a_block_is_small_however_many_rows_there_are():
    first = next(bootstrap.draws(3_000_000, seed=0))
    assert first.nbytes <= 64_000_000
