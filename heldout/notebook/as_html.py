"""What a notebook shows of a `Validation`: the table, what follows from it, and what the columns are.

Its colours are those of the notebook, light or dark; no script, nothing from elsewhere, and each name is escaped.
"""

from collections.abc import Mapping, Sequence
from html import escape

from heldout.display.cells import WORSE, cell
from heldout.losses import Loss
from heldout.printable import printable
from heldout.records import Estimate

_STYLE = """
.heldout { font: 14px/1.45 system-ui, sans-serif; max-width: 72em; }
.heldout p { margin: 0 0 .6em; }
.heldout .wide { overflow-x: auto; }
.heldout .wide table { border-collapse: collapse; border: 0; margin: 0; font: inherit; }
.heldout .wide caption { caption-side: top; text-align: left; padding: 0 0 .4em; color: inherit; }
.heldout .wide caption span {
  position: sticky; left: 0; display: inline-block; max-width: calc(100vw - 3em); opacity: .8; }
.heldout .wide thead tr { border-bottom: 1px solid rgba(127, 127, 127, .7); }
.heldout .wide tbody tr { border-top: 1px solid rgba(127, 127, 127, .25); background: none; }
.heldout .wide th, .heldout .wide td {
  border: 0; padding: .3em .7em; text-align: right; vertical-align: top; white-space: nowrap;
  background: none; color: inherit; font-weight: normal; font-variant-numeric: tabular-nums; }
.heldout .wide thead th { font-weight: 600; }
.heldout .wide th:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 10em; }
.heldout .wide small { font-size: .82em; opacity: .8; white-space: normal; }
.heldout .wide tr.winner { background: rgba(80, 140, 220, .16); }
.heldout .wide tr.winner th, .heldout .wide tr.winner td { font-weight: 600; }
.heldout .wide tr.winner small { font-weight: normal; }
.heldout .wide tbody tr.baseline { border-top: 1px solid rgba(127, 127, 127, .7); }
.heldout .words { display: grid; grid-template-columns: max-content 1fr; gap: .3em 1em; margin: .8em 0 .6em; }
.heldout .words dt { float: none; width: auto; font-weight: 600; white-space: nowrap; }
.heldout .words dd { float: none; width: auto; margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40em) {
  .heldout .words { grid-template-columns: 1fr; }
  .heldout .words dd { margin-bottom: .4em; } }
""".strip()


def html(
    estimates: Sequence[Estimate],
    rows: Mapping[str, str],
    title: str,
    first: Sequence[str],
    strip: str,
    worse: Mapping[str, tuple[str, str]],
    remarks: Mapping[str, str],
    sentences: Mapping[str, str],
    loss: Loss,
) -> str:
    """A fragment of a page: a line of the table for each of `rows`, a name and what to say of it, the winner first.

    `title` is that of the table, `first` what to read first, `strip` the picture of the decision, `worse` how much more
    than the winner each other one errs, `remarks` what to say below the table, `sentences` what follows from the table,
    by a word for each, folded.
    """
    names = list(dict.fromkeys(record.estimate for record in estimates))
    by_name = {(record.candidate, record.estimate): record for record in estimates}
    head = "".join(
        f'<th scope="col">{_shown(name)}</th>' for name in ["candidate", *names, *([WORSE] if worse else [])]
    )
    lines = []
    for place, (candidate, says) in enumerate(rows.items()):
        what = f"<br/><small>{_shown(says)}</small>" if says else ""
        cells = "".join(_cell(by_name.get((candidate, name)), loss) for name in names)
        cells += _numbers(*worse.get(candidate, ("–", ""))) if worse else ""
        kind = ' class="winner"' if not place else ' class="baseline"' if place == len(rows) - 1 and says else ""
        lines.append(f'<tr{kind}><th scope="row">{_shown(candidate)}{what}</th>{cells}</tr>')
    columns = {name: next(record.target for record in estimates if record.estimate == name) for name in names}
    head_lines = f"<p><strong>{_shown(first[0])}</strong></p>" + "".join(f"<p>{_shown(line)}</p>" for line in first[1:])
    told = f"<details><summary>In full sentences</summary>{_list(sentences)}</details>" if sentences else ""
    return (
        f'<div class="heldout"><style>{_STYLE}</style>{head_lines}{strip}'
        f'<div class="wide" tabindex="0" role="region" aria-label="estimates"><table>'
        f"<caption><span>{_shown(title)}</span></caption><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        f"{_list(remarks)}{told}"
        f"<details><summary>Whose error each column estimates</summary>{_list(columns)}</details></div>"
    )


def _cell(record: Estimate | None, loss: Loss) -> str:
    if record is None:
        return "<td>–</td>"
    return _numbers(*cell(record.value, record.low, record.high, loss, doubted=record.not_credible is not None))


def _numbers(value: str, interval: str) -> str:
    # lines by an element: a notebook that nobody trusts has no styles
    return f"<td>{value}<br/><small>{interval}</small></td>" if interval else f"<td>{value}</td>"


def _list(items: Mapping[str, str]) -> str:
    parts = "".join(f"<dt>{_shown(name)}</dt><dd>{_shown(text)}</dd>" for name, text in items.items())
    return f'<dl class="words">{parts}</dl>' if parts else ""


def _shown(text: str) -> str:
    return escape(printable(text))
