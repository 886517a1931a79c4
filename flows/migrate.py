"""Migrate: params.yaml, a project's files and an older champion go on with this version, if a person agrees."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from heldout import __version__
from heldout.printable import printable
from tasks.runtime import environment
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND

if TYPE_CHECKING:
    from tasks.init.older_params import Migrated
    from tasks.params import Settings
    from tasks.track.older_store import OlderStore

DESCRIPTION = """\
After an upgrade: show which keys params.yaml lacks or has too many, and what is
otherwise from now on: the test part, the ledger, the champion. Then ask, and
write all or nothing; lines, order and comments of params.yaml stay. Nothing
that it names is imported. Of a project that `heldout new` made also the stages,
the schema and the version in requirements.txt are written, which must be
committed. Without a terminal it needs --yes."""
_NO_TERMINAL = "this is no terminal, so nobody can be asked; look at what is printed above, and add --yes to agree"
_PARAMS = Path("params.yaml")
_LATER = {
    "split.test_key": "test part: other rows than before. A row is in it by its content and split.test_key, no longer "
    "by the seed; earlier runs trained on some of them",
    "selection.open_test": f"test part: a run leaves it sealed until `{COMMAND} open-test`; version 0.1 opened it in "
    "every run (true)",
    "tracking.promote": "champion: runs of a deployment and of `validate --promote` alone move it, if the winner is "
    "shown to err less; version 0.1 moved it in every run (no key brings that back)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--yes, and what becomes of an older champion."""
    parser.add_argument("--yes", action="store_true", help="write without asking")
    replaced = "also let the next winner replace an older champion that none can be compared with"
    parser.add_argument("--replace-champion", action="store_true", help=replaced)


def main(options: argparse.Namespace) -> int:
    """Show, ask, write; returns the exit code. Raises UserError, with nothing written."""
    environment.enter(any_version=True)
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "ERROR")
    with checkout_lock(f"{COMMAND} migrate"):
        from tasks.init import project
        from tasks.init.older_params import migrated
        from tasks.params.yaml_lines import Written

        params, texts = migrated(_PARAMS), project.renewed()
        settings, store = _store(Written(_PARAMS, ()).value)
        champion = None if store is None else store.champion
        _say(_lines(params, texts, store))
        if not params.changes and not texts and champion is None:
            return 0
        if params.changes or texts:
            if not _agreed(options, "Write it?"):
                _say(["nothing was written"])
                return 0
            _write(params, texts)
        if settings is not None and store is not None and store.champion is not None:
            _settle_champion(options, settings, store)
        _say([f"next      git diff, then dvc repro or {COMMAND} validate: every fit that no result holds for is made"])
    return 0


def _store(written: dict[str, object]) -> "tuple[Settings | None, OlderStore | None]":
    """What the store of the parameters holds; None for sections that are wrong, which the next run reports."""
    from pydantic import ValidationError

    from tasks.track import older_store

    try:
        settings = older_store.settings_of(written)
    except (ValidationError, KeyError, TypeError):
        return None, None
    return settings, older_store.look(settings)


def _lines(params: "Migrated", texts: Mapping[str, str], store: "OlderStore | None") -> Iterator[str]:
    """What is shown before the question."""
    yield f"heldout   {__version__}"
    yield from map(str, params.changes)
    if texts:
        yield f"writes    {', '.join(texts)}"
    yield from (f"from now  {text}" for key, text in _LATER.items() if key in params.added)
    if store is not None and store.validations:
        opened = f" (opened a test part, which stays spent: {store.openings})" if store.openings else ""
        yield (
            f"ledger    earlier validations: {store.validations}{opened}. The next run adopts them: what they "
            "compared on the same rows counts in its bounds"
        )
    if store is not None and (champion := store.champion) is not None:
        yield (
            f"champion  models:/{champion.name}@champion is version {champion.version} of an older heldout, which did "
            "not note the rows that it has seen: no winner can be compared with it"
        )
        if store.moves:
            yield (
                f"champion  winners are registered as {store.goes_to.name}: to keep the old name, write "
                f"registered_model: {champion.name} below tracking first"
            )
    if not params.changes and not texts and (store is None or store.champion is None):
        yield "nothing to migrate"


def _settle_champion(options: argparse.Namespace, settings: "Settings", store: "OlderStore") -> None:
    from tasks.track import older_store

    copied = f"Copy it to {store.goes_to.address('champion')}, and let" if store.moves else "Let"
    asked = options.replace_champion or (sys.stdin.isatty() and _yes(f"{copied} the next winner replace it?"))
    if asked:
        _say([f"champion  {older_store.let_replace(settings, store)}"])
    else:
        _say([f"champion  it stays, as it is; {COMMAND} migrate --replace-champion later lets a winner replace it"])


def _agreed(options: argparse.Namespace, question: str) -> bool:
    if options.yes:
        return True
    if not sys.stdin.isatty():
        raise UserError(_NO_TERMINAL)
    return _yes(question)


def _yes(question: str) -> bool:
    return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}


def _write(params: "Migrated", texts: Mapping[str, str]) -> None:
    """All files or none; what params.yaml was stays in git, or in params.yaml.old."""
    from tasks.init.start import kept
    from tasks.storage.atomic import replace_all

    new = {Path(name): text.encode() for name, text in texts.items()}
    said = [f"wrote     {', '.join([*(['params.yaml'] if params.changes else []), *texts])}"]
    if params.changes:
        where = kept(_PARAMS)
        new = {_PARAMS: params.after.encode(), **new}
        said += [f"kept      {where}"] if where else []
    replace_all(new)
    _say(said)


def _say(lines: "Iterator[str] | list[str]") -> None:
    for line in lines:
        print(printable(line), flush=True)
