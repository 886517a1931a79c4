"""What every shortcut asks of labels is what scikit-learn asks of them."""

import warnings

import numpy as np
import pytest
from sklearn.utils.multiclass import type_of_target

from heldout.shortcuts.preconditions import Labels
from heldout.shortcuts.shortcut import Declined

VALUES = {
    "whole": np.array([3, -1, 7, -1]),
    "bytes of 8 bits": np.array([3, 1, 255], dtype=np.uint8),
    "truths": np.array([True, False, True]),
    "texts": np.array(["b", "", "a", "b"]),
    "whole floats": np.array([0.0, 2.0, 1.0]),
    "floats": np.array([0.5, 2.0, 1.0]),
    "missing": np.array([np.nan, 1.0, 0.0]),
    "bytes": np.array([b"a", b"b"]),
    "objects of texts": np.array(["b", "a"], dtype=object),
    "mixed objects": np.array(["b", 1, None], dtype=object),
    "objects of numbers": np.array([1, 0], dtype=object),
    "complex": np.array([1j, 2.0]),
    "dates": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
}


def taken(y):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # of bytes, before scikit-learn 1.7
            return type_of_target(y) in ("binary", "multiclass")
    except (TypeError, ValueError, FutureWarning):
        return False


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize("kind", VALUES)
def test_labels_are_taken_where_scikit_learn_takes_them(kind):
    y = np.tile(VALUES[kind], 3)
    try:
        found = Labels.of(y, len(y))
    except Declined:
        assert not taken(y)
        return
    assert taken(y)
    np.testing.assert_array_equal(found.classes[found.codes], y)


def test_labels_of_another_shape_or_of_one_class_are_declined():
    for y in (np.ones((4, 2), dtype=int), np.arange(3), [0, 1, 0, 1]):
        with pytest.raises(Declined, match="no 1-D array of classes"):
            Labels.of(y, 4)
    with pytest.raises(Declined, match="a single class"):
        Labels.of(np.array(["a", "a"]), 2)
