"""A figure of matplotlib's as an element of a page: text as text, the colours of the page, the same bytes each time."""

import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, GRID, ACCENT, PAPER = "#1f2328", "#6b7480", "#d8dee4", "#0b5fbd", "#fefefe"
WARNING = "#9a5b00"
# what a page takes for each, which differs in the dark; where it names none, what is legible on white and on black
_OF_THE_PAGE = {
    INK: "var(--ink, currentColor)",
    "#000000": "currentColor",  # the ink of matplotlib's own style
    "#ffffff": "currentColor",  # and of its dark one
    MUTED: "var(--muted, currentColor)",
    GRID: "var(--line, rgba(127, 127, 127, .3))",
    ACCENT: "var(--accent, #2878c8)",
    PAPER: "var(--page, transparent)",
    WARNING: "var(--warning, #b26a00)",
}
# text that is searched, copied, and in the typeface of the page; the same names of parts each time
SETTINGS: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "heldout"}
_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_LEFT_OUT = (f"{_SVG}metadata", f"{_SVG}style")  # who drew it; a rule that would hold for the whole page
_FAMILY = re.compile(r"font-family:[^;]*;?")  # the page has a typeface
_NUMBER = re.compile(r"-?\d+\.\d+(?![\d%])")
_REFERENCE = re.compile(r"(?<=#)[\w-]+")
_TO_SCALE = ("d", "x", "y", "width", "height", "transform", "viewBox")


Hint = tuple[float, float, str]


def element(figure: "Figure", name: str, alt: str, hints: Iterable[Hint] = ()) -> str:
    """The figure as text of an svg element whose inner addresses begin with `name`; `alt` says what it shows.

    `hints` are parts from one share of the width to another, each with a text for the pointer that rests on it: an
    element of the class `hint`.
    """
    from matplotlib import rc_context

    written = io.BytesIO()
    with rc_context(SETTINGS):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(written.getvalue())  # noqa: S314 (our own)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _LEFT_OUT]:
            parent.remove(child)
    used = set(_REFERENCE.findall(" ".join(value for node in root.iter() for value in _references(node))))
    for node in root.iter():
        node.tag = node.tag.removeprefix(_SVG)
        node.attrib = dict(_attributes(node, name, used))
    _, _, width, height = root.get("viewBox", "").split()
    for left, right, hint in hints:
        at = {"x": f"{100 * left:.2f}%", "width": f"{100 * (right - left):.2f}%", "height": "100%"}
        ElementTree.SubElement(ElementTree.SubElement(root, "rect", {"class": "hint", **at}), "title").text = hint
    root.attrib = {
        "viewBox": f"0 0 {width} {height}",
        "width": f"{figure.get_size_inches()[0] * figure.dpi:.0f}",
        "style": "max-width:100%;height:auto",
        "fill": "currentColor",
        "font-family": "DejaVu Sans, Verdana, sans-serif",  # where the page has none for pictures
        "stroke-linejoin": "round",
        "role": "img",
        "aria-label": alt,
    }
    return ElementTree.tostring(root, encoding="unicode")


def _references(node: ElementTree.Element) -> list[str]:
    """The attributes that may name another element of the figure."""
    return [value for key, value in node.attrib.items() if key == _LINK or "url(#" in value]


def _attributes(node: ElementTree.Element, name: str, used: set[str]) -> list[tuple[str, str]]:
    made = []
    for key, value in node.attrib.items():
        if key == "id":
            if value in used:
                made.append((key, f"{name}-{value}"))
            continue
        if key == _LINK or "url(#" in value:
            value = _REFERENCE.sub(lambda found: f"{name}-{found[0]}" if found[0] in used else found[0], value)
        if key == "style":
            value = _FAMILY.sub("", value)
            for colour, variable in _OF_THE_PAGE.items():
                value = value.replace(colour, variable)
        elif key in _TO_SCALE:
            value = _NUMBER.sub(lambda found: f"{float(found[0]):.1f}", value)
        made.append(("href" if key == _LINK else key, value.strip()))
    return made
