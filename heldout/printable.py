"""Text from elsewhere, as a terminal, a page or a notebook may show it."""


def printable(text: str) -> str:
    r"""The text, with an escape for each character that nobody sees: terminal codes, ends of lines, marks of direction.

    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


_GROUPED, _LARGE = 1e4, 1e12  # above the second the powers of ten are easier to read


def plain(value: float, digits: int = 4) -> str:
    """A number with so many significant digits and every whole one, which are grouped from 10,000 on.

    >>> plain(47213.4), plain(1234.56, 3), plain(9999.7), plain(0.0123456), plain(4.7e9)
    ('47,213', '1235', '10,000', '0.01235', '4,700,000,000')
    """
    size = abs(float(f"{value:.{digits}g}"))  # 9999.7 is written as 10,000
    if not 10**digits <= size < _LARGE:
        return f"{value:.{digits}g}"
    return f"{value:,.0f}" if size >= _GROUPED else f"{value:.0f}"
