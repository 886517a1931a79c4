"""The test set of tables of few distinct rows: as good as a draw, unlike a hash of the content."""

import pytest

from studies.test_sets import HOW, MADE, errors, titanic


def test_the_titanic_has_its_counts():
    found = titanic()
    assert (2201, 711) == (len(found), found["label"].sum())
    assert 24 == len(found.drop_duplicates())
    assert {"child": 109, "adult": 2092} == found["age"].value_counts().to_dict()


@pytest.mark.parametrize("name", MADE)
def test_the_test_error_is_that_of_random_parts(name):
    found = errors(MADE[name](), keys=40)
    at_random, by_label, _, now = (found[how] for how in HOW)
    noise = ((at_random.var() + now.var()) / 40) ** 0.5
    assert abs(now.mean() - at_random.mean()) < 3.5 * noise
    assert by_label.mean() > at_random.mean() + 6 * noise  # as earlier versions drew it
