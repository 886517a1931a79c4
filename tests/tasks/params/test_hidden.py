"""An address, which may have a password, is in no message, and in no parameter of a flow that Prefect stores."""

import pytest

from tasks.params import load
from tasks.params.hidden import hide, reveal
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import assert_names, mistakes

TOKEN = "T0K3N"
URL = f"https://me:{TOKEN}@runs.example.org:8443/{TOKEN}?key={TOKEN}"


@pytest.mark.parametrize(
    "change",
    [
        f"operations=https://host/{TOKEN}",
        f"operations=[https://host/{TOKEN}]",
        f"operations.promote_level=https://host/{TOKEN}",
        f"tracking.experiment: https://host/{TOKEN}",
        f"tracking.experiment=[https://host/{TOKEN}",
        f"uri=https://host/{TOKEN}",
        f"tracking.uri.more.yet=https://host/{TOKEN}",
        f"tracking.url=https://host/{TOKEN}",
    ],
)
def test_an_address_in_the_wrong_place_is_not_shown(shipped, change):
    with pytest.raises(UserError) as refused:
        load(shipped, [change])
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize("key", ["operations.notify", "tracking.keep"])
def test_a_key_that_automations_and_prune_replaced_is_named_and_its_value_is_not_shown(shipped, key):
    (mistake,) = mistakes(shipped, f"{key}=https://host/{TOKEN}")
    assert key == mistake.key
    assert_names(mistake, "not known")
    assert TOKEN not in mistake.text


def test_what_a_flow_is_given_for_an_override_with_a_secret_shows_no_secret():
    for override in (f"tracking.uri={URL}", f"tracking={{uri: '{URL}'}}", f"tracking.uri.more={URL}"):
        shown = hide(override)
        assert TOKEN not in shown
        assert override.partition("=")[0] == shown.partition("=")[0]
        assert (override, shown) == (reveal(shown), hide(override))
    assert "split.folds=5" == hide("split.folds=5") == reveal("split.folds=5")
