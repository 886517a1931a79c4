"""Text from elsewhere in Markdown: shown as it is written, whatever it holds."""

import re

from heldout.printable import printable

# signs that mark something inside of a line: code, emphasis, links, tables, HTML, emoji, people; not E_cv, but _so_
_SIGNS = re.compile(r"[!#$&*<>@\[\\\]^`{|}~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?!\s)|(?<=[Ww]{3})\.")


def in_markdown(text: str) -> str:
    """The text with each sign that Markdown, HTML or a link may be made of as an entity, for the inside of a line.

    >>> print(in_markdown("a|b <i> E_cv"))
    a&#124;b &#60;i&#62; E_cv
    """
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", printable(text))
