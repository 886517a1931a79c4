"""Axes of large and of tiny numbers: 0, 10, 20 "in billions", where matplotlib would write 1e10 at the edge."""

from typing import Any

_WORDS = {3: "thousands", 6: "millions", 9: "billions", 12: "trillions"}
_LARGE, _TINY = 1e4, 1e-3
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(most: float) -> int:
    """The power of ten that an axis up to `most` counts in, a multiple of 3.

    >>> power(40), power(47213.4), power(2e10), power(0.0)
    (0, 3, 9, 0)
    """
    if most == 0 or _TINY <= abs(most) < _LARGE:
        return 0
    digits = int(f"{abs(most):.0e}".partition("e")[2])
    return digits // 3 * 3


def counted_in(most: float) -> str:
    """What follows the name of the axis.

    >>> counted_in(40), counted_in(2e10), counted_in(2e-7)
    ('', ', billions', ', 10⁻⁹')
    """
    found = power(most)
    return f", {_WORDS.get(found) or f'10{str(found).translate(_RAISED)}'}" if found else ""


def written(value: float, most: float) -> str:
    """A number as a tick of an axis up to `most` shows it.

    >>> written(2.5e9, 2e10), written(-0.0, 40), written(0.25, 1), written(-2, 40)
    ('2.5', '0', '0.25', '−2')
    """
    return f"{round(value / 10.0 ** power(most), 9):z,g}".replace("-", "\N{MINUS SIGN}")


def set_ticks(axis: Any, most: float) -> str:
    """Write the ticks of a matplotlib axis up to `most` so; returns what follows its name."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: written(value, most)))
    return counted_in(most)
