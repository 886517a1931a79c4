"""data/results: what each scheme leaves for `select`, one table a kind of number."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import covalidation, cross_validation, holdout, progressive
from heldout.records import Split
from tasks import files
from tasks.fit import Finished

_COLUMNS = ["candidate", "unit", "row", "loss"]


def write_holdout(held_out: Mapping[str, Finished], final: Mapping[str, Finished], failures: Mapping[str, str]) -> None:
    """Losses of g- on the held-out rows, and of g on the rows that it was trained on."""
    validation = files.read_partition().validation
    losses = _losses(held_out, [holdout.split(validation)])
    in_sample = _losses(final, [holdout.final_split(len(validation))])
    files.write_result("holdout", {"losses": losses, "in_sample": in_sample}, failures)


def write_cross_validation(finished: Mapping[str, Finished], failures: Mapping[str, str]) -> None:
    """One loss a row, its unit the fold."""
    splits = cross_validation.splits(files.read_partition().fold)
    files.write_result("cross_validation", {"losses": _losses(finished, splits)}, failures)


def write_progressive(finished: Mapping[str, Finished], failures: Mapping[str, str], block: int) -> None:
    """One loss a tested row, its unit the step."""
    step = files.read_partition().step
    losses = _losses(finished, progressive.splits(step, block))
    losses["unit"] = step[losses["row"].to_numpy(dtype=np.intp)]
    losses = losses.sort_values("unit", kind="stable")
    in_order = [losses[losses["candidate"] == candidate] for candidate in finished]
    files.write_result("progressive", {"losses": pd.concat(in_order, ignore_index=True)}, failures)


def write_covalidation(
    finished: Mapping[str, Finished], disagreement: pd.DataFrame, failures: Mapping[str, str]
) -> None:
    """The loss of each row by the half model that did not see it, training errors, disagreement."""
    halves = files.read_halves()
    splits = [split for half in halves for split in covalidation.splits(half)]
    losses = _losses(finished, splits)
    losses["unit"] //= 2  # two hypotheses a repeat
    losses = losses.sort_values(["unit", "row"], kind="stable")
    in_order = [losses[losses["candidate"] == candidate] for candidate in finished]
    training = pd.DataFrame(list(_training_errors(finished)), columns=["candidate", "repeat", "half", "error"])
    tables = {"losses": pd.concat(in_order, ignore_index=True), "training": training, "disagreement": disagreement}
    files.write_result("covalidation", tables, failures)


def _losses(finished: Mapping[str, Finished], splits: Sequence[Split]) -> pd.DataFrame:
    """A line for each candidate, unit and row, in that order."""
    unit: NDArray[np.int64] = np.repeat(np.arange(len(splits)), [len(split.validation) for split in splits])
    row = np.concatenate([split.validation for split in splits])
    tables = [
        pd.DataFrame({"candidate": candidate, "unit": unit, "row": row, "loss": np.concatenate(units.losses)})
        for candidate, units in finished.items()
    ]
    return pd.concat(tables, ignore_index=True)[_COLUMNS]


def _training_errors(finished: Mapping[str, Finished]) -> Iterator[tuple[str, int, int, float | None]]:
    for candidate, units in finished.items():
        for number, error in enumerate(units.training_errors):
            yield candidate, number // 2, number % 2, error
