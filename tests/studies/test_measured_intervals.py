"""What methods of intervals held in the study is what docs/coverage.csv has."""

from pathlib import Path

from studies import measured_intervals

ROOT = Path(__file__).parents[2]


def test_the_table_is_that_of_the_study():
    assert measured_intervals.text() == (ROOT / measured_intervals.MODULE).read_text(encoding="utf-8")
