"""docs/badges.svg: version, Python and licence for the README, from pyproject.toml, as a file that asks no other host.

python -m studies.badges                      # `make docs` does it too
"""

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

import heldout

PICTURE, PROJECT = Path("docs/badges.svg"), Path("pyproject.toml")
_LABEL, _VALUE = "#4a4f55", "#0b5c8a"  # white letters on both have a contrast of 7 and more
_HIGH, _PER_LETTER, _ROOM, _BETWEEN = 20, 6.2, 12, 6  # pixels


def facts(project: Path = PROJECT) -> dict[str, str]:
    """What each badge says, by its label."""
    said = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    lowest = str(said["requires-python"]).removeprefix(">=")
    return {"version": heldout.__version__, "Python": f"{lowest} or later", "licence": str(said["license"])}


def words(said: dict[str, str]) -> str:
    """The badges as text, for who does not see them."""
    return ", ".join(f"{label} {value}" for label, value in said.items())


def svg(said: dict[str, str]) -> str:
    """All badges in a row; each text is as wide as its place, whatever the typeface."""
    drawn, end = list(_drawn(said)), _ends(said)[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{end:.0f}" height="{_HIGH}" role="img" '
        f'aria-label="{escape(words(said))}" font-family="system-ui, sans-serif" font-size="11" fill="#fff">'
        f"{''.join(drawn)}</svg>\n"
    )


def _widths(label: str, value: str) -> tuple[float, float]:
    return len(label) * _PER_LETTER + _ROOM, len(value) * _PER_LETTER + _ROOM


def _ends(said: dict[str, str]) -> list[float]:
    """Where each badge ends."""
    ends: list[float] = []
    for one in said.items():
        ends.append((ends[-1] + _BETWEEN if ends else 0) + sum(_widths(*one)))
    return ends


def _drawn(said: dict[str, str]) -> Iterator[str]:
    for (label, value), end in zip(said.items(), _ends(said), strict=True):
        left, right = _widths(label, value)
        at = end - left - right
        yield f'<rect x="{at:.1f}" width="{left + right:.1f}" height="{_HIGH}" rx="3" fill="{_LABEL}"/>'
        rounded = f"H{end - 3:.1f}a3 3 0 0 1 3 3v{_HIGH - 6}a3 3 0 0 1-3 3H{at + left:.1f}z"
        yield f'<path d="M{at + left:.1f} 0{rounded}" fill="{_VALUE}"/>'
        for text, start, wide in ((label, at, left), (value, at + left, right)):
            yield f'<text x="{start + _ROOM / 2:.1f}" y="14" textLength="{wide - _ROOM:.1f}">{escape(text)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(svg(facts()), encoding="utf-8")
