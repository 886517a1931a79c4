"""The residuals of a hypothesis against its predictions: a bend, a wedge or a far point is seen at once.

A residual is the label less the prediction. Of many rows those at equal distances in the order of the predictions are
kept, with the rows of the least and the largest residual.
"""

import numpy as np

from heldout.metrics.metric import Answered
from heldout.records import Residual

MOST_ROWS = 1000


def residuals(answered: Answered) -> list[Residual]:
    """A line for each row that is kept, in the order of the predictions; empty for classes."""
    if answered.classes is not None or not answered.n:
        return []
    actual, predicted = (np.asarray(values, dtype=np.float64) for values in (answered.y, answered.predicted))
    residual = actual - predicted
    order = np.lexsort((actual, predicted))
    kept = np.linspace(0, len(order) - 1, min(len(order), MOST_ROWS - 2)).round().astype(np.intp)
    far = [int(np.flatnonzero(order == row)[0]) for row in (residual.argmin(), residual.argmax())]
    places = order[np.unique([*kept, *far])]
    return [Residual(*map(float, one)) for one in zip(actual[places], predicted[places], residual[places], strict=True)]
