"""The installed scikit-learn, where its versions differ in what no parameter of a learner says."""

import re


def sklearn_since(*numbers: int) -> bool:
    """Whether scikit-learn is of this version or a later one: `sklearn_since(1, 9, 1)`."""
    import sklearn

    return numbers <= tuple(int(number) for number in re.findall(r"\d+", sklearn.__version__)[:3])
