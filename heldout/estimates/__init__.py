"""The registry of estimates: what a run says of a candidate, one estimate a file.

Each module holds one `ESTIMATE` (`heldout.estimates.definition.Definition`). Everything that lists estimates derives
from `ESTIMATES`: its order is that of estimates.csv.

>>> [name for name, estimate in ESTIMATES.items() if estimate.of_winner]
['E_bbc', 'E_nested']
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from heldout import extensions
from heldout.estimates.definition import Definition
from heldout.losses import Loss
from heldout.losses.set_metrics import SetMetric
from heldout.records import Estimate
from heldout.schemes import SCHEMES, SchemeName

if TYPE_CHECKING:
    from heldout.schemes.design import Design, Evidence
    from heldout.selection.selection import Selection

# a line an estimate: its module of `heldout.estimates`
_OWN: tuple[Definition, ...] = tuple(
    import_module(f"heldout.estimates.{module}").ESTIMATE
    for module in (
        "e_in",
        "e_val",
        "e_cv",
        "e_auc",
        "e_ap",
        "e_f1",
        "e_balanced",
        "e_prog",
        "e_boot",
        "e_2cv",
        "e_train",
        "disagreement",
        "e_dis",
        "e_maxdt",
        "e_test",
        "e_bbc",
        "e_nested",
    )
)
for _definition in _OWN:
    SCHEMES.update(_definition.own_schemes)


def _refused(one: Definition) -> str | None:
    """Why an estimate of another package cannot be taken up; None if it can."""
    if not one.on_request:
        return "must have on_request=True: to allow a package changes no run that names nothing of it"
    known = [name for name in one.own_schemes if name in SCHEMES]
    return f"has the scheme {known[0]!r}, which exists; take another name" if known else None


def _from_outside() -> Iterator[Definition]:
    for one in extensions.of("heldout.estimates", Definition, _OWN, _refused):
        SCHEMES.update(one.own_schemes)
        yield one


_DEFINITIONS: tuple[Definition, ...] = (*_OWN, *_from_outside())
ESTIMATES: Mapping[str, Definition] = {one.name: one for one in _DEFINITIONS}

PER_CANDIDATE: tuple[str, ...] = tuple(one.name for one in _DEFINITIONS if one.of_candidate)
OF_THE_WINNER: tuple[str, ...] = tuple(one.name for one in _DEFINITIONS if one.of_winner)
OF_UNLABELED: tuple[str, ...] = tuple(one.name for one in _DEFINITIONS if one.of_unlabeled)
ON_REQUEST: tuple[str, ...] = tuple(one.name for one in _DEFINITIONS if one.on_request)
NOT_IN_TIME: tuple[str, ...] = tuple(one.name for one in _DEFINITIONS if not one.in_time)
# of tables whose lines are candidates
SHOWN: tuple[str, ...] = tuple(one.name for one in _DEFINITIONS if one.of_candidate and not one.hidden)
# as the report orders them
BY_COLUMN: tuple[Definition, ...] = tuple(sorted(_DEFINITIONS, key=lambda one: one.column))
# with which one plans, the best first
PLANNED_BY: tuple[Definition, ...] = tuple(
    sorted((one for one in _DEFINITIONS if one.planning), key=lambda one: one.planning.order)  # type: ignore[union-attr]
)
# between runs, and on first screens: what one plans with, what the method is about, and what was asked for
COMPARED: tuple[str, ...] = (*(one.name for one in PLANNED_BY), "E_prog", "disagreement", *ON_REQUEST)
FIRST: tuple[str, ...] = tuple(name for name in SHOWN if name in COMPARED)


# what a candidate may fail in without failing in E_cv
SIDE: tuple[str, ...] = ("progressive", "covalidation", "disagreement")


def scheme_of(estimate: str) -> SchemeName:
    """The scheme whose hypotheses are the target of an estimate. Raises KeyError for one that has none."""
    scheme = ESTIMATES[estimate].scheme
    if scheme is None:
        raise KeyError(estimate)
    return scheme


def set_metrics(names: Iterable[str]) -> dict[str, SetMetric]:
    """The metrics of a set that some estimates are means of."""
    found = ((name, ESTIMATES[name].set_metric) for name in names)
    return {name: loss for name, loss in found if loss is not None}


def schemes_of(design: "Design") -> list[SchemeName]:
    """The schemes whose fits the estimates of a design, and their intervals, need; without repetition."""
    needed = [scheme_of(name) for name in design.estimates]
    if "E_cv" in design.estimates and design.further_for_e_cv is not None:
        needed.append(design.further_for_e_cv)
    for name in design.estimates:
        needed += ESTIMATES[name].further
    return list(dict.fromkeys(needed))


def may_fail(design: "Design", scheme: str) -> bool:
    """Whether a candidate whose fits fail in a scheme lacks its estimates, and no more; else it fails as a whole.

    Next to other schemes that of E_prog and that of the half models are such, which train on fewer rows than E_cv does;
    and "disagreement", the answers of the half models to the unlabelled rows.
    """
    return scheme in SIDE and any(other not in SIDE for other in schemes_of(design))


def lacking(design: "Design", evidence: "Evidence") -> dict[str, str]:
    """The reason of each requested estimate that a candidate lacks, since some of its fits failed."""
    found: dict[str, str] = {}
    for name in (name for name in PER_CANDIDATE if name in design.estimates):
        one = ESTIMATES[name]
        for need in (one.scheme, *one.further, "disagreement" if one.of_unlabeled else None):
            if need in evidence.failed:
                found.setdefault(name, evidence.failed[str(need)])
    return found


def lacking_text(design: "Design", evidence: "Evidence") -> str:
    """The same in words; empty where it lacks none."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in lacking(design, evidence).items():
        by_reason.setdefault(reason, []).append(name)
    return "; ".join(f"no {', '.join(names)}: {reason}" for reason, names in by_reason.items())


def estimate_candidate(design: "Design", candidate: str, evidence: "Evidence") -> list[Estimate]:
    """The requested estimates of one candidate, in the order of `ESTIMATES`, as far as there is evidence."""
    records = (
        definition.of_candidate(design, evidence, candidate)
        for definition in _DEFINITIONS
        if definition.of_candidate
        and definition.name in design.estimates
        and {definition.scheme, *definition.further} <= {*evidence.losses}
    )
    return [record for record in records if record is not None]


def estimate_winner(
    design: "Design", evidence: Mapping[str, "Evidence"], selection: "Selection | None" = None
) -> list[Estimate]:
    """The requested estimates of the winner: of the least E_cv, or of the `selection` where an estimate follows it."""
    records = (
        definition.of_winner(design, evidence, selection)
        for definition in _DEFINITIONS
        if definition.of_winner and definition.name in design.estimates
    )
    return [record for record in records if record is not None]


def admitted(names: Iterable[str], loss: Loss) -> list[str]:
    """Those of the `names` that the loss does not refuse."""
    return [name for name in names if ESTIMATES[name].refused_by(loss) is None]
