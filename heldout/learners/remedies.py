"""What to do about errors of learners that many people meet first: columns of strings, gaps, and early stopping."""

import re
from collections.abc import Sequence

_AUTO = "heldout.preprocessing.auto"
# of scikit-learn, XGBoost, LightGBM and CatBoost, in the versions that requirements.lock names and some before
_REMEDIES: Sequence[tuple[re.Pattern[str], str]] = (
    (
        re.compile(
            r"could not convert string to float|Cannot convert .+ to float|DataFrame\.dtypes for data must be|"
            r"pandas dtypes must be int, float or bool|dtype='numeric' is not compatible|"
            r"unsupported operand type\(s\) for .*'str'",
            re.IGNORECASE,
        ),
        f"the learner takes numbers alone: make_pipeline({_AUTO}(learner), learner), in params.yaml preprocess: auto, "
        "takes columns of any kind",
    ),
    (
        re.compile(r"Input X contains NaN|Input contains NaN"),
        f"the learner takes no gaps: make_pipeline({_AUTO}(learner), learner), in params.yaml preprocess: auto, fills "
        "them from training rows",
    ),
    (
        re.compile(
            r"early.?stopping.*(dataset|eval|valid)|at least (one|1) (validation )?dataset|eval_set|"
            r"To use .*early stopping|overfitting detector",
            re.IGNORECASE,
        ),
        "validation rows of early stopping must come from the training rows of each fit: leave it out and set the "
        "number of rounds, or take a learner that holds rows out by itself (HistGradientBoosting, early_stopping=True)",
    ),
)


def with_remedy(reason: str) -> str:
    """The reason of a failure, and what to do where that is known."""
    return next((f"{reason}; {remedy}" for pattern, remedy in _REMEDIES if pattern.search(reason)), reason)
