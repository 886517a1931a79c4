"""The law of every shortcut: its answers are those of the refit (`heldout.testing.shortcuts`)."""

import pytest

from heldout.testing import shortcuts


@pytest.fixture(scope="session")
def equals_refit():
    """Whether folds, blocks and a part of a shortcut equal refits; the number of partitions that it declined."""
    return shortcuts.equals_refit
