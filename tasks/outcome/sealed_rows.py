"""What a person is asked before the test set is opened."""

from heldout.printable import printable
from tasks.runtime.errors import UserError
from tasks.storage import files

UNFINISHED = (
    "The last run ended before it wrote which model it chose. The winner is chosen again and tested on the test set; "
    "what that run had begun to open is its winner's alone."
)


def question() -> str:
    """Which rows the winner of the last run would meet. Raises UserError where there are none."""
    selection = files.read_json(files.SELECTION)
    winner, rows, whole = printable(selection["selected"]), selection.get("test_sealed", 0), selection["rows"]["test"]
    if not whole:
        raise UserError("split.test_fraction is 0: there is no test set to open")
    if selection["test_refused"]:
        raise UserError(f"the test set stays closed: {selection['test_refused']}")
    if not rows:
        raise UserError(f"the test set was opened for {winner}, and has no further row: E_test is in {files.ESTIMATES}")
    which = f"{rows} rows" if rows == whole else f"{rows} of its {whole} rows"
    return f"The test set: no choice has used {which}. They are for {winner} alone, once."
