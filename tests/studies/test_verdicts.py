"""The study of the verdict's own errors: what it counts as false, and the page that shows it."""

import pandas as pd
import pytest

from studies import verdicts
from studies.hard_cells import slug

LEARNED, NULL = "few rows, 30", "null labels, equal classes, 100 rows"


def of_tables(cell, verdict, count, **further) -> list[dict]:
    told = {"u": 0.4, "value": 0.3, "truth": 0.3, "constant": 0.5, "best": 0.3, "points": 0.05, **further}
    return [{"cell": cell, "verdict": verdict, **told}] * count


def test_a_verdict_is_false_above_u_above_the_constant_or_above_the_best_by_more_than_it_says():
    results = pd.DataFrame(
        [
            *of_tables(LEARNED, "ship", 17),
            *of_tables(LEARNED, "ship", 3, truth=0.45, best=0.42),
            *of_tables(LEARNED, "any_of", 1, truth=0.39, best=0.3),
            *of_tables(LEARNED, "any_of", 1, truth=0.5, u=0.6, best=0.5),
            *of_tables(LEARNED, "ship_with_care", 5, truth=0.9),
            *of_tables(LEARNED, "not_yet", 3, truth=0.9),
            *of_tables(NULL, "ship", 1),
            *of_tables(NULL, "not_yet", 39),
        ]
    )
    found = {finding.finding: finding for finding in verdicts.findings(results)}
    of_learned, of_null = found[f"verdict-{slug(LEARNED)}"], found[f"verdict-{slug(NULL)}"]
    assert (3 / 22, True) == (of_learned.ours, of_learned.agrees)  # .047 is the low end of 3 of 22
    assert "shipped 22, with care 5, of 30 tables" in of_learned.because
    assert (1 / 40, True) == (of_null.ours, of_null.agrees)  # of all tables
    counts = [found[f"verdict-all-{slug(way)}"].ours for way in verdicts.WRONG]
    assert [3 / 22, 1 / 22, 1 / 22] == counts


@pytest.mark.parametrize("unit", verdicts.units(quick=True), ids=lambda unit: unit.cell)
def test_a_table_is_told_with_the_truth_of_its_winner_and_that_of_the_best(unit):
    records = verdicts.measure(unit, None)
    assert records == verdicts.measure(unit, None)
    assert [unit.cell] * unit.tables == [record["cell"] for record in records]
    for record in records:
        assert 0 < record["best"] <= record["truth"]
        assert record["points"] >= 0


def test_the_page_has_the_table_of_the_findings():
    assert verdicts.table() in verdicts.PAGE.read_text(encoding="utf-8")
    assert len(verdicts.CELLS) >= 24
