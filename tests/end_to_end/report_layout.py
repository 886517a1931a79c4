"""What is measured of a report in a browser: its heights, its anchors, its letters, and the pages of its paper."""

import re
from dataclasses import dataclass

from playwright.sync_api import Page

SCREEN, MOST_SCREENS, MOST_PAGES = 900, 5, 8
LEAST_BELOW = 70  # points from a heading to the edge: the margin of 12 mm, the heading, and a line of text below it
TOO_WIDE = "document.documentElement.scrollWidth - window.innerWidth"
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
WIDER_THAN_THEIR_PLACE = """[...document.querySelectorAll('table')].filter(one =>
    one.scrollWidth > one.parentElement.clientWidth + 1).map(one => one.caption.innerText)"""
# letters of a picture that its edge cuts off, and pairs of texts of a picture that lie on one another
CUT_OFF = """[...document.querySelectorAll('svg')].filter(one => one.checkVisibility()).flatMap(one => {
    const edge = one.getBoundingClientRect();
    return [...one.querySelectorAll('text')].filter(text => {
        const at = text.getBoundingClientRect();
        return at.left < edge.left - 1 || at.right > edge.right + 1 || at.top < edge.top - 1;
    }).map(text => text.textContent); })"""
COLLIDING = """[...document.querySelectorAll('svg')].filter(one => one.checkVisibility()).flatMap(one => {
    const texts = [...one.querySelectorAll('text')].map(text => {
        const at = text.getBoundingClientRect(), quarter = Math.min(at.height, at.width) / 4;
        return [text.textContent, at.left, at.right, at.top + quarter, at.bottom - quarter]; });
    return texts.flatMap((one, place) => texts.slice(place + 1).filter(other =>
        one[1] < other[2] && other[1] < one[2] && one[3] < other[4] && other[3] < one[4])
        .map(other => one[0] + ' on ' + other[0])); })"""
_IN_VIEW = """name => { const at = document.getElementById(name).getBoundingClientRect();
    return document.getElementById(name).checkVisibility() && at.top >= -1 && at.top < window.innerHeight; }"""


def height(page: Page) -> int:
    """The height of the page in pixels."""
    return int(page.evaluate("document.documentElement.scrollHeight"))


def not_shown_by_their_link(page: Page) -> list[str]:
    """The addresses in the contents whose part is not open and in view after a click."""
    missing = []
    for link in page.locator("nav a").all():
        address = str(link.get_attribute("href"))
        link.click()
        page.wait_for_function("address => location.hash == address", arg=address)
        if not page.evaluate(_IN_VIEW, address[1:]):
            missing.append(address)
    return missing


@dataclass(frozen=True)
class Paper:
    """A PDF: its number of pages, and how far each heading of a text is from the lower edge of its page, in points."""

    pages: int
    headings: tuple[float, ...]

    @classmethod
    def of(cls, page: Page) -> "Paper":
        """What a browser prints. Its outline has the place of each heading; the last are lines that stay folded."""
        texts = page.locator("header h2, .cards h2").count()
        pdf = page.pdf(format="A4", tagged=True, outline=True)
        places = re.findall(rb"/Dest\s*\[\s*\d+ 0 R\s*/XYZ\s+[\d.]+\s+([\d.]+)", pdf)
        return cls(len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)), tuple(map(float, places[:texts])))
