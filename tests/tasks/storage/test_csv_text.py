"""A CSV that a spreadsheet opens holds no formula, and is read back as it was."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heldout.metrics.measure import TestMetrics
from heldout.records import Estimate, Measured
from tasks.storage import csv_text, files, metrics_files, report_tables
from tests.tasks.records import write_records

SIGNS = "=+-@\t\r"


@pytest.mark.fault("hostile")
@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.text(alphabet=st.one_of(st.sampled_from(f"{SIGNS}'a1"), st.characters(codec="utf-8"))))
@example("=cmd|'/c calc'!A0")
@example("'=1")
def test_no_text_is_a_formula_and_each_is_read_back(text):
    written = csv_text.safe(text)
    assert not written.startswith(tuple(SIGNS))
    assert text == csv_text.original(written)
    assert written == text or text.lstrip("'").startswith((*SIGNS, "\n", *"＝＋－＠"))


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "'=1", "''-", "'plain", "1,2", "NA"])
def test_names_in_the_tables_of_the_report_are_read_back(name):
    estimates = [Estimate(name, "E_cv", -0.5, "g", 8, 8), Estimate("a", "E_cv", 0.5, "g", 8, 8)]
    write_records("estimates", estimates)
    metrics = [Measured(name, "auc", f"{name}=x", reason=f"{name} has no rows"), Measured(name, "f1", "", 0.5)]
    metrics_files.write(TestMetrics(tuple(metrics), None, None))
    lines = [line for path in (files.ESTIMATES, files.TEST_METRICS) for line in path.read_text().splitlines()[1:]]
    assert [] == [line for line in lines if line.lstrip('"').startswith(tuple(SIGNS))]
    table = report_tables.read_estimates()
    assert ([name, "a"], [-0.5, 0.5]) == (table["candidate"].tolist(), table["value"].tolist())
    assert [f"{name}=x", ""] == metrics_files.read()["slice"].tolist()
    assert [f"{name} has no rows", ""] == metrics_files.read()["reason"].tolist()


def test_what_is_no_text_stays_as_it_is():
    table = pd.DataFrame({"n": [-1, 2], "x": [-0.5, None], "s": ["-a", None], "o": [-1, "=b"], "c": ["-c", "d"]})
    table["c"] = table["c"].astype("category")
    files.write_csv(Path("t.csv"), table)
    assert ["n,x,s,o,c", "-1,-0.5,'-a,-1,'-c", "2,,,'=b,d"] == Path("t.csv").read_text().splitlines()


def test_a_carriage_return_in_a_text_begins_no_line():
    table = pd.DataFrame({"s": ["d\r=1+1", "e"], "x": [0.5, None]})
    files.write_csv(Path("t.csv"), table)
    read = csv_text.original_table(pd.read_csv("t.csv", lineterminator="\n"))
    assert [["d\r=1+1", 0.5], ["e"]] == [read.loc[0].tolist(), read.loc[1].tolist()[:1]]
    assert '"d\r=1+1"' in Path("t.csv").read_bytes().decode()
