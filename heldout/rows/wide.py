"""Labels and answers in a type whose differences do not wrap: as uint8, 1 - 2 is 255.

They are made wide at the doors, where a table, a target or an answer comes in. So no function of anybody's has to think
of it: a loss, a metric, the `fit` of a learner that has a score of its own.
"""

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument

_MOST = np.iinfo(np.int64).max


def wide(values: NDArray[Any], argument: str) -> NDArray[Any]:
    """Whole numbers as int64, float16 and decimals as float64, of any shape; all other values as they are.

    Truth values stay what they are: numpy refuses their difference. float32 too, which some learners ask for: its
    largest number is 3e38. Raises BadArgument for whole numbers beyond int64.
    """
    if values.dtype == object and values.size and all(isinstance(value, Decimal) for value in values.flat):
        return values.astype(np.float64)
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "f" and size < 4:
        return values.astype(np.float64)
    if kind not in "iu" or values.dtype == np.int64:
        return values
    if kind == "u" and size == 8 and values.size and int(values.max()) > _MOST:
        raise BadArgument(
            argument,
            f"{argument} holds {values.max()}, a whole number beyond 2^63 - 1, whose difference from another is not "
            "exact: write names as text, and numbers as floats",
        )
    return values.astype(np.int64)
