"""How pictures look: one accent, greys, and no colour that the page cannot replace in the dark."""

import io
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from markupsafe import Markup

from heldout.display import svg
from heldout.display.svg import ACCENT, GRID, INK, MUTED, PAPER
from heldout.fits import baseline
from heldout.printable import printable
from tasks.runtime.errors import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawn = TypeVar("Drawn")
log = logging.getLogger("heldout")

_NOT_DRAWN = Markup("<p>This picture could not be drawn; the log says why. The tables have its numbers.</p>")
_DPI = 130
_LONGEST = 24  # letters of a name in a picture; the table below it has the rest
_LONGEST_OF_LINE = 20  # in a picture with a line for each name
DRAWN = 15  # candidates in a picture: the winner and the best of the others
_SETTINGS: dict[Any, Any] = {
    "figure.dpi": 108,  # dots of a screen to an inch, at the size for which its letters are chosen
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.8,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "text.parse_math": False,  # a user's text between two dollars is no formula
}


@contextmanager
def drawing() -> Iterator[None]:
    """Pictures that are made inside look like this, whatever the settings of the machine are."""
    import matplotlib as mpl

    mpl.use("agg")
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def drawn(name: str, draw: Callable[[], Drawn]) -> Drawn | None:
    """What `draw` returns; None, and a warning, where it raises: no picture keeps a number from being told."""
    try:
        return draw()
    except Exception as error:  # whatever matplotlib makes of the numbers
        log.warning("the picture %s could not be drawn: %s", name, one_line(f"{type(error).__name__}: {error}"))
        return None


def element(name: str, draw: Callable[[], "Figure"], alt: str, hints: Iterable[svg.Hint] = ()) -> Markup:
    """The figure as an element of a page (`heldout.display.svg`), or a line that there is none."""
    made = drawn(name, lambda: svg.element(draw(), name, printable(alt), hints))
    return _NOT_DRAWN if made is None else Markup(made)  # noqa: S704 (an XML writer escaped each text)


def png(draw: Callable[[], "Figure | None"]) -> bytes:
    """What is in the file of a figure; nothing where there is none."""
    content = io.BytesIO()
    if (made := draw()) is not None:
        made.savefig(content, dpi=_DPI, facecolor="white", metadata={"Software": None})
    return content.getvalue()


def note_line(axes: Any, place: int, text: str, colour: str) -> None:
    """A text on the right of a line, outside of the axes, where nothing else is."""
    axes.annotate(
        text, (1, place), xycoords=("axes fraction", "data"), xytext=(8, 0), textcoords="offset points",
        ha="left", va="center", fontsize=8.5, color=colour, annotation_clip=False,
    )  # fmt: skip


def name_lines(axes: Any, names: Sequence[str], winner: str = "") -> None:
    """A line for each name, the first above; that of the `winner` stands out, that of the baseline does not."""
    axes.set_yticks(range(len(names)), [short(name, _LONGEST_OF_LINE) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        if name == winner:
            label.set(color=ACCENT, fontweight="bold")
        elif name == baseline.NAME:
            label.set(color=MUTED)


def interval_line(
    axes: Any,
    place: int,
    ends: tuple[float, float, float],
    reach: tuple[float, float],
    colour: str,
    text: str = "",
    *,
    bold: bool = False,
    hollow: bool = False,
) -> None:
    """A point with its interval, `ends` are value, low and high, as far as the axis goes, which is its `reach`.

    An arrow stands for what is beyond, and `text`, the value, next to it where that is the point itself.
    """
    value, low, high = ends
    left, right = reach
    if low <= right and high >= left:
        axes.plot([max(low, left), min(high, right)], [place, place], lw=2.2 if bold else 1.4, color=colour)
    for beyond, end, sign in ((high > right, right, ">"), (low < left, left, "<")):
        if beyond:
            axes.plot(end, place, sign, ms=5, color=colour, clip_on=False, zorder=3)
    if left <= value <= right:
        face = {"markerfacecolor": PAPER, "mew": 1.3} if hollow else {}
        axes.plot(value, place, "o", ms=5.5 if bold else 4.5, color=colour, clip_on=False, zorder=4, **face)
        return
    above = value > right
    axes.annotate(
        text, (right if above else max(min(high, right), left), place), xytext=(7, 0), textcoords="offset points",
        ha="left", va="center", fontsize=8, color=MUTED, annotation_clip=False,
    )  # fmt: skip


def spread(at: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Places for labels, each at least `apart` from the next, near `at`, in their order, and from `low` to `high`.

    >>> spread([1.0, 1.1, 5.0], 1, 0, 5)
    [1.0, 2.0, 5.0]
    >>> spread([5.0, 5.0, 5.0], 1, 0, 5)
    [3.0, 4.0, 5.0]
    """
    order = sorted(range(len(at)), key=at.__getitem__)
    apart = min(apart, (high - low) / max(len(at) - 1, 1))
    made = [0.0] * len(at)
    least = low
    for place in order:
        made[place] = least = max(at[place], least)
        least += apart
    most = high
    for place in reversed(order):
        made[place] = most = min(made[place], most)
        most -= apart
    return made


def drawn_names(ranked: Sequence[str], winner: str) -> list[str]:
    """The candidates of a picture, in their order: not more than anybody can read."""
    best = [name for name in ranked if name != winner][: DRAWN - 1]
    return [name for name in ranked if name == winner or name in best]


def figure(width: float = 4.7, height: float = 3.0) -> tuple["Figure", Any]:
    """An empty figure of so many inches with its axes.

    The page shows it up to 1.5 times as large, and no wider than its window.
    """
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    return made, made.subplots()


def short(name: str, longest: int = _LONGEST) -> str:
    """A name as a picture shows it; matplotlib would leave a curve out of a legend if it begins with an underscore."""
    shown = printable(name)
    if len(shown) > longest:  # names often differ at their ends
        end = longest // 2
        shown = f"{shown[: longest - end - 1]}…{shown[-end:]}"
    return f" {shown}" if shown.startswith("_") else shown
