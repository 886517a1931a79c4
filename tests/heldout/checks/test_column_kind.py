"""Where categories end and text begins."""

import pytest

from heldout.checks.column_kind import are_categories


@pytest.mark.parametrize(
    ("present", "most"),
    [(1, 20), (400, 20), (420, 21), (10_000, 500), (20_000, 1000), (10_000_000, 1000)],
)
def test_strings_are_categories_up_to_20_kinds_or_to_a_twentieth_of_the_rows_and_1000(present, most):
    assert are_categories(most, present)
    assert not are_categories(most + 1, present)
