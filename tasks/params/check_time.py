"""What the parameters may say of rows in time."""

from heldout.estimates import NOT_IN_TIME
from tasks.params.sections import Data, SplitSection
from tasks.runtime.errors import Misplaced


def check_time(data: Data, split: SplitSection, criterion: str) -> None:
    """What rows in time cannot have; and a gap is theirs alone. Raises Misplaced."""
    if data.time is None:
        if split.gap:
            raise Misplaced(
                f"is {split.gap}, but data.time is null; name a column there, or write 0 here",
                ("split", "gap"),
            )
        return
    later = "would train on rows later than those that it tests"
    if split.folds == "loo":
        raise Misplaced(f"is loo, which with data.time {later}; write a number", ("split", "folds"))
    if criterion in NOT_IN_TIME:
        raise Misplaced(
            f"is {criterion}, which with data.time {later}; write another",
            ("selection", "criterion"),
        )
