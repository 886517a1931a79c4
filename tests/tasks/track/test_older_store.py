"""A store of version 0.1: what `migrate` finds there, and what becomes of its champion by a person's yes."""

import shutil
from pathlib import Path

import pytest

from tasks.outcome.verified import verify
from tasks.track.ledger_tags import entry_of
from tasks.track.older_store import let_replace, look, settings_of
from tasks.track.operations_ledger import history
from tasks.track.registry import SOURCE
from tasks.track.store import connect
from tests.tasks.track.test_promote import Nights, table

pytestmark = pytest.mark.long


@pytest.fixture
def older(checkout, empty_store, settings_with):
    """A champion as version 0.1 left it, under the name that it shipped: no source, no rows that it has seen."""
    shutil.copy(empty_store, "mlflow.db")
    nights = Nights(settings_with)
    settings = nights.prepare(table(60))
    nights.run(settings, "stump")
    client = connect(settings)
    client.delete_model_version_tag("heldout", "1", SOURCE)
    for path in Path("artifacts").rglob("promotion"):
        shutil.rmtree(path)
    return nights


def test_a_winner_is_not_compared_with_it_until_a_person_lets_it_be_replaced(older):
    settings = older.prepare(table(60), table(200, first=60))
    decision, _ = older.run(settings, "tree")
    assert ("no", False) == (decision.promoted, decision.compared)
    found = look(settings)
    assert ("heldout", "1", "heldout") == (found.champion.name, str(found.champion.version), found.goes_to.name)
    let_replace(settings, found)
    assert "1" == older.aliases(settings)["champion"]
    assert look(settings).champion is None  # there is nothing to decide any more
    decision, _ = older.run(settings, "tree")
    assert "first" == decision.promoted
    assert "3" == older.aliases(settings)["champion"]
    decision, _ = older.run(settings, "stump")
    assert decision.compared


def test_under_another_name_it_is_copied_and_the_old_alias_stays(older):
    settings = older.make("tracking.registered_model=null")
    found = look(settings)
    assert ("heldout", "table") == (found.champion.name, found.goes_to.name)
    said = let_replace(settings, found)
    assert "models:/table@champion is version 1 of table," in said
    client = connect(settings)
    for name in ("heldout", "table"):
        assert {"champion": 1} == client.get_registered_model(name).aliases
    assert [] == [fault for fault in verify(history(client), entry_of).faults if "champion" in fault]
    decision, _ = older.run(settings, "tree")
    assert "first" == decision.promoted
    assert {"champion": 2} == client.get_registered_model("table").aliases
    assert look(settings).champion is None


def test_a_champion_of_today_is_left_alone_and_a_store_that_is_missing_is_not_made(
    checkout, empty_store, settings_with
):
    nights = Nights(settings_with)
    settings = nights.prepare(table(60))
    assert look(settings) is None
    assert not Path("mlflow.db").exists()
    shutil.copy(empty_store, "mlflow.db")
    nights.run(settings, "stump")
    assert look(settings).champion is None
    written = settings.model_dump()
    assert look(settings_of(written)).goes_to == look(settings).goes_to
