"""Every law about predictions together: they equal the predictions of each hypothesis by itself."""

from pathlib import Path

import pytest

PROBLEMS = 15  # of each law's random ones in the default suite; all 200 and more are slow tests


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        of_a_seed = item.path.parent == Path(__file__).parent and hasattr(item, "callspec")
        if of_a_seed and item.callspec.params.get("seed", 0) >= PROBLEMS:
            item.add_marker(pytest.mark.slow)
