"""lm-evaluation-harness' `--log_samples`: a line for each document (and filter) in `MODEL/samples_TASK_DATE.jsonl`.

`doc_id` counts from 0 in each task; `doc_hash` says which document it is; `metrics` names the metrics of the line,
each a number of the document, or a pair such as that of `word_perplexity`, whose quotient of sums is the metric.
EleutherAI, lm-evaluation-harness, `docs/interface.md`, `lm_eval/evaluator.py`; a group is the mean over documents
(`weight_by_size`) unless its file says otherwise.
"""

import re
from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values
from heldout.predictions.read_predictions import Printed, ReadPredictions
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_ID, _HASH, _FILTER, _METRICS = "doc_id", "doc_hash", "filter", "metrics"
_OTHERS = (_ID, _HASH, _FILTER, _METRICS, "target", "prompt_hash", "target_hash")
_FILE = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.:-]+")


def fits(sources: Sequence[Source]) -> float:
    """1 with `doc_id`, and the metrics or the answers of the model (of versions that do not name the metrics)."""
    return min(0.5 * (_ID in one.names) + 0.5 * bool({_METRICS, "resps"} & {*one.names}) for one in sources)


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """A candidate for each folder, a stratum for each task. Raises BadArgument for what is no credit of a document."""
    rows, candidates, tasks, credits, hashes, notes = [], [], [], [], [], []
    seen: dict[tuple[str, str], str] = {}
    for source in sources:
        if _ID not in source.names:
            raise BadArgument("format", f"{source.name} has no field {_ID}, which lm_eval writes")
        task = found[1] if (found := _FILE.fullmatch(source.name)) else source.name
        candidate = source.candidate or source.folder or "model"
        before = seen.setdefault((candidate, task), source.name)
        if before is not source.name:
            raise BadArgument(
                "table", f"{candidate} has two files of the task {task}: {before}, {source.name}; give one"
            )
        _check_filter(source)
        metric, others = _metric(source, asked.correct)
        if others and not asked.correct:
            notes.append(f"{task} has also {', '.join(others)}: name one by correct (--correct {others[0]})")
        credits.append(_credit(source, metric))
        rows.append(np.array([f"{task}/{number}" for number in source.column(_ID).tolist()], dtype=object))
        count = len(rows[-1])
        candidates.append(np.full(count, candidate, dtype=object))
        tasks.append(np.full(count, task, dtype=object))
        hashes.append(source.column(_HASH) if _HASH in source.names else np.full(count, "", dtype=object))
        notes.append(f"{task}: {metric}")
    row, candidate_of, task_of, credit = map(np.concatenate, (rows, candidates, tasks, credits))
    _check_hashes(row, np.concatenate(hashes))
    many = len({*task_of.tolist()}) > 1
    means = {name: 1 - float(credit[candidate_of == name].mean()) for name in dict.fromkeys(candidate_of.tolist())}
    return ReadPredictions(
        format="lm_eval",
        tool="lm_eval",
        row=row,
        candidate=candidate_of,
        correct=credit,
        stratum=task_of if many else None,
        printed=(Printed(means, "a group is the mean over documents, and here each task counts alike"),)
        if many
        else (),
        notes=tuple(dict.fromkeys(notes)),
    )


def _check_filter(source: Source) -> None:
    if _FILTER not in source.names:
        return
    filters = [*dict.fromkeys(map(str, source.column(_FILTER).tolist()))]
    if len(filters) > 1:
        raise BadArgument(
            "filter",
            f"{source.name} has a line for each of the filters {', '.join(filters)}, which are answers of one model "
            "read "
            f"in several ways; choose one: --only filter={filters[0]}",
        )


def _metric(source: Source, asked: str | None) -> tuple[str, list[str]]:
    """The metric of a file, the first or the one that was asked for, and the others that are numbers."""
    if _METRICS in source.names:
        listed = source.column(_METRICS)[0]
        names = [str(one) for one in (listed if isinstance(listed, list | tuple | np.ndarray) else [listed])]
    else:
        names = [name for name in source.names if name not in _OTHERS and _is_number(source.column(name)[0])]
    if asked is not None:
        if asked not in source.names:
            raise BadArgument("correct", f"correct is {asked!r}, but {source.name} has the metrics {', '.join(names)}")
        return asked, []
    numbers = [name for name in names if name in source.names and not _is_pair(source.column(name)[0])]
    if not numbers:
        raise BadArgument(
            "correct",
            f"{source.name} has {', '.join(names)}, each a pair for a document, whose quotient of sums is the "
            "metric: no "
            "mean of losses of documents; leave the file out",
        )
    return numbers[0], numbers[1:]


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float | np.generic)


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray)


def _credit(source: Source, metric: str) -> Values:
    values = source.column(metric)
    if any(_is_pair(value) for value in values.tolist()):
        raise BadArgument(
            "correct",
            f"{metric} of {source.name} is a pair for each document, whose quotient of sums is the metric: no mean of "
            "losses of documents; name another by correct",
        )
    credit: Values = values.astype(np.float64)
    if np.any((credit < 0) | (credit > 1)):
        raise BadArgument(
            "correct", f"{metric} of {source.name} is not between 0 and 1: no share of the credit of a document"
        )
    return credit


def _check_hashes(row: Values, hashes: Values) -> None:
    first: dict[str, str] = {}
    for name, digest in zip(row.tolist(), hashes.tolist(), strict=True):
        if first.setdefault(name, digest) != digest:
            raise BadArgument(
                "row", f"the document {name} has another doc_hash in another file: these are no answers to one document"
            )


READER = Reader(
    name="lm_eval",
    tool="lm-evaluation-harness",
    versions="0.4.13",
    call="`lm_eval --log_samples --output_path DIR`: `DIR/MODEL/samples_TASK_DATE.jsonl`",
    holds="a line for each document and filter; a folder is a candidate, a file a task; a row is (task, doc_id), "
    "checked by "
    "`doc_hash`; the first of `metrics` is the credit; several tasks are strata",
    prints="the mean of the metric; of a group that over its documents, where ours is that over tasks. "
    "`word_perplexity`, "
    "`byte_perplexity` and `bits_per_byte` are quotients of sums and are refused",
    source="`lm_eval/evaluator.py`, `docs/interface.md`",
    needs="the fields doc_id, and metrics or resps",
    fits=fits,
    read=read,
)
