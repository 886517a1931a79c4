"""What a reader returns: lines of answers, what they are about, and what the tool says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values

Target = Literal["one model", "folds", "progressive", "out-of-bag", "resamples", "windows"]
MANY = 6  # names in a sentence


@dataclass(frozen=True)
class Printed:
    """A number that the tool prints of each candidate, where it may be another than ours.

    `values` are in units of the `loss` of this name: for a root of a mean square its square. `how` says what it is the
    mean of, or why it differs.
    """

    values: Mapping[str, float]
    how: str
    loss: str = "zero_one"


@dataclass(frozen=True, eq=False)
class ReadPredictions:
    """L lines of answers to rows that somebody else's tool wrote.

    Attributes
    ----------
    format, tool : str
        The name of the reader, and that of the tool.
    row, candidate : ndarray of shape (L,)
        The names of the row and of the candidate of each line.
    answer, label, correct, losses : ndarray of shape (L,), or None
        The answer and the true label; or in their place what is right, or the losses.
    target : str
        Whose answers they are: of one model, of the models of k folds, of a stream that is tested before it trains
        (lines in the order of its steps), each row of the models that did not see it (out-of-bag, or in resamples),
        or of models that were fitted again and again on the past of a series.
    fold, repeat : ndarray of shape (L,), optional
        The fold, and the number of the partition into folds.
    folds_unknown : bool
        Whether there were folds which the file does not name.
    group : ndarray of shape (L,), optional
        Rows that depend on one another have the same value.
    cutoff : ndarray of shape (L,), optional
        The number in time of the cutoff that a row was forecast from, of which `overlap` in a row share times.
    stratum : ndarray of shape (L,), optional
        The task of the row: the error is the mean over tasks.
    classes : ndarray of shape (K,), optional
        The classes of the columns of `shares`.
    shares : ndarray of shape (L, K), optional
        The probability of each class.
    numbers : bool
        Whether answers are numbers and no classes.
    shares_note : str
        What should be known of the probabilities where they are used.
    left_out : mapping of str to int
        Why lines or rows were left out, and how many.
    printed : sequence of Printed
        What the tool prints.
    notes : sequence of str
        What else should be known, a sentence each.
    no_interval : str
        Why no interval is claimed; empty where one may be.
    """

    format: str
    tool: str
    row: Values
    candidate: Values
    label: Values | None = None
    answer: Values | None = None
    correct: Values | None = None
    losses: Values | None = None
    target: Target = "one model"
    fold: Values | None = None
    repeat: Values | None = None
    folds_unknown: bool = False
    group: Values | None = None
    stratum: Values | None = None
    cutoff: Values | None = None
    overlap: int = 1
    classes: Values | None = None
    shares: NDArray[np.float64] | None = None
    numbers: bool = False
    shares_note: str = ""
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    printed: Sequence[Printed] = ()
    notes: Sequence[str] = ()
    no_interval: str = ""

    def table(self) -> dict[str, Values]:
        """The lines as a table of `heldout.from_predictions`, with the names that it has by default."""
        columns = {
            name: getattr(self, name)
            for name in (
                "row",
                "candidate",
                "answer",
                "label",
                "correct",
                "losses",
                "fold",
                "repeat",
                "group",
                "stratum",
                "cutoff",
            )
        }
        return {name: values for name, values in columns.items() if values is not None}

    @property
    def says(self) -> str:
        """What was read, in one line."""
        rows = len(set(self.row.tolist()))
        names = [*dict.fromkeys(map(str, self.candidate.tolist()))]
        shown = ", ".join(names[:MANY]) + (f" and {len(names) - MANY} more" if len(names) > MANY else "")
        parts = [f"{rows} rows", *self._resamples()]
        if self.stratum is not None:
            parts.append(_count(len(set(self.stratum.tolist())), "task"))
        parts.append(f"candidate{'s' * (len(names) > 1)} {shown}")
        return f"{self.tool} predictions: {', '.join(parts)}"

    def _resamples(self) -> list[str]:
        if self.folds_unknown:
            return ["folds that the file does not name"]
        if self.fold is not None and self.repeat is not None:
            repeats = len(set(self.repeat.tolist()))
            folds = len({*zip(self.repeat.tolist(), self.fold.tolist(), strict=True)}) // repeats
            return [f"{folds} folds" + (f" x {repeats} repeats" if repeats > 1 else "")]
        if self.fold is not None:
            folds = len(set(self.fold.tolist()))
            return ["leave-one-out" if folds == len(set(self.row.tolist())) else f"{folds} folds"]
        of_target = {
            "progressive": "each tested before it was trained on",
            "out-of-bag": "out-of-bag",
            "resamples": "tested in resamples",
            "windows": "tested in windows of time",
        }
        return [of_target[self.target]] if self.target in of_target else []


def joined(parts: Sequence[ReadPredictions], names: Sequence[str]) -> ReadPredictions:
    """The lines of several files, whose candidates have the name of the file before theirs.

    Raises BadArgument for files of different kinds.
    """
    if len(parts) == 1 and not names[0]:
        return parts[0]
    named = [_named(part, name) for part, name in zip(parts, names, strict=True)]
    first = named[0]
    for other in named[1:]:
        if (other.target, other.classes is None) != (first.target, first.classes is None):
            raise BadArgument("table", f"the files hold answers of different kinds: {first.says}; {other.says}")
    together: dict[str, Any] = {
        name: _together(name, [getattr(part, name) for part in named])
        for name in (
            "row", "candidate", "answer", "label", "correct", "losses", "fold", "repeat", "group", "stratum", "cutoff",
            "shares",
        )
    }  # fmt: skip
    named_classes = [[] if part.classes is None else [*map(str, part.classes.tolist())] for part in named]
    if any(one != named_classes[0] for one in named_classes):
        together["shares"] = None
    left_out: dict[str, int] = {}
    for part in named:
        for why, count in part.left_out.items():
            left_out[why] = left_out.get(why, 0) + count
    return replace(
        first,
        **together,
        overlap=max(part.overlap for part in named),
        left_out=left_out,
        printed=tuple(one for part in named for one in part.printed),
        notes=tuple(dict.fromkeys(note for part in named for note in part.notes)),
    )


def _together(name: str, values: Sequence[Any]) -> Any:
    missing = [one is None for one in values]
    if all(missing):
        return None
    if any(missing):
        if name == "shares":
            return None
        raise BadArgument("table", f"some of the files have a {name} for each line, and others have none")
    if name != "shares" and len({one.dtype.kind in "biuf" for one in values}) > 1:
        values = [one.astype(object) for one in values]
    return np.concatenate(values)


def _named(part: ReadPredictions, name: str) -> ReadPredictions:
    """With the name of the file before those of its candidates, or in place of a single one."""
    own = [*dict.fromkeys(part.candidate.tolist())]
    if not name:
        return part
    new = {one: f"{name}: {one}" if len(own) > 1 else name for one in own}
    candidate = np.array([new[one] for one in part.candidate.tolist()], dtype=object)
    printed = tuple(
        replace(one, values={new.get(key, key): value for key, value in one.values.items()}) for one in part.printed
    )
    return replace(part, candidate=candidate, printed=printed)


def _count(many: int, what: str) -> str:
    return f"{many} {what}{'s' * (many != 1)}"
