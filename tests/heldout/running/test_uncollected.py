"""Imports without the garbage collector."""

import gc

import pytest

from heldout.running.uncollected import uncollected


def test_garbage_is_collected_again_after_a_start_that_failed():
    def fails():
        with uncollected():
            assert not gc.isenabled()
            raise KeyError

    before = gc.get_freeze_count()
    try:
        with pytest.raises(KeyError):
            fails()
        assert gc.isenabled()
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
