"""What a reader is: how a format is recognised, what it becomes, and its line in the table of conventions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heldout.predictions.read_predictions import ReadPredictions
from heldout.predictions.source import Asked, Source


@dataclass(frozen=True)
class Reader:
    """A format in which a tool writes predictions.

    Attributes
    ----------
    name : str
        The name of the format: `--format`, `format=`.
    tool : str
        The tool, as sentences name it.
    versions : str
        The versions whose files were read.
    call : str
        How the tool writes such a file.
    holds : str
        What a line is, and what it becomes.
    prints : str
        What the number is that the tool prints, and where it is another than ours.
    source : str
        Where that is written.
    needs : str
        What a file must have, for the message about one that is nearly so.
    fits : callable
        From the files to how near they come to the format, from 0 to 1; 1 where they are of it.
    read : callable
        From the files, and what a user said of them, to their lines. Raises BadArgument.
    of_text : bool
        Whether it reads lines of text, and not columns.
    only : tuple of str
        What `--only NAME=VALUE` may choose by in a text, which has no columns.
    of_objects : bool
        Whether it reads models that a mapping holds, and no columns: it takes what is near, and says what is lacking.
    """

    name: str
    tool: str
    versions: str
    call: str
    holds: str
    prints: str
    source: str
    needs: str
    fits: Callable[[Sequence[Source]], float]
    read: Callable[[Sequence[Source], Asked], ReadPredictions]
    of_text: bool = False
    only: tuple[str, ...] = ()
    of_objects: bool = False
