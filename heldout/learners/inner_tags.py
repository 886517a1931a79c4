"""What a learner around another one says of itself to scikit-learn: what the one inside says."""

from typing import Any

from sklearn.utils import get_tags


def with_tags_of(learner: Any, tags: Any) -> Any:
    """`tags`, of scikit-learn's `Tags`, with the kind, the inputs and the targets of `learner`."""
    inner = get_tags(learner)
    for name in ("estimator_type", "classifier_tags", "regressor_tags", "input_tags", "target_tags"):
        setattr(tags, name, getattr(inner, name))
    return tags
