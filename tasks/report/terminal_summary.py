"""What a run prints at its end: the table, and the lines that say what to do."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from heldout.display import about_race, cells, strip_text, text_table
from heldout.display.text_table import Row
from heldout.fits import baseline
from heldout.fits.fit_cost import FitCost
from heldout.printable import printable
from tasks.outcome.contest import Promotion
from tasks.report.closing_lines import closing_lines
from tasks.report.decision_strip import decision_strip, origin
from tasks.report.estimates_table import FAILED, columns_and_rows
from tasks.report.labelled_lines import labelled_lines
from tasks.report.sentences import DECISION, sentences
from tasks.report.summary import Summary
from tasks.runtime.environment import prints_all
from tasks.runtime.own_code import MAKE
from tasks.storage import files

SELECTED = "selected"
_COST = "a fit, here"


def print_summary(
    summary: Summary,
    decision: Promotion,
    place: str,
    costs: Mapping[str, FitCost] = MappingProxyType({}),
    speed: object | None = None,
    ledger: str = "",
) -> None:
    """Print the table and about ten lines, as wide as the terminal; between them all sentences, if asked for.

    `place` is where the model is in MLflow, `costs` are what is known of some candidates, `ledger` is the head of the
    ledger of operations.
    """
    from rich.console import Console
    from rich.text import Text

    width, console = text_table.output_width(), Console()
    whole = prints_all()
    columns, rows = columns_and_rows(summary, None if whole else about_race.FEW, whole=whole)
    if not whole:
        rows = text_table.few(rows, str(files.REPORT), (baseline.NAME,))
    print(*textwrap.wrap(printable(origin(summary)), width, break_long_words=False), sep="\n")
    title = text_table.title(summary.scale, summary.level, SELECTED) + cells.marks(bool(summary.not_credible))
    print(*textwrap.wrap(printable(title), width, break_long_words=False), sep="\n")
    for line, row in _lines(columns, rows, width, costs, summary.selection["rows"]["labeled"]):
        console.print(Text(line, _style(row)), soft_wrap=True)
    if whole:
        print()
        for label, line in labelled_lines(
            _all(summary, decision, place, costs.get(summary.selected), speed, ledger), width
        ):
            console.print(Text.assemble((label, "bold"), line), soft_wrap=True)
    print()
    for line in strip_text.lines(decision_strip(summary), width):
        console.print(Text(line), soft_wrap=True)
    print()
    for label, line in closing_lines(summary, decision, width):
        console.print(Text.assemble((label, "bold"), line) if label else Text(line, "bold"), soft_wrap=True)


def _lines(
    columns: Sequence[str], rows: Sequence[Row], width: int, costs: Mapping[str, FitCost], labeled: int
) -> Sequence[text_table.Line]:
    """The table, with what a fit costs on this machine where that is known and has room."""
    plain = [*text_table.lines(columns, rows, width)]
    known = {printable(name): cost.cell(labeled) for name, cost in costs.items()}
    nothing = (text_table.NOTHING, "")
    with_costs = [replace(row, cells=[*row.cells, known.get(row.name, nothing)]) if row.cells else row for row in rows]
    found = [*text_table.lines([*columns, _COST], with_costs, width)] if costs else plain
    return found if len(found) == len(plain) else plain


def _all(
    summary: Summary, decision: Promotion, place: str, cost: FitCost | None, speed: object | None, ledger: str
) -> dict[str, str]:
    """Every sentence, all caveats, and where things are."""
    places = {
        **({} if cost is None else {"cost": cost.text(summary.selection["rows"]["labeled"])}),
        **({} if speed is None else {"predictions": str(speed)}),
        "report": str(files.REPORT),
        "model": f"{files.MODEL}, in MLflow {place}",
        **({} if decision.trial else {"promoted": f"{decision.promoted}: {decision.reason}"}),
        **({} if decision.champion is None else {"champion": decision.champion.sentence(summary.loss)}),
        **({"ledger": ledger} if ledger else {}),
        "runs": f"{MAKE} ui",
    }
    told = {name: text for name, text in sentences(summary).items() if name != DECISION}
    cares = dict(zip(_caveat_names(summary), summary.decision.further, strict=True))
    return {**told, **places, **cares}


def _caveat_names(summary: Summary) -> list[str]:
    count = len(summary.decision.further)
    return [f"caveat {place}" for place in range(1, count + 1)] if count > 1 else ["caveat"] * count


def _style(row: Row | None) -> str:
    if row is None:
        return ""
    if row.selected:
        return "bold green"
    if row.note.startswith(FAILED):
        return "red"
    return "bright_black" if row.name == baseline.NAME else ""
