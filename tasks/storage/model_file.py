"""models/selected.skops: the winner, saved with the same bytes for the same model."""

import io
import json
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from tasks.runtime.errors import UserError, one_line
from tasks.storage import model_arrays
from tasks.storage.atomic import replacing_file
from tasks.storage.trusted_types import trusted_types

_NO_TIME = (1980, 1, 1, 0, 0, 0)
_ADDRESS = (
    "_stop_words_id"  # where a text vectorizer of scikit-learn keeps the `id()` of its stop words, for a check at fit
)
# a model may unpack to so many bytes, or to so many times its own; skops 0.16.0 made 2 GB of a file of 50 kB
_LARGE, _RATIO = 100_000_000, 200


def save(model: Any, path: Path) -> None:
    """Write `model` as `dumped` has it."""
    write(dumped(model), path)


def write(stored: bytes, path: Path) -> None:
    """Write what `dumped` gave."""
    with replacing_file(path) as draft:
        draft.write_bytes(stored)


def dumped(model: Any) -> bytes:
    """`model` as skops stores it, without clock times and object ids."""
    import skops.io

    return stable_bytes(skops.io.dumps(model))


def load(path: Path, modules: Collection[str] = ()) -> Any:
    """The model at `path`. Only learners and what their fits hold are trusted, and classes of the named `modules`.

    Only where the process may die: it may be from somebody else. Elsewhere `tasks.fits.model_process.opened` has it.
    Raises UserError for a file that is no model, names another type, unpacks to too much, or has indices that lead
    nowhere.
    """
    import skops.io

    data = path.read_bytes()
    try:
        schema = _checked_schema(data)
        model = skops.io.loads(data, trusted=trusted_types(schema, modules))
        model_arrays.check(model)
    except MemoryError:
        raise
    except UserError as error:
        raise UserError(f"{path} {error}") from None
    except Exception as error:  # a file from somebody else may be wrong in any way
        raise UserError(f"{path} is not a model ({one_line(str(error))})") from None
    return model


def untrusted_types(path: Path) -> list[str]:
    """The types in a loaded file that a reader of skops has to trust."""
    import skops.io

    return list(skops.io.get_untrusted_types(file=path))


def _checked_schema(data: bytes) -> dict[str, Any]:
    """The schema of the archive `data`. Raises UserError if what it names unpacks to more than a model would."""
    most = max(_LARGE, _RATIO * len(data))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        unpacked = sizes["schema.json"]
        _check_size(unpacked, most)
        schema: dict[str, Any] = json.loads(archive.read("schema.json"))
        for name in _named(schema):  # each time that it is named it is read
            unpacked += sizes.get(name, 0)
            _check_size(unpacked, most)
            with archive.open(name) as member:
                if member.read(2) == b"PK":  # a sparse matrix, which is an archive too
                    with zipfile.ZipFile(member) as matrix:
                        unpacked += sum(part.file_size for part in matrix.infolist())
                    _check_size(unpacked, most)
    return schema


def _check_size(unpacked: int, most: int) -> None:
    if unpacked > most:
        raise UserError(f"unpacks to {unpacked} bytes or more, and a model of its size has at most {most}")


def _named(schema: Any) -> Iterator[str]:
    """Every file of the archive that the schema names, as often as it does."""
    if isinstance(schema, dict):
        if isinstance(schema.get("file"), str):
            yield schema["file"]
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from _named(part)


def stable_bytes(dumped: bytes) -> bytes:
    """The same skops archive with ids and member names numbered by first use, and a fixed time.

    skops names members and marks shared objects by `id()` or a random name, which differ between
    processes; skops needs only their equality, and takes an id of 0 for none: they count from 1.
    """
    with zipfile.ZipFile(io.BytesIO(dumped)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members.pop("schema.json"))
    ids: dict[int, int] = {}
    names: dict[str, str] = {}

    def renumber(node: Any) -> Any:
        if isinstance(node, list):
            return [renumber(item) for item in node]
        if not isinstance(node, dict):
            return node
        fresh: dict[str, Any] = {}
        for key, value in node.items():
            if key == "__id__":
                fresh[key] = ids.setdefault(value, len(ids) + 1)
            elif key == "file" and isinstance(value, str) and value in members:
                fresh[key] = names.setdefault(value, f"{len(names)}{Path(value).suffix}")
            else:
                fresh[key] = renumber(value)
                if key == _ADDRESS:
                    fresh[key]["content"] = "0"
        return fresh

    schema = renumber(schema)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for old, new in [*names.items(), *((name, name) for name in sorted(members) if name not in names)]:
            archive.writestr(zipfile.ZipInfo(new, _NO_TIME), members[old], zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("schema.json", _NO_TIME), json.dumps(schema, indent=2), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
