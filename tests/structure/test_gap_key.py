"""split.gap is a parameter of every stage whose outputs it changes; test_stage_keys.py has the other keys."""

import pytest

from tests.structure.test_stage_keys import FITTED, IN_TIME, digests, fitted, run, unlisted


@pytest.fixture(scope="module")
def in_time(tmp_path_factory):
    with fitted(tmp_path_factory.mktemp("checkout"), IN_TIME) as path:
        yield path


def test_a_stage_that_the_gap_changes_names_it(in_time):
    before = {stage: digests(stage) for stage in FITTED}
    changed = set()
    for stage in reversed(FITTED):  # each on what the stages before it left
        run(stage, {"split.gap": 3})
        if digests(stage) != before[stage]:
            changed.add(stage)
    assert "fit" in changed
    assert changed <= {stage for stage in FITTED if "split.gap" not in unlisted(stage)}
