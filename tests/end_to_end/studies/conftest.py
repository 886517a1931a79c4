"""The quick form of all studies, run once by the real command."""

import pandas as pd
import pytest


@pytest.fixture(scope="session")
def quick_run(clone, server):
    """A clone in which `python -m studies --quick` ran, and whose files of the docs nobody touched."""
    checkout = clone(server)
    checkout.run("python", "-m", "studies", "--quick")
    return checkout


@pytest.fixture(scope="session")
def quick(quick_run) -> pd.DataFrame:
    """Their findings: a line for each id, all cells as texts."""
    tables = [
        pd.read_csv(path, dtype=str, keep_default_na=False)
        for path in sorted((quick_run.path / "reports/studies").glob("*.csv"))
    ]
    return pd.concat(tables).set_index("finding")
