"""The page and the table in the terminal: a user's text is shown, and is no markup of theirs."""

import html
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heldout.learners.fit_warnings import WarningCount, WarningCounts
from tasks.outcome.contest import Promotion
from tasks.report import terminal_summary
from tasks.report.page import write_report
from tasks.storage import files
from tasks.storage.shard_report import ShardReport

HOSTILE = "[/luck] [bold] :smile: <script>alert(1)</script> \x1b[2J\x07 \u202eabc"
SHOWN = r"[/luck] [bold] :smile: <script>alert(1)</script> \x1b[2J\x07 \u202eabc"


@pytest.fixture
def hostile(summary):
    """A summary that has a hostile text at each place that a user or a learner fills."""
    warned = {"bayes": WarningCounts(2, 1, (WarningCount("UserWarning", 1, HOSTILE),))}
    carriers = [{"columns": [HOSTILE], "error": 0.2}]
    made = summary(
        failures={"tree": HOSTILE},
        warned=warned,
        family={"candidate": "bayes", "chosen": HOSTILE},
        suspicious={"E_cv": 0.001, "carriers": carriers},
        optimism=HOSTILE,
        other_population=HOSTILE,
    )
    shards = [ShardReport(HOSTILE, 3, bad=HOSTILE), ShardReport(HOSTILE, 3, "shard-00000.parquet", None, 1, (HOSTILE,))]
    metrics = made.test_set.metrics.assign(slice=["", "", HOSTILE, HOSTILE], reason=HOSTILE)
    data = made.settings.data.model_copy(update={"weight": HOSTILE})
    settings = made.settings.model_copy(update={"data": data})
    estimates = made.estimates.assign(interval=made.estimates["interval"].mask(made.estimates["estimate"] == "E_cv"))
    paths = pd.DataFrame({"candidate": "bayes", "value": [HOSTILE], "E_in": 0.25, "E_val": 0.5})
    curves = {"bayes": np.array([0.5, 0.25])}
    return replace(
        made,
        settings=settings,
        estimates=estimates,
        test_set=replace(made.test_set, metrics=metrics),
        curves=replace(made.curves, progressive_errors=curves),
        tuned=replace(made.tuned, paths=paths),
        unlabeled=replace(made.unlabeled, shards=shards),
        rows=replace(made.rows, labels=[(HOSTILE, 4)]),
    )


@pytest.mark.fault("markup")
def test_the_terminal_shows_each_text_as_it_is(hostile, capsys):
    terminal_summary.print_summary(hostile, Promotion("no", HOSTILE), HOSTILE)
    said = capsys.readouterr().out
    assert [] == [letter for letter in set(said) if not letter.isprintable() and letter != "\n"]
    words = " ".join(said.split())
    for place in ("promoted no: ", "warning ", "tree failed ", f"in MLflow {SHOWN}"):
        assert place in words
    assert words.count(SHOWN) >= 10


@pytest.mark.fault("markup")
def test_the_page_shows_each_text_as_it_is(hostile):
    write_report(hostile)
    page = files.REPORT.read_text(encoding="utf-8")
    assert page.count(html.escape(SHOWN, quote=False)) >= 10
    assert "<script" not in page
    assert [] == [letter for letter in set(page) if not letter.isprintable() and letter != "\n"]
