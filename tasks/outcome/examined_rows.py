"""The questions to new labelled rows, and the words of their verdict (`heldout.monitoring.new_batch`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.errors import FitFailure
from heldout.learners.fitting import test
from heldout.losses import Loss, Losses, choose_loss
from heldout.monitoring import new_batch
from heldout.monitoring.new_batch import Answer, Asked, Verdict
from heldout.printable import plain, printable
from tasks.data.prepare_tables import ReadRows
from tasks.data.row_contents import contents
from tasks.outcome.operations import cut
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage.files import TARGET

_MOST_ASKED = 20_000  # rows before the batch of which the champion is asked
_MOST_COLUMNS_ASKED = 20_000  # rows before the batch whose columns are asked
_MOST_LETTERS = 60  # of a label or a column
_MOST_SAID = 5  # columns with new values


@dataclass(frozen=True, eq=False)
class ChampionLosses:
    """The losses of the champion on the rows of the pool, shape (N,), NaN where it was not asked; or why none was."""

    losses: Losses
    version: str | None = None
    why_not: str = ""

    def mean(self, rows: NDArray[np.bool_]) -> float | None:
        """The mean over some rows, None without one that was asked."""
        known = self.losses[rows]
        known = known[~np.isnan(known)]
        return float(known.mean()) if len(known) else None


@dataclass(frozen=True, eq=False)
class NewRows:
    """The rows of the pool that are `new`, and the sets of rows before with which they are compared, masks (N,).

    `unit` is a word for the group of each row, or for its copies that are kept together; None where neither is so. Rows
    of one time are rows: a batch is often of one day, which as one observation would say nothing.
    """

    rows: ReadRows
    new: NDArray[np.bool_]
    before: Sequence[NDArray[np.bool_]]
    arrival: NDArray[np.int64]  # with which batch each row came, the newest last
    unit: NDArray[np.uint64] | None
    loss: Loss  # by which an answer is judged; each row counts once

    @classmethod
    def of(
        cls,
        rows: ReadRows,
        new: NDArray[np.bool_],
        before: Sequence[NDArray[np.bool_]],
        arrival: NDArray[np.int64],
        settings: Settings,
    ) -> "NewRows":
        """Raises UserError for labels that the loss refuses."""
        y = rows.pool[TARGET].to_numpy()
        try:
            loss = choose_loss(settings.judged_by, y, called="the target", loss_max=settings.loss_max)
        except ValueError as error:
            raise UserError(f"data.target: {error}") from None
        return cls(rows, new, before, arrival, rows.unit(settings), loss)

    def with_the_last(self, batches: int) -> "NewRows | None":
        """The same with the last batches as one, the newest among them; None without a row before them."""
        new = self.new | (self.arrival > self.arrival.max() - batches)
        before = self.before[0] & ~new
        return replace(self, new=new, before=[before]) if before.any() else None

    @property
    def y(self) -> NDArray[Any]:
        """The labels of the pool."""
        return self.rows.pool[TARGET].to_numpy()

    def losses(self, hypothesis: Any, seen: NDArray[np.bool_], version: str) -> ChampionLosses:
        """The losses of the champion on new rows, and on rows before that are not among those it has `seen`."""
        X, losses = self.rows.pool.drop(columns=TARGET), np.full(len(self.new), np.nan)
        asked = np.flatnonzero(self.before[0] & ~seen)
        if len(asked) > _MOST_ASKED:  # those of the least identities, which are as random as a draw
            asked = asked[np.argsort(self.rows.ids["identity"].to_numpy()[asked], kind="stable")[:_MOST_ASKED]]
        asked = np.sort(np.concatenate([asked, np.flatnonzero(self.new)]))
        columns = list(getattr(hypothesis, "feature_names_in_", X.columns))
        if missing := [str(name) for name in columns if name not in X]:
            return ChampionLosses(losses, why_not=f"the table lacks its column {missing[0]}")
        try:
            some = X.iloc[asked][columns].reset_index(drop=True)
            losses[asked] = test(hypothesis, some, self.y[asked], np.arange(len(asked)), self.loss)
        except (FitFailure, ValueError) as failure:
            return ChampionLosses(np.full(len(self.new), np.nan), why_not=str(failure))
        return ChampionLosses(losses, version)

    def verdicts(self, champion: ChampionLosses) -> tuple[Verdict, Verdict]:
        """The verdict by all questions, against that set of rows before that the new rows are least unlike.

        And against the first set, all rows before, which has the words: where the new rows are unlike all sets, they
        are unlike this one.
        """
        found = [self._against(before, champion) for before in self.before]
        return new_batch.least_unlike(found), found[0]

    def _against(self, before: NDArray[np.bool_], champion: ChampionLosses) -> Verdict:
        part, unit = self.new | before, self.unit
        word = self.rows.ids["identity"].to_numpy()[part]
        chosen = new_batch.one_of_each(None if unit is None else unit[part], word)
        asked = [
            Asked(one.check, cut(one.about), one.values[chosen]) for one in self._questions(part, champion.losses[part])
        ]
        return new_batch.examine(asked, self.new[part][chosen])

    def _questions(self, part: NDArray[np.bool_], losses: Losses) -> Iterator[Asked]:
        loss, X = self.loss, self.rows.pool.drop(columns=TARGET)[part]
        y = self.rows.pool[TARGET][part]
        labels = y.astype("str").str.slice(0, _MOST_LETTERS).to_numpy(object) if loss.of_classes else y.to_numpy()
        if not np.isnan(losses).all():
            yield Asked("error", "an error of the champion" if loss.binary else "a loss of the champion", losses)
        yield from new_batch.of_labels(labels, of_classes=loss.of_classes)
        yield from new_batch.of_copies(contents(X), labels, of_classes=loss.of_classes)
        gaps = {str(name)[:_MOST_LETTERS]: X[name].isna().to_numpy() for name in X.columns}
        old = ~self.new[part]
        yield from new_batch.of_missing({name: empty for name, empty in gaps.items() if not empty[old].all()})
        yield from self._of_columns(part, old)

    def _of_columns(self, part: NDArray[np.bool_], old: NDArray[np.bool_]) -> Iterator[Asked]:
        """The questions to the values of the features, of new rows and of at most so many before."""
        asked = np.ones(len(old), np.bool_)
        if old.sum() > _MOST_COLUMNS_ASKED:
            word = np.where(old, self.rows.ids["identity"].to_numpy()[part], np.uint64(0))
            asked = word <= np.sort(word[old])[_MOST_COLUMNS_ASKED - 1]
        values = compared_columns(self.rows, np.flatnonzero(part)[asked])
        for one in new_batch.of_columns(values, self.arrival[part][asked]):
            answers = np.full(len(old), np.nan)
            answers[asked] = one.values
            yield Asked(one.check, one.about, answers)

    def said(self) -> list[str]:
        """What is new about the batch and no question of chance: values that no row before has; copies."""
        rows, n = self.rows, int(self.new.sum())
        found = []
        for name, values in compared_columns(rows, np.flatnonzero(self.new | self.before[0])).items():
            new = self.new[self.new | self.before[0]]
            if values.dtype == object and (kinds := new_batch.new_values(values, new)):
                value, count = next(iter(kinds)), sum(kinds.values())
                more = f" and {len(kinds) - 1} more" if len(kinds) > 1 else ""
                found.append(
                    f"{name} has a value that no row before has: {value}{more}, in {count:,} of {n:,} new rows"
                )
        if copies := int((rows.ids["number"].to_numpy()[self.new] > 0).sum()):
            found.append(f"{copies:,} of {n:,} new rows equal another row in every column")
        return [cut(printable(text)) for text in found[:_MOST_SAID]]


def compared_columns(rows: ReadRows, places: NDArray[np.intp], *, target: bool = False) -> dict[str, NDArray[Any]]:
    """The columns whose values are compared, by their names: numbers, with NaN for a gap, or objects, with None.

    Dates are always new, and texts are. The `target` is among them where it is asked for.
    """
    found: dict[str, NDArray[Any]] = {}
    for name in rows.pool.columns:
        if name == TARGET and not target:
            continue
        values = rows.pool[name].iloc[places]
        if name != TARGET and rows.columns[str(name)].kind in ("date", "text"):
            continue
        if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_complex_dtype(values.dtype):
            found[str(name)[:_MOST_LETTERS]] = values.to_numpy(np.float64, na_value=np.nan)
        else:
            gaps = values.isna().to_numpy()
            texts = [None if gap else str(value)[:_MOST_LETTERS] for value, gap in zip(values, gaps, strict=True)]
            found[str(name)[:_MOST_LETTERS]] = np.array(texts, dtype=object)
    return found


def reason(answer: Answer, unit: str) -> str:
    """Why a batch is held back, in words."""
    now, before = (f"{plain(float(f'{100 * share:.3g}'))} %" for share in (answer.share, answer.before))
    said = f"{answer.about} in {now} of {answer.asked:,} new {unit}"
    return cut(printable(f"{said}, and in {before} of {answer.asked_before:,} before"))
