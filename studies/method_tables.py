"""The tables of docs/method.md, from the code: losses, intervals, selection rules, forms of delivery; and from
docs/coverage.csv: the cells in which a default is short of its level."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from heldout.estimates import ESTIMATES, SHOWN
from heldout.estimates import methods as interval_methods
from heldout.estimates.criteria import CRITERIA, WITH_LOSSES
from heldout.estimates.methods import DEFAULTS, METHODS
from heldout.losses import KINDS, SQUARED, ZERO_ONE, Loss, choose_loss
from heldout.schemes import resampling
from heldout.schemes.delivery import FORMS
from heldout.selection.rules import RULES
from studies import coverage_changes, coverage_page
from studies.judgements import LEVEL

SAMPLE = np.array([1, 1, 2])  # classes of unequal size, or numbers
ANSWERS = {"class": "a class", "number": "a number", "probabilities": "probabilities"}
FITS = {
    None: "none",
    "subsamples": f"{resampling.SUBSAMPLES}",
    "repeated_folds": f"{resampling.REPEATS - 1} k",
    "fold_pairs": "k (k - 1) / 2",
}


def methods_table() -> Iterator[str]:
    """A line for each interval method, in the order of METHODS."""
    yield "| method | covers, and under which assumption | losses | validity | further fits |"
    yield "|---|---|---|---|---|"
    for method in METHODS:
        together: dict[str, list[str]] = {}
        for estimate, assumption in method.covers.items():
            together.setdefault(assumption, []).append(f"`{estimate}`")
        covers = "<br>".join(f"{', '.join(names)}: {assumption}" for assumption, names in together.items())
        yield f"| {method.name} | {covers} | {method.losses} | {method.validity} | {FITS[method.needs]} |"


def defaults_table() -> Iterator[str]:
    """A line for all estimates that share their defaults, in the order of DEFAULTS."""
    yield "| estimate | 0/1 | why | costs | others of known limit | others | why |"
    yield "|---|---|---|---|---|---|---|"
    together: dict[tuple[str, ...], list[str]] = {}
    for estimate, chosen in DEFAULTS.items():
        known = ("as others" if one is None else one.name for one in (chosen.of_costs, chosen.of_limit))
        cells = chosen.zero_one.name, chosen.why_zero_one, *known, chosen.other.name, chosen.why_other
        together.setdefault(cells, []).append(f"`{estimate}`")
    for shared, names in together.items():
        yield f"| {' | '.join([', '.join(names), *shared])} |"


def dependent_table() -> Iterator[str]:
    """A line for each way in which rows depend, and each estimate that has an interval then."""
    yield "| rows depend by | estimate | classes | numbers |"
    yield "|---|---|---|---|"
    for kind, valid in interval_methods.VALID.items():
        for estimate, methods in valid.items():
            cells = [
                ", ".join(method.name for method in methods if method.admits(loss)) for loss in (ZERO_ONE, SQUARED)
            ]
            yield f"| {kind} | `{estimate}` | {cells[0]} | {cells[1]} |"


def span_of(loss: Loss) -> str:
    """The range of a loss in words; of a loss that depends on the labels, or on a matrix, what its limit is."""
    if loss.binary:
        return "0/1"
    if not loss.bounded:
        return "up to `loss_max`"
    return "up to the largest cost" if loss.needs == "class" else f"in [0, {loss.limit:g}]"


def losses_table() -> Iterator[str]:
    """A line for each loss, made for a sample of labels, in the order of KINDS."""
    implied = "least mean error of the two | `E_dis`"
    yield f"| `loss` | a row's loss | of the candidate | range | baseline | two answers are compared by | {implied} |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in KINDS:
        loss = choose_loss(kind.sample, SAMPLE)
        span = span_of(loss)
        compared = "none" if loss.disagreement_loss is None else f"`{loss.disagreement_loss.name}`"
        says = f"| `{kind.written}` | {loss.says} | {ANSWERS[loss.needs]} | {span} | {loss.constant.says} "
        yield f"{says}| {compared} | {kind.pair_bound} | {kind.bound} |"


def rules_table() -> Iterator[str]:
    """A line for each selection rule, in the order of RULES."""
    yield "| `selection.rule` | the candidate that it takes | `selection.criterion` |"
    yield "|---|---|---|"
    for name, rule in RULES.items():
        admitted = WITH_LOSSES if rule.needs_losses else CRITERIA
        yield f"| `{name}` | {rule.says} | {', '.join(f'`{criterion}`' for criterion in admitted)} |"


def forms_table() -> Iterator[str]:
    """A line for each form of delivery, in the order of FORMS."""
    yield "| `deliver` | what answers a query | which estimate is about it |"
    yield "|---|---|---|"
    for name, form in FORMS.items():
        about = re.sub(r"\bE_\w+", r"`\g<0>`", form.about)
        yield f"| `{name}` | {form.says} | {about} |"


def shortfalls_table() -> Iterator[str]:
    """A line for each estimate, population and learner of docs/coverage.csv whose default is short of its level."""
    cells = coverage_changes.with_errors(coverage_changes.defaults(pd.read_csv(coverage_page.TABLE)))
    least = LEVEL - coverage_changes.SHORT
    short = cells[cells["covers"] < least]
    yield "| estimate | interval | population | learner | rows: coverage (standard error) | what holds it there |"
    yield "|---|---|---|---|---|---|"
    keys = ["estimate", "method", "population", "learner"]
    for (estimate, method, population, learner), lines in short.groupby(keys):
        shown = ", ".join(f"{row.n}: {row.covers:.3f} ({row.error:.3f})" for row in lines.itertuples())
        if (lines["task"] == "numbers").all():
            reason = "heavy tails"
        elif (lines["covers"] + 2 * lines["error"] >= least).all():
            reason = f"perhaps chance: {least:g} is within two standard errors"
        else:
            reason = "not known"
        yield f"| `{estimate}` | {method} | {str(population).replace('_', ' ')} | {learner} | {shown} | {reason} |"


def further_sections() -> Iterator[str]:
    """The sections of the estimates that are made only where somebody asks for them, by their definitions."""
    yield "\n\n---\n\n".join(definition.section.strip() for definition in ESTIMATES.values() if definition.section)


TABLES = {
    "further estimates": further_sections,
    "losses": losses_table,
    "defaults": defaults_table,
    "methods": methods_table,
    "dependent": dependent_table,
    "shortfalls": shortfalls_table,
    "rules": rules_table,
    "forms": forms_table,
}


def with_tables(page: str, tables: Mapping[str, Callable[[], Iterator[str]]] = TABLES) -> str:
    """The page, with each table between its two marks made again."""
    for name, table in tables.items():
        first, last = f"<!-- {name}: made by studies/method_pictures.py -->\n\n", f"\n\n<!-- end of {name} -->"
        if page.count(first) != 1 or page.count(last) != 1:
            raise ValueError(f"a page of docs/ needs the marks {first.strip()} and {last.strip()}, once each")
        page = page[: page.index(first) + len(first)] + "\n".join(table()) + page[page.index(last) :]
    return page


def estimates_table() -> Iterator[str]:
    """A line for each column of the tables of candidates, but for what is made on request."""
    yield "| column | error of which hypothesis | trained on | default interval (classes; numbers) |"
    yield "|---|---|---|---|"
    for name in SHOWN:
        definition, default = ESTIMATES[name], ESTIMATES[name].default
        names = [] if default is None else dict.fromkeys((default.zero_one.name, default.other.name))
        interval = "; ".join(names) or definition.interval
        asked = " (`further_estimates`)" if definition.on_request else ""
        yield f"| `{name}`{asked} | {definition.about} | {definition.trained_on} | {interval} |"
    yield ""
    for name, definition in ESTIMATES.items():
        if definition.hidden:
            said = f"`{name}` ({definition.about}) is in the page's table and in reports/estimates.csv alone"
            yield f"{said}: {definition.hidden}."


def write() -> None:
    """Bring the tables of both pages up to date."""
    for page, tables in PAGES.items():
        page.write_text(with_tables(page.read_text(encoding="utf-8"), tables), encoding="utf-8")


PAGES = {Path("docs/method.md"): TABLES, Path("docs/reading.md"): {"estimates": estimates_table}}
