"""models/selected.skops: the winner, saved with the same bytes for the same model."""

import io
import json
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import psutil

from tasks.runtime.errors import UserError
from tasks.storage.atomic import replacing_file
from tasks.storage.trusted_types import trusted_types

_NO_TIME = (1980, 1, 1, 0, 0, 0)


def save(model: Any, path: Path) -> None:
    """Write `model` with skops, without clock times and object ids."""
    import skops.io

    with replacing_file(path) as draft:
        draft.write_bytes(stable_bytes(skops.io.dumps(model)))


def size(model: Any) -> int:
    """The bytes that `save` writes."""
    import skops.io

    return len(stable_bytes(skops.io.dumps(model)))


def load(path: Path, modules: Collection[str] = ()) -> Any:
    """The model at `path`. Only learners and what their fits hold are trusted, and classes of the named `modules`.

    Raises UserError for a file that is no model, or names another type.
    """
    import skops.io

    data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked, memory = sum(member.file_size for member in archive.infolist()), psutil.virtual_memory().total
            if unpacked > memory:
                raise UserError(f"unpacks to {unpacked} bytes, and this machine has {memory}")
            schema = json.loads(archive.read("schema.json"))
        return skops.io.loads(data, trusted=trusted_types(schema, modules))
    except UserError as error:
        raise UserError(f"{path} {error}") from None
    except Exception as error:  # a file from somebody else may be wrong in any way
        raise UserError(f"{path} is not a model ({error}); dvc repro writes it again") from None


def stable_bytes(dumped: bytes) -> bytes:
    """The same skops archive with ids and member names numbered by first use, and a fixed time.

    skops names members and marks shared objects by `id()` or a random name, which differ between
    processes; skops needs only their equality.
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
        return fresh

    schema = renumber(schema)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for old, new in [*names.items(), *((name, name) for name in sorted(members) if name not in names)]:
            archive.writestr(zipfile.ZipInfo(new, _NO_TIME), members[old], zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("schema.json", _NO_TIME), json.dumps(schema, indent=2), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
