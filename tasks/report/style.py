"""How pictures look: one accent, greys, and no colour that the page cannot replace in the dark."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from heldout.printable import printable
from tasks.runtime.errors import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawn = TypeVar("Drawn")
log = logging.getLogger("heldout")

INK, MUTED, GRID, ACCENT = "#1f2328", "#6b7480", "#d8dee4", "#0b5fbd"
# what a picture inside of the page takes for each of them, which differs in the dark
OF_THE_PAGE = {INK: "var(--ink)", MUTED: "var(--muted)", GRID: "var(--line)", ACCENT: "var(--accent)"}
_LONGEST = 24  # letters of a name in a picture; the table next to it has the rest
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: searched, copied, and in the typeface of the page
    "svg.hashsalt": "heldout",
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


def name_lines(axes: Any, names: Sequence[str]) -> None:
    """A line for each name, the first above."""
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def figure(width: float = 4.7, height: float = 3.0) -> tuple["Figure", Any]:
    """An empty figure of so many inches with its axes.

    The page shows it up to 1.5 times as large, and no wider than its window.
    """
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    return made, made.subplots()


def short(name: str) -> str:
    """A name as a picture shows it; matplotlib would leave a curve out of a legend if it begins with an underscore."""
    shown = printable(name)
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return f" {shown}" if shown.startswith("_") else shown
