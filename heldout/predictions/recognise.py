"""Which reader a file is for: one that fits, or the one that was named; nobody guesses between two."""

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.errors import BadArgument
from heldout.predictions.long_table import LOSS
from heldout.predictions.read_predictions import ReadPredictions
from heldout.predictions.reader import Reader
from heldout.predictions.readers import READERS
from heldout.predictions.source import Asked, Source

OURS = {"row": "row", "candidate": "candidate", "answer": "answer", "label": "label"}  # names that columns have
_SAY_ALL = ("row", "candidate", "answer", "losses", "repeat")  # whoever names one of these needs no reader


def read(sources: Sequence[Source], given: Mapping[str, Any]) -> ReadPredictions | None:
    """The lines of the files, by the reader that is named or that they are for; None for a table that needs none.

    `given` are the arguments of `heldout.from_predictions`, as far as they were given: a table needs no reader if a
    column of it is named that says what a line is, or has the name that we give it. Raises BadArgument where two
    readers fit, or none, and what the reader raises.
    """
    named = {name: value for name, value in given.items() if value is not None and value != OURS.get(name)}
    format = named.get("format")
    if format is None and (("row" in given and given["row"] is None) or named.keys() & {*_SAY_ALL}):
        return None
    label, fold, correct = (
        None if named.get(name) is None else str(named[name]) for name in ("label", "fold", "correct")
    )
    asked = Asked(label, fold, correct, progressive=bool(named.get("progressive")), only=named.get("only", ()))
    if format is not None:
        return _read(called(format), sources, asked)
    in_memory = all(one.has_columns and not one.head for one in sources)
    held = next((one for one in READERS if in_memory and one.of_objects and one.fits(sources) > 0), None)
    if held is not None:
        return held.read(sources, asked)
    reader = _only_one([one for one in READERS if one.of_text and one.fits(sources) >= 1], sources)
    ours = all(one.has_columns and _is_ours(one) for one in sources) if reader is None else False
    if reader is None and not ours:
        reader = _only_one([one for one in _of_columns(sources) if one.fits(sources) >= 1], sources)
    if reader is not None:
        return _read(reader, sources, asked)
    if ours or "correct" in named:
        return None
    if not all(one.has_columns for one in sources):
        raise BadArgument("format", f"{_files(sources)}: {nearest(sources)}")
    every = ", ".join(dict.fromkeys(name for one in sources for name in one.names))
    raise BadArgument(
        "answer",
        f"answer is 'answer', but {_files(sources)} has the columns {every}; name the column there; {nearest(sources)}",
    )


def _read(reader: Reader, sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines. Raises BadArgument for what is to be chosen in a text that has no columns, by another name."""
    if asked.only and any(not one.has_columns for one in sources):
        unknown = [text for text in asked.only if text.partition("=")[0] not in reader.only]
        if unknown:
            known = f": it may be {', '.join(reader.only)}" if reader.only else ""
            raise BadArgument("only", f"only is {unknown[0]}, but {reader.tool}'s text has no columns{known}")
    return reader.read(sources, asked)


def _is_ours(source: Source) -> bool:
    return OURS["answer"] in source.names or LOSS in source.names


def _only_one(found: Sequence[Reader], sources: Sequence[Source]) -> Reader | None:
    """The reader that was found; None where none was. Raises BadArgument for two."""
    if len(found) > 1:
        raise BadArgument(
            "format",
            f"format: {_files(sources)} may be of {found[0].name} (needs {found[0].needs}) or of {found[1].name} "
            f"(needs {found[1].needs}); name it: --format {found[0].name}, or --format {found[1].name}",
        )
    return found[0] if found else None


def _of_columns(sources: Sequence[Source]) -> list[Reader]:
    return (
        [one for one in READERS if not (one.of_text or one.of_objects)]
        if all(one.has_columns for one in sources)
        else []
    )


def called(name: str) -> Reader:
    """The reader of this name. Raises BadArgument for a name that is not known."""
    plain = name.lower().replace("-", "_")
    for one in READERS:
        if one.name == plain:
            return one
    raise BadArgument("format", f"format is {name!r}; it must be one of {', '.join(one.name for one in READERS)}")


def nearest(sources: Sequence[Source]) -> str:
    """The two formats that the files come nearest to, and what these need; for a message."""
    known = [one for one in READERS if one.of_text] if any(one.head for one in sources) else []
    near = sorted([*_of_columns(sources), *known], key=lambda one: -one.fits(sources))[:2]
    listed = " and ".join(f"{one.name} (needs {one.needs})" for one in near)
    return f"it is of no format that is known: the nearest are {listed}; --format names one"


def _files(sources: Sequence[Source]) -> str:
    return ", ".join(one.name for one in sources)
