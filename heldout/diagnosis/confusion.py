"""Which class the rows of each class are taken for, by cross-validation: known before any test set is opened.

A row is answered by the fold hypothesis that did not train on it, as in E_cv; of several partitions into folds the
count is their mean. Counts are of rows, whatever their weights. With two classes the losses say it; with more, the fold
hypotheses are asked again.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from heldout.errors import BadArgument
from heldout.learners.fitting import answers
from heldout.losses import ZERO_ONE
from heldout.losses.loss import places
from heldout.records import Confused
from heldout.schemes.design import Design, Evidence

MOST_MODELS = 100


def confusion(
    design: Design, evidence: Evidence, candidate: str, hypotheses: Callable[[], Sequence[Any]], X: Callable[[], Any]
) -> tuple[Confused, ...]:
    """A record for each pair of classes that a row has; none for a loss other than 0/1, or several labels a row.

    And none for more than two classes and more than `MOST_MODELS` fold hypotheses: each would be asked, and fitted
    where a shortcut spared it.

    `hypotheses` returns those of the folds, and X the rows, shape (N, p): neither is called for two classes. Raises
    BadArgument without E_cv, and FitFailure for a hypothesis that does not answer.
    """
    if "E_cv" not in design.estimates:
        raise BadArgument("estimates", "confusion: E_cv was not computed; estimates must contain it")
    loss, y = design.loss, design.y
    if not loss.of_classes or not loss.binary or y.dtype.names:
        return ()
    classes = np.unique(y)
    counts = np.zeros((len(classes), len(classes)))
    of_losses, splits = len(classes) == 2, design.splits("cross_validation")
    if not of_losses and len(splits) > MOST_MODELS:
        return ()
    models, rows = ((), None) if of_losses else (hypotheses(), X())
    for number, split in enumerate(splits):
        tested = split.validation
        actual = places(y[tested], classes)
        if of_losses:
            wrong = np.asarray(evidence.losses["cross_validation"][number]) > 0
            answered = np.where(wrong, 1 - actual, actual)
        else:
            answered = places(answers(models[number], rows, ZERO_ONE, tested), classes)
        np.add.at(counts, (actual, answered), 1 / design.fold_repeats)
    names = [str(name) for name in classes.tolist()]
    return tuple(
        Confused(candidate, names[actual], names[answered], round(float(counts[actual, answered]), 9))
        for actual, answered in zip(*np.nonzero(counts), strict=True)
    )
