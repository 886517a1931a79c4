"""Text from elsewhere in Markdown: shown as it is written, whatever it holds."""

import re

from heldout.printable import printable


def in_markdown(text: str) -> str:
    """The text with each sign that Markdown, HTML or a link may be made of as an entity; commas and hyphens stay.

    >>> print(in_markdown("a|b <i>"))
    a&#124;b &#60;i&#62;
    """
    return re.sub(r"[!-+./:-@\[-`{-~]", lambda sign: f"&#{ord(sign[0])};", printable(text))
