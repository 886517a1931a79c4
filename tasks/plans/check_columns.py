"""Whether a candidate can use the prepared columns: checked from the files' headers before any fit."""

from collections.abc import Iterator
from typing import Any

import psutil
import pyarrow.parquet

from heldout.checks.column_kind import kind_of_dtype
from tasks.data.column_types import MOST_ERRORS
from tasks.params import Settings
from tasks.params.build_learner import AUTO
from tasks.plans import all_labeled
from tasks.runtime.errors import UserError
from tasks.storage import files

_CALLED = {"category": "a category", "date": "dates", "text": "text"}
_BYTES = 8


def check_columns(settings: Settings) -> None:
    """Raise UserError, a line for each candidate that cannot use the prepared columns.

    Without preprocessing, learners of scikit-learn, LightGBM and XGBoost that contain no transformer are checked.
    With `preprocess: auto`, a dense matrix that does not fit in the free memory is refused.
    """
    kinds = {name: kind_of_dtype(dtype) for name, dtype in files.read_dtypes(files.LABELED).items()}
    gaps = dict(_gaps())
    errors = []
    for place, candidate in enumerate(settings.candidates):
        learner = candidate.learner()
        reason = None
        if candidate.preprocess is None and _is_checked(learner):
            reason = _does_not_take(learner, kinds, gaps)
        elif candidate.preprocess == AUTO:
            reason = _too_wide(learner.steps[-1][1], kinds, settings)
        if reason is not None:
            errors.append(f"candidates[{place}]: {candidate.name} ({candidate.estimator}) {reason}")
    if errors:
        more = [f"… and {len(errors) - MOST_ERRORS} more"] if len(errors) > MOST_ERRORS else []
        raise UserError("\n".join(errors[:MOST_ERRORS] + more))


def _gaps() -> Iterator[tuple[str, str]]:
    """Each column with gaps, and in which file; the labelled rows come last, so that they replace a shard."""
    others = [path for path in (files.TEST, files.ALL_LABELED) if path.exists()]
    for path in [*files.shards(), *others, files.LABELED]:
        for name, count in files.read_gaps(path).items():
            yield name, f"{count} gaps in {path.name}"


def _is_checked(learner: Any) -> bool:
    from heldout.preprocessing import parts

    packages = ("sklearn", "lightgbm", "xgboost", "heldout")
    return all(
        type(part).__module__.split(".")[0] in packages
        and not type(part).__module__.startswith("sklearn.dummy")  # it uses no column
        and not hasattr(part, "transform")
        for part in parts(learner)
    )


def _does_not_take(learner: Any, kinds: dict[str, Any], gaps: dict[str, str]) -> str | None:
    from heldout.preprocessing import takes_categories, takes_gaps

    remedy = "write preprocess: auto for it, or name the column in data.drop"
    for name, kind in kinds.items():
        if kind in ("date", "text") or (kind == "category" and not takes_categories(learner)):
            return f"does not take the column {name!r}, which holds {_CALLED[kind]}; {remedy}"
    if gaps and not takes_gaps(learner):
        name, where = next(iter(gaps.items()))
        return f"does not take the column {name!r}, which has {where}; {remedy}"
    return None


def _too_wide(learner: Any, kinds: dict[str, Any], settings: Settings) -> str | None:
    """For a learner that takes no sparse matrix: why its dense matrix does not fit in the free memory, if so."""
    from heldout.preprocessing import most_words, orders_categories, takes_sparse

    if takes_sparse(learner):
        return None
    one_hot = [name for name, kind in kinds.items() if kind == "category"]
    width = len(kinds) + (most_words(learner) or 0) * sum(kind == "text" for kind in kinds.values())
    if one_hot and not orders_categories(learner):
        table = pyarrow.parquet.read_table(files.LABELED, columns=one_hot).to_pandas()
        width += sum(len(table[name].cat.categories) for name in one_hot)
    rows, workers = pyarrow.parquet.read_metadata(files.LABELED).num_rows, settings.execution.workers
    if all_labeled.count() > rows * workers:  # the fit of all labelled rows, which one worker makes
        rows, workers = all_labeled.count(), 1
    needed = rows * width * _BYTES * workers
    free = psutil.virtual_memory().available
    if needed <= free:
        return None
    return (
        f"takes no sparse matrix, and preprocess: auto would give it {rows} rows of {width} dense columns: "
        f"{needed / 1e9:.1f} GB in {workers} workers, where {free / 1e9:.1f} GB are free; use "
        "another learner, or name its widest columns in data.drop"
    )
