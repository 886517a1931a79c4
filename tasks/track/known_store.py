"""What this folder remembers of its stores: the head of the ledger after its last night in each.

A store that was emptied, or whose older copy was put back, is whole in itself: only who has seen more can tell.
"""

import json
from collections.abc import Sequence
from contextlib import suppress

from tasks.outcome import to_do
from tasks.outcome.chain import Entry, Head, does_not_hold
from tasks.params import Settings
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError, without_secrets
from tasks.storage import files
from tasks.track import operations_ledger
from tasks.track.store import connect, failures

HEADS = CACHE / "ledger_heads.json"  # by the address of the store
_new_store = False


def begin_new_store() -> None:
    """Let the nights of this process begin with a store that lacks their past: a person at a terminal said so."""
    global _new_store
    _new_store = True


def remember(settings: Settings, entries: Sequence[Entry]) -> None:
    """Keep the head of the ledger as it is after a night."""
    if entries:
        heads = {**_heads(), _address(settings): entries[-1].head}
        files.write_json(HEADS, {address: str(one) for address, one in heads.items()})


def head(settings: Settings) -> Head | None:
    """The head after the last night here in the store of the parameters; None where nothing is remembered."""
    return _heads().get(_address(settings))


def lost(settings: Settings, entries: Sequence[Entry]) -> str:
    """Why the store is not the one of this folder's last night; empty if it is, or if nothing is remembered.

    Of a store that this folder has never used, that it has none of its nights, where another has them.
    """
    heads, address, known = _heads(), _address(settings), head(settings)
    if known is not None:
        why = does_not_hold(known, entries)
        return why and f"{address} is not the store of the last night here: {why} (head {known})"
    if not heads or not all(does_not_hold(one, entries) for one in heads.values()):  # a copy has them
        return ""
    return f"{address} has no night of this folder, whose nights are in {', '.join(heads)}"


def refused(settings: Settings, entries: Sequence[Entry]) -> str:
    """The same, for a night, which a person may let begin with such a store."""
    return "" if _new_store else lost(settings, entries)


def check(settings: Settings) -> None:
    """Raise UserError for a store that lacks its past, before a night begins with it as if there were none.

    One that does not answer is left to the start of the run.
    """
    with suppress(*failures()):
        if why := refused(settings, operations_ledger.entries(connect(settings))):
            raise UserError(str(to_do.store_lost(why)))


def _address(settings: Settings) -> str:
    return without_secrets(settings.tracking.address)


def _heads() -> dict[str, Head]:
    """What is remembered; nothing in a fresh clone, or once .cache was removed or the file was changed."""
    try:
        found = json.loads(HEADS.read_text(encoding="utf-8"))
        return {str(address): Head.parsed(str(head)) for address, head in found.items()}
    except (OSError, ValueError, AttributeError, UserError):
        return {}
