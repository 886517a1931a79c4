"""What a data source is called: names that a store takes, also for names that nobody would choose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.params import running
from tasks.params.source_name import source_name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("sklearn:digits", "digits"),
        ("openml:adult", "adult"),
        ("openml:1461", "openml 1461"),
        ("data/raw/churn.csv", "churn"),
        ("data/raw/a b.v2.CSV.gz", "a b.v2"),
        ("data/raw/parts/", "parts"),
    ],
)
def test_a_source_is_called_as_people_call_it(source, name):
    assert name == source_name(source)


@given(st.text(max_size=80))
def test_every_name_is_one_that_a_user_could_register(source):
    told = running.Tracking(uri="http://x", experiment="x", registered_model=source_name(source))
    assert source_name(source) == told.registered_model
    assert source_name(source).strip(" .") == source_name(source)


def test_the_name_of_the_source_is_the_registered_name_unless_the_user_sets_one(settings_with):
    assert "digits" == settings_with().registered_model
    assert "ours" == settings_with("tracking.registered_model=ours").registered_model
