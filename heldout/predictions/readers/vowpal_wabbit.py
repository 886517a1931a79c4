"""Vowpal Wabbit's `-p`, next to the data that it read: a number for each row, with the tag of the row.

Each line is the answer before the row was trained on. With `--passes` there is a line for each row and pass, and rows
10, 20, … are held out of the training of all passes (`--holdout_period`), of which VW prints the loss in the best pass,
with an h. Those of the last pass count, or of the pass that `--only pass=N` names. The answer is a margin, of
`--link=logistic` a probability; `--binary` gives signs. A label of 0 is no class of `logistic` and `hinge`, whose
labels are -1 and 1: it is one half. J. Langford and others, Vowpal Wabbit wiki: Input format, Loss functions, Command
line.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values
from heldout.predictions.read_predictions import ReadPredictions, Target, joined
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_ANSWER = re.compile(rf"{_NUMBER}(?: \S+)?")
_DATA = re.compile(rf"\s*(?:(?P<label>{_NUMBER})(?P<weight>\s+{_NUMBER}){{0,2}})?\s*'?(?P<tag>[^\s|]*)\|.*")
_HELD = 10


def fits(sources: Sequence[Source]) -> float:
    """1 for predictions and their data, less without the one or the other."""
    if not all(one.head for one in sources):
        return 0.0
    data = [_is_data(one) for one in sources]
    answers = [_is_answers(one) for one in sources]
    if not all(a or b for a, b in zip(data, answers, strict=True)):
        return 0.0
    return 1.0 if sum(data) == 1 and any(answers) else 0.9


def _is_data(source: Source) -> bool:
    lines = [line for line in source.head if line.strip()]
    return bool(lines) and all(_DATA.fullmatch(line) for line in lines)


def _is_answers(source: Source) -> bool:
    lines = [line for line in source.head if line.strip()]
    return bool(lines) and all(_ANSWER.fullmatch(line.strip()) for line in lines)


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file of predictions. Raises BadArgument without the data, and for data of other rows."""
    data = [one for one in sources if _is_data(one)]
    answers = [one for one in sources if not _is_data(one)]
    if len(data) != 1 or not answers:
        raise BadArgument(
            "format",
            "predictions of Vowpal Wabbit hold no labels: give the file of predictions and the data that it read: "
            "compare predictions.p data.vw",
        )
    labels, tags = _labels(data[0])
    several = len(answers) > 1
    parts = [_read(one, labels, tags, asked, data[0].name) for one in answers]
    return joined(parts, [one.candidate or (one.name if several else "") for one in answers])


def _labels(source: Source) -> tuple[NDArray[np.float64], list[str]]:
    labels, tags = [], []
    for number, line in enumerate(source.lines, 1):
        if not line.strip():
            continue
        found = _DATA.fullmatch(line)
        if found is None:
            raise BadArgument("table", f"line {number} of {source.name} is no row of Vowpal Wabbit's text format")
        labels.append(float(found["label"]) if found["label"] else np.nan)
        tags.append(found["tag"])
    return np.array(labels), tags


def _read(source: Source, labels: NDArray[np.float64], tags: Sequence[str], asked: Asked, data: str) -> ReadPredictions:
    lines = [line.split() for line in source.lines if line.strip()]
    said, of_lines = np.array([float(line[0]) for line in lines]), [line[1] if len(line) > 1 else "" for line in lines]
    n = len(labels)
    passes, rest = divmod(len(said), n)
    if rest or not passes:
        raise BadArgument("table", f"{source.name} has {len(said)} answers, and {data} has {n} rows: not a multiple")
    if any(tag and ours and tag != ours for tag, ours in zip(of_lines, [*tags] * passes, strict=True)):
        raise BadArgument("row", f"the tags of {source.name} are not those of {data}, in its order")
    target: Target = "progressive"
    notes = []
    chosen = np.arange(n)
    answers = said[:n]
    number = _pass(asked, passes)
    if passes > 1 and not asked.progressive:
        target = "one model"
        chosen = np.arange(_HELD - 1, n, _HELD)
        answers = said.reshape(passes, n)[number - 1, chosen]
        notes.append(
            f"rows {_HELD}, {2 * _HELD}, … of pass {number} of {passes}, which no pass trains on, unless by "
            "--holdout_off or another --holdout_period; the model still moves along the pass; --only pass=N takes "
            "another, --progressive the first with all its rows"
        )
        if not len(chosen):
            raise BadArgument(
                "table", f"{data} has {n} rows, of which none is held out; --progressive takes the first pass"
            )
    left = {f"answers of other passes, or to rows that are trained on (of {passes} passes)": len(said) - len(chosen)}
    y, known = labels[chosen], ~np.isnan(labels[chosen])
    unlabelled = int((~known).sum())
    if not known.any():
        raise BadArgument("label", f"{data} has no labels")
    label, answer, classes, shares, of_numbers = _as_classes(y[known], answers[known], said[0])
    if of_numbers:
        losses = (said.reshape(passes, n)[:, chosen[known]] - y[known]) ** 2
        best = int(np.argmin(losses.mean(axis=1))) if passes > 1 and not asked.progressive else 0
        which = f" in pass {best + 1}, the best of them on these rows" if passes > 1 and not asked.progressive else ""
        notes.append(
            f"by the squared loss VW prints an average loss of {losses[best].mean():.6g}: of these numbers{which}, and "
            "not of their signs"
        )
    return ReadPredictions(
        format="vowpal_wabbit",
        tool="Vowpal Wabbit",
        row=chosen[known],
        candidate=np.full(int(known.sum()), "vw", dtype=object),
        label=label,
        answer=answer,
        target=target,
        classes=classes,
        shares=shares,
        numbers=not {*y.tolist()} <= {-1.0, 0.0, 1.0} and bool(np.any(answer % 1 != 0)),
        left_out={**(left if passes > 1 else {}), **({"rows without a label": unlabelled} if unlabelled else {})},
        notes=notes,
    )


def _pass(asked: Asked, passes: int) -> int:
    """The pass that was asked for, else the last. Raises BadArgument for one that there is not."""
    for text in asked.only:
        value = text.partition("=")[2]
        if asked.progressive:
            raise BadArgument("only", f"only is {text}, and progressive takes the first pass; leave out one of both")
        if not value.isdecimal() or not 1 <= int(value) <= passes:
            raise BadArgument("only", f"only is {text}; the passes are 1 to {passes}")
        return int(value)
    return passes


def _as_classes(
    y: NDArray[np.float64], said: NDArray[np.float64], first: float
) -> tuple[Values, Values, Values | None, NDArray[np.float64] | None, bool]:
    """Labels and answers; classes and probabilities, if there are; and whether answers are numbers of two classes.

    The first answer of all, before any training, is 0 for a margin and one half for a probability.
    """
    kinds = {*y.tolist()}
    if kinds <= {-1.0, 1.0}:
        if {*said.tolist()} <= {-1.0, 1.0}:
            return y, said, None, None, False
        if first == 0.5 and said.min() >= 0 and said.max() <= 1:
            shares = np.stack([1 - said, said], axis=1)
            return y, np.where(said > 0.5, 1.0, -1.0), np.array([-1.0, 1.0]), shares, False
        return y, np.where(said > 0, 1.0, -1.0), None, None, True
    if kinds <= {0.0, 1.0}:
        if said.min() < 0 or said.max() > 1 or first == 0.5:
            raise BadArgument(
                "label",
                "the labels are 0 and 1, but the answers are no numbers of the squared loss from 0 to 1: for the "
                "logistic "
                "and the hinge loss Vowpal Wabbit's classes are -1 and 1, and it takes 0 for one half; train again "
                "with "
                "the labels -1 and 1",
            )
        shares = np.stack([1 - said, said], axis=1)
        return y, np.where(said > 0.5, 1.0, 0.0), np.array([0.0, 1.0]), shares, True
    return y, said, None, None, False


READER = Reader(
    name="vowpal_wabbit",
    tool="Vowpal Wabbit",
    versions="9.11.9",
    call="`vw DATA.vw -p FILE.p`, both files",
    holds="a line for each row and pass, before the row is trained on: of one pass the answers are progressive; of "
    "several those of the last pass, or of `--only pass=N`, to rows 10, 20, … count, which are held out; a margin "
    "becomes a sign, of `--link=logistic` a probability; labels 0 and 1 with the logistic loss are refused",
    prints="the average loss of training, squared by default and not the share of errors: progressive, or with an h "
    "that of the held-out rows",
    source="Vowpal Wabbit wiki: Input format, Loss functions, Command line arguments",
    needs="two files: answers, one a line, and the data with their |",
    fits=fits,
    read=read,
    of_text=True,
    only=("pass",),
)
