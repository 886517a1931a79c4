"""The page that `Validation.report` writes: one file, without a script, that asks for nothing from elsewhere.

It has what a notebook shows, the picture, the differences, the warnings, and how the rows were used. No date and no
path: the same result has the same bytes.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from heldout.display import about_winner
from heldout.learners.fit_warnings import WarningCounts
from heldout.losses import Loss
from heldout.losses.amounts import points
from heldout.printable import printable
from heldout.records import Difference
from heldout.schemes.design import Design

if TYPE_CHECKING:
    from heldout.display.picture import Picture

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1d1d1f; }
@media (prefers-color-scheme: dark) { :root { --page: #16181c; --ink: #e6e6e6; } }
@media print { :root { color-scheme: light; --page: #fff; --ink: #000; } }
body { margin: 0 auto; max-width: 76em; padding: 1em 1.5em 3em; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5em; margin: .4em 0 .8em; overflow-wrap: anywhere; }
h2 { font-size: 1.15em; margin: 1.8em 0 .5em; }
figure { margin: 0; overflow-x: auto; }
tr { break-inside: avoid; }
@media screen and (max-width: 40em) { figure svg { max-width: none !important; } }
""".strip()


def page(
    title: str,
    fragment: str,
    picture: "Picture | str",
    winner: str,
    differences: Sequence[Difference],
    error: float | None,
    warned: Mapping[str, WarningCounts],
    failed: Mapping[str, str],
    design: Design,
    version: str,
) -> str:
    """The text of the page.

    `fragment` is what a notebook shows, `picture` may be the reason why there is none. `differences` are those of E_cv
    of the `winner`, which is its `error`. `warned` has what the fits of each candidate warned of, `failed` the reason
    of each that has no fit.
    """
    parts = {
        "Every estimate": _figure(picture),
        f"How much less {printable(winner)} errs than the others": _differences(differences, error, design),
        "Warnings": _words(_warnings(warned, failed)),
        "How it was made": _words(_made(design, version)),
    }
    sections = "".join(f"<h2>{_shown(title)}</h2>{part}" for title, part in parts.items() if part)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_shown(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><main><h1>{_shown(title)}</h1>{fragment.replace('<details>', '<details open>')}{sections}</main>"
        "</body></html>\n"
    )


def _figure(picture: "Picture | str") -> str:
    if isinstance(picture, str):
        return f"<p>{_shown(picture)}</p>"
    return f'<figure tabindex="0" role="region" aria-label="picture">{picture.svg()}</figure>'


def _differences(lines: Sequence[Difference], error: float | None, design: Design) -> str:
    """The differences from a candidate's `error`, the closest candidate first, with their intervals."""
    if error is None:
        return ""
    loss = design.loss
    words = [] if design.margin is None else ["by the margin"]
    head = "".join(f'<th scope="col">{name}</th>' for name in ("against", "difference of E_cv", "from", "to", *words))
    rows = "".join(
        f'<tr><th scope="row">{_shown(line.against)}</th>{_cells(line, error, loss)}'
        f"{f'<td>{line.by_margin}</td>' if words else ''}</tr>"
        for line in sorted(lines, key=lambda line: -line.difference)
    )
    unit = "in percentage points" if loss.binary else f"of {loss.shown_as}"
    says = f"{unit}, below 0 where the first errs less; intervals at {100 * design.level:g} % together"
    if design.margin is not None:
        says += f"; {about_winner.what_words_say('the first', design.margin, loss)}"
    return (
        '<div class="heldout"><div class="wide" tabindex="0" role="region" aria-label="differences"><table>'
        f"<caption><span>{_shown(says)}</span></caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        "</table></div></div>"
    )


def _cells(line: Difference, error: float, loss: Loss) -> str:
    values = (line.difference, line.low, line.high)
    return "".join(f"<td>{'–' if value is None else points(value, error, loss)}</td>" for value in values)


def _warnings(warned: Mapping[str, WarningCounts], failed: Mapping[str, str]) -> dict[str, str]:
    counted = {name: str(of) for name, of in warned.items() if of.concerned}
    return {name: "; ".join(of[name] for of in (counted, failed) if name in of) for name in {**counted, **failed}}


def _made(design: Design, version: str) -> dict[str, str]:
    """How the rows were used, for whoever was not there."""
    fold = design.partition.fold
    kind, weighted = design.dependence.kind, design.weights is not None
    groups = design.dependence.groups
    rows = f"{len(design.y)} with a label{f', of {groups} groups' if groups is not None else ''}"
    rows += f"; not independent, by {kind}" if kind else ""
    often = f", {design.fold_repeats} times" if design.fold_repeats > 1 else ""
    parts = {
        "rows": rows + ("; each counts by its weight" if weighted else ""),
        "loss": f"{design.loss.name}, {design.loss.scale('y')}",
        "folds": f"{int(fold.max()) + 1}{often}" if "E_cv" in design.estimates else "",
        "intervals": "; ".join(
            f"{name}: {design.methods[name].name}" for name in design.estimates if name in design.methods
        ),
        "seed": str(design.seed),
        "version": f"heldout {version}",
    }
    return {name: text for name, text in parts.items() if text}


def _words(items: Mapping[str, str]) -> str:
    parts = "".join(f"<dt>{_shown(name)}</dt><dd>{_shown(text)}</dd>" for name, text in items.items())
    return f'<div class="heldout"><dl class="words">{parts}</dl></div>' if parts else ""


def _shown(text: str) -> str:
    return escape(printable(text))
