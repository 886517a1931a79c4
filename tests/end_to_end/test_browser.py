"""What people look at, in a real browser: the MLflow pages; test_report_page.py has the report."""

import pytest

from tests.end_to_end.browser import CHROMIUM, page
from tests.end_to_end.mlflow_pages import pages_of_mlflow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]


def test_the_mlflow_pages_list_the_runs(reproduced, tmp_path):
    with pages_of_mlflow(reproduced) as address:
        seen = page(f"{address}/#/experiments/1/runs", tmp_path)
    assert "Training runs" in seen
    assert "digits (" in seen  # the data set of the parent run, with its digest
