"""What each printed place says of the winner against others: what the intervals show, neither more nor less."""

import re

import numpy as np
import pandas as pd
import pytest

from heldout.losses.tested_losses import Tested
from heldout.losses.zero_one import ZERO_ONE
from heldout.records import Estimate
from heldout.selection.comparison import Comparison
from tasks.outcome.contest import Promotion
from tasks.report import outcome_page, summary_page, terminal_summary
from tasks.report.note import note
from tasks.report.sections import differences
from tasks.report.sentences import sentences
from tasks.report.style import drawing
from tests.tasks.records import write_records
from tests.variants import some

ERRORS = {
    "equal": [0.3] * 5,
    "one is worse": [0.3, 0.3, 0.3, 0.9],
    "all are worse": [0.05, 0.6, 0.7, 0.8],
    "two": [0.3, 0.35],
    "copies": [0.3, 0.0],
}
NAMES = ("bayes", "tree", "wide", "flat", "last")


def compared(kind: str, seed: int) -> Comparison:
    """Candidates by name, the first of them with the least error."""
    rng = np.random.default_rng(seed)
    losses = (rng.random((len(ERRORS[kind]), 120)) < np.array(ERRORS[kind])[:, None]).astype(float)
    if kind == "copies":
        losses[:] = losses[0]
    losses = losses[np.argsort(losses.mean(axis=1), kind="stable")]
    return Comparison({name: Tested(of, ZERO_ONE) for name, of in zip(NAMES, losses, strict=False)}, None, 0.9)


def listed(text: str, says: str) -> set[str]:
    found = re.search(rf"{says} ((?:\w+, )*\w+)", " ".join(text.split()))
    return set() if found is None else {*found[1].split(", ")} - {"and"}


@pytest.mark.parametrize("seed", some(range(4), 0))
@pytest.mark.parametrize("kind", ERRORS)
def test_every_place_names_the_candidates_that_the_intervals_name(summary, capsys, kind, seed):
    found = compared(kind, seed)
    records, alike = found.differences("bayes"), found.alike("bayes")
    worse = {record.against for record in records if record.high < 0}
    assert {*found.observed} - worse == {*alike}
    made = summary(
        estimates=[Estimate(name, "E_cv", 0.5, "one of the k", 7, 8) for name in found.observed if name != "bayes"],
        candidates=list(found.observed),
        indistinguishable=list(alike),
        differences=records,
    )
    terminal_summary.print_summary(made, Promotion("no", "a trial"), "")
    lists_differences = [
        capsys.readouterr().out,  # the terminal
        "\n".join(summary_page.lines(made)),
        outcome_page.text(made).replace("\\", ""),  # Prefect
        "\n".join(sentences(made).values()),  # report.html
    ]
    for text in lists_differences:
        assert worse == listed(text, "is shown to be lower than that of")
        assert {*alike} - {"bayes"} == listed(text, "not shown to be lower than that of")
    # and the note in MLflow
    for text in (*lists_differences, note(made).text.replace("\\", "")):
        if len(alike) > 2:
            assert {*alike} - {"bayes"} == listed(text, "is shown to err more than bayes:")
        if len(alike) == 2:
            assert f"{alike[1]} is not shown to err more than bayes" in " ".join(text.split())
        if len(alike) == 1:
            assert "shown to err more than" not in text
        assert "distinguished" not in text.partition("\nreport")[0]
    section = differences.section(made)
    rows = section.numbers[0].rows
    assert worse == {row[0] for row in rows if str(row[2]).strip().startswith("-") and "to -" in str(row[2])}
    assert worse == {row[0] for row in rows if row[-1] == differences.MORE}
    assert {*alike} - {"bayes"} == {row[0] for row in rows if row[-1] == differences.LEFT}
    with drawing():
        [axes] = section.pictures[0].draw().axes
    named = [text.get_text() for text in axes.get_yticklabels()]
    words = [text.get_text() for text in axes.texts if text.get_text() in ("not ruled out", "errs more", "errs less")]
    assert worse == {name for name, word in zip(named, words, strict=True) if word == "errs more"}


def test_differences_csv_keeps_the_sign_of_each_end(tmp_path, monkeypatch):
    from tasks.storage import report_tables

    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    for kind in ERRORS:
        records = compared(kind, 1).differences("bayes")
        write_records("differences", records)
        read = report_tables.read_differences()
        assert [record.shown_less for record in records] == (read["high"] < 0).tolist()
        assert not pd.isna(read["low"]).any()
