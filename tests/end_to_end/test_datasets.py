"""Public sets from the file to the decision, with nothing edited; docs/datasets.md has all fifteen."""

import pytest

from studies.datasets import FOLDER, SETS, run_in


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("votes", marks=pytest.mark.slow),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("german_credit", "wine_quality")),
    ],
)
def test_the_test_part_agrees_with_what_was_estimated(name, clone):
    if not (FOLDER / SETS[name][0]).exists():
        pytest.skip(f"the public sets are not in {FOLDER}; name their folder in HELDOUT_DATA")
    outcome = run_in(clone().path, name, FOLDER)
    assert outcome.inside  # seed 0; docs/datasets.md reports how many of all sets
    assert "next      dvc repro" == outcome.messages[-1]
