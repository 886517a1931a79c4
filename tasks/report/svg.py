"""A figure as an element of the page: text as text, colours as the page's, and the same bytes each time."""

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tasks.report.style import OF_THE_PAGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_LEFT_OUT = (f"{_SVG}metadata", f"{_SVG}style")  # who drew it; a rule that would hold for the whole page
_FAMILY = re.compile(r"font-family:[^;]*;?")  # the page has a typeface
_NUMBER = re.compile(r"-?\d+\.\d+(?![\d%])")
_REFERENCE = re.compile(r"(?<=#)[\w-]+")
_TO_SCALE = ("d", "x", "y", "width", "height", "transform", "viewBox")


def element(figure: "Figure", name: str, alt: str) -> str:
    """The figure as text of an svg element whose inner addresses begin with `name`; `alt` says what it shows."""
    written = io.BytesIO()
    figure.savefig(written, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(written.getvalue())  # noqa: S314 (our own)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _LEFT_OUT]:
            parent.remove(child)
    used = set(_REFERENCE.findall(" ".join(value for node in root.iter() for value in _references(node))))
    for node in root.iter():
        node.tag = node.tag.removeprefix(_SVG)
        node.attrib = dict(_attributes(node, name, used))
    width, height = root.get("viewBox", "").split()[2:]
    root.attrib = {
        "viewBox": f"0 0 {width} {height}",
        "width": f"{1.5 * float(width):.0f}",
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
            for colour, variable in OF_THE_PAGE.items():
                value = value.replace(colour, variable)
        elif key in _TO_SCALE:
            value = _NUMBER.sub(lambda found: f"{float(found[0]):.1f}", value)
        made.append(("href" if key == _LINK else key, value.strip()))
    return made
