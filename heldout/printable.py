"""Text from elsewhere, as a terminal, a page or a notebook may show it."""


def printable(text: str) -> str:
    r"""The text, with an escape for each character that nobody sees: terminal codes, ends of lines, marks of direction.

    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
