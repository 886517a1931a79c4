"""What the lines of a table of answers were taken for: said with every number, since no table says it by itself."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from heldout.losses import Loss
from heldout.notebook.given_losses import Given
from heldout.predictions.long_table import LongTable

_CALLED = {"correct": "what is right", "losses": "losses"}


@dataclass(frozen=True)
class Taken:
    """How many rows, lines and answers a table has, and whose answers they were taken for.

    Attributes
    ----------
    rows, lines : int
        How many rows of data there are, and how many lines of the table are about them.
    named_by : str or None
        The column with the name of the row; None where each line is a row of its own.
    least, most : int
        How many answers a candidate has to a row.
    answers : str
        What an answer is: a class, a number, the probability of a class.
    candidates : int
        How many candidates there are.
    folds, partitions : int
        How many models of a candidate answered a row's partition, 0 where one model answered all rows; and how many
        partitions of the rows there are.
    perhaps : tuple of str
        Columns that are named like folds, where no fold was named.
    starts_again : bool
        Whether the names of rows with several answers count up and start again, as numbers within folds do.
    words : str
        Whose answers they are, where neither one model nor one for each fold answered; else empty.
    """

    rows: int
    lines: int
    named_by: str | None
    least: int
    most: int
    answers: str
    candidates: int
    folds: int = 0
    partitions: int = 1
    perhaps: tuple[str, ...] = ()
    starts_again: bool = False
    words: str = ""

    @classmethod
    def of(cls, lines: LongTable, named_by: str | None, answers: str, **whose: Any) -> Self:
        """From the lines that count; `whose` has the folds, the partitions and what may be folds."""
        least, most = lines.answers
        return cls(
            len(lines.rows),
            int(np.count_nonzero(np.bincount(lines.source))),
            named_by,
            least,
            most,
            answers,
            len(lines.candidates),
            **whose,
        )

    def of_lines(self) -> str:
        """How many rows, lines and answers there are."""
        if self.named_by is None:
            return f"{self.rows}, each a line of its own; one answer of a candidate to each"
        several = f"{self.least} to {self.most}" if self.least < self.most else str(self.most)
        counted = "one in each partition" if self.partitions > 1 else "which count once, by their mean loss"
        many = "one answer" if self.most == 1 else f"{several} answers"
        how = f", {counted}" if self.most > 1 else ""
        again = " (which starts again: as numbers within folds do?)" if self.starts_again else ""
        return (
            f"{self.rows}, named by {self.named_by}{again}, in {self.lines} lines; {many} of a candidate to each{how}"
        )

    def of_models(self) -> str:
        """Whose answers they are, and how to say what else they may be."""
        each = " of each candidate" if self.candidates > 1 else ""
        if self.words:
            return f"{self.answers}, {self.words}"
        if self.folds:
            count = self.folds * self.partitions
            of = f", of {self.folds} folds in {self.partitions} partitions" if self.partitions > 1 else ""
            return (
                f"{self.answers}, by {count} models{each}{of}, each trained on the rows of the other folds and no "
                "others, with no threshold or weights chosen on its own"
            )
        perhaps = f" ({', '.join(self.perhaps)}?)" if self.perhaps else ""
        return (
            f"{self.answers}, by one model{each} that saw none of these rows, nor had a threshold or weights chosen on "
            f"them; if not: name fold{perhaps}, and repeat, of cross-validation; of out-of-bag answers or a stream no "
            "bound is known"
        )


def answers_called(given: Given, loss: Loss, classes: Any, needs: str, less_likely: tuple[int, str]) -> str:
    """What an answer is, as it was judged: by what the loss or the metric needs, of the sorted `classes`.

    `less_likely` are in how many lines it is not the class that is likeliest by some columns, and their names.
    """
    if given.argument != "answer":
        return _CALLED[given.argument]
    if needs in ("probabilities", "ranks") and len(classes) == 2:
        of = classes[0 if given.about_first(classes) else 1]
        return f"probabilities of {of}" if needs == "probabilities" else f"numbers, larger where {of} is likelier"
    if not loss.of_classes or needs == "ranks":
        return "numbers"
    count, names = less_likely
    return f"classes, in {count} lines not the likeliest by {names} (by a threshold)" if count else "classes"
