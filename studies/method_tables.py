"""The tables of the pages on the method, from the code: losses, intervals, selection rules, forms of delivery."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from heldout.estimates import ESTIMATES, SHOWN
from heldout.estimates import methods as interval_methods
from heldout.estimates.criteria import CRITERIA, WITH_LOSSES
from heldout.estimates.methods import DEFAULTS, METHODS
from heldout.intervals.method import IntervalMethod
from heldout.losses import KINDS, SQUARED, ZERO_ONE, Loss, choose_loss
from heldout.schemes import resampling
from heldout.schemes.delivery import FORMS
from heldout.selection.rules import RULES

SAMPLE = np.array([1, 1, 2])  # classes of unequal size, or numbers
ANSWERS = {"class": "a class", "number": "a number", "probabilities": "probabilities"}
FITS = {
    None: "none",
    "subsamples": f"{resampling.SUBSAMPLES}",
    "repeated_folds": f"{resampling.REPEATS - 1} k",
    "fold_pairs": "k (k - 1) / 2",
}


def shown(method: IntervalMethod) -> str:
    """The name of a method; that of a metric is named for all metrics."""
    of_metric = all(ESTIMATES[estimate].set_metric for estimate in method.covers)
    return "corrected Wilson of the metric" if of_metric else method.name


def methods_table() -> Iterator[str]:
    """A line for all interval methods that share an assumption, in the order of METHODS."""
    yield "| methods (losses) | covers, and under which assumption | validity | fits |"
    yield "|---|---|---|---|"
    named: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for method in METHODS:
        assumed = named.setdefault((f"{shown(method)} ({method.losses})", method.validity, FITS[method.needs]), {})
        for estimate, assumption in method.covers.items():
            assumed.setdefault(assumption, []).append(f"`{estimate}`")
    together: dict[tuple[str, ...], list[str]] = {}
    for (name, *cells), assumed in named.items():
        covers = "<br>".join(f"{', '.join(names)}: {assumption}" for assumption, names in assumed.items())
        together.setdefault((covers, *cells), []).append(name)
    yield from _lines(together, "<br>")


def defaults_table() -> Iterator[str]:
    """A line for all estimates that share their defaults, in the order of DEFAULTS."""
    yield "| estimate | 0/1 | costs | others of known limit | others |"
    yield "|---|---|---|---|---|"
    together: dict[tuple[str, ...], list[str]] = {}
    for estimate, chosen in DEFAULTS.items():
        known = ("as others" if one is None else one.name for one in (chosen.of_costs, chosen.of_limit))
        cells = shown(chosen.zero_one), *known, shown(chosen.other)
        together.setdefault(cells, []).append(f"`{estimate}`")
    yield from _lines(together, ", ")


def dependent_table() -> Iterator[str]:
    """A line for all ways in which rows depend, and estimates, that have the same intervals then."""
    yield "| estimate | rows depend by | classes | numbers |"
    yield "|---|---|---|---|"
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind, valid in interval_methods.VALID.items():
        for estimate, methods in valid.items():
            of_classes, of_numbers = (
                ", ".join(shown(method) for method in methods if method.admits(loss)) for loss in (ZERO_ONE, SQUARED)
            )
            kinds.setdefault((f"`{estimate}`", of_classes, of_numbers), []).append(kind)
    together: dict[tuple[str, ...], list[str]] = {}
    for (estimate, *cells), named in kinds.items():
        together.setdefault(("; ".join(named), *cells), []).append(estimate)
    yield from _lines(together, ", ")


def _lines(together: Mapping[tuple[str, ...], list[str]], between: str) -> Iterator[str]:
    for shared, names in together.items():
        yield f"| {between.join(names)} | {' | '.join(shared)} |"


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


def further_sections() -> Iterator[str]:
    """The sections of the estimates that are made only where somebody asks for them, by their definitions."""
    yield "\n\n---\n\n".join(definition.section.strip() for definition in ESTIMATES.values() if definition.section)


def with_tables(page: str, tables: Mapping[str, Callable[[], Iterator[str]]]) -> str:
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
    """Bring the tables of all pages up to date."""
    for page, tables in PAGES.items():
        page.write_text(with_tables(page.read_text(encoding="utf-8"), tables), encoding="utf-8")


PAGES: Mapping[Path, Mapping[str, Callable[[], Iterator[str]]]] = {
    Path("docs/losses.md"): {"losses": losses_table, "further estimates": further_sections},
    Path("docs/intervals.md"): {"defaults": defaults_table, "methods": methods_table, "dependent": dependent_table},
    Path("docs/choosing.md"): {"rules": rules_table, "forms": forms_table},
    Path("docs/reading.md"): {"estimates": estimates_table},
}
