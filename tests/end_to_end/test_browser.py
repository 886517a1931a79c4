"""What people look at, in a real browser: the report page and the MLflow pages."""

import pytest

from tests.end_to_end.browser import CHROMIUM, page
from tests.end_to_end.mlflow_pages import pages_of_mlflow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]


def test_the_report_shows_every_candidate_and_every_picture(reproduced, tmp_path):
    # the page's own script-free text, and a script that asks the browser whether the pictures were drawn
    report = reproduced.path / "reports" / "report.html"
    asking = "<script>onload = () => document.title = [...document.images].map(i => i.naturalWidth > 300)</script>"
    copy = report.with_name("asked.html")
    copy.write_text(report.read_text(encoding="utf-8") + asking, encoding="utf-8")
    try:
        seen = page(copy.as_uri(), tmp_path)
    finally:
        copy.unlink()
    assert "<title>true,true,true</title>" in seen
    for name in ("naive-bayes", "rbf-svm", "boosting"):
        assert f"<td>{name}</td>" in seen


def test_the_mlflow_pages_list_the_runs(reproduced, tmp_path):
    with pages_of_mlflow(reproduced) as address:
        seen = page(f"{address}/#/experiments/1/runs", tmp_path)
    assert "Training runs" in seen
    assert "digits (" in seen  # the data set of the parent run, with its digest
