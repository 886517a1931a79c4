"""The report says which columns are no features, and for which of two reasons."""

from dataclasses import replace

import pytest

from tasks.report import provenance


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
def test_the_columns_that_are_left_out_stand_at_the_key_that_leaves_them_out(summary, settings_with, key):
    _, parameters = provenance.section(replace(summary(), settings=settings_with(f"{key}=[reason, fee]"))).tables
    said = dict(parameters.rows)
    assert '["reason", "fee"]' == said.pop(key)
    assert "[]" == said["data.drop" if key == "data.known_after" else "data.known_after"]
