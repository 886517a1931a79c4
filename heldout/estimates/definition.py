"""What an estimate is: all that the tables, the pages, the criteria and the choice of intervals know about one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from heldout.intervals.method import Default, IntervalMethod
from heldout.losses import Loss
from heldout.losses.set_metrics import SetMetric
from heldout.records import Estimate
from heldout.schemes import Scheme, SchemeName
from heldout.splits.dependence import DependenceKind

if TYPE_CHECKING:
    from heldout.schemes.design import Design, Evidence
    from heldout.selection.paired_losses import Paired
    from heldout.selection.selection import Selection

Kind = Literal["error", "training error", "disagreement", "implied error"]
OfCandidate = Callable[["Design", "Evidence", str], Estimate | None]
OfWinner = Callable[["Design", Mapping[str, "Evidence"], "Selection | None"], Estimate | None]
LossesBehind = Callable[["Design", Mapping[str, "Evidence"]], "Paired"]


@dataclass(frozen=True)
class Planning:
    """How one plans with an estimate: the first by `order` that has an interval is taken.

    `rests_on` says on what it rests, with the number {n} of tested rows; `if_won` what having won by it does to it.
    What is compared with it is the estimate `of_baseline` of the baseline, the same one where that is empty.
    """

    order: int
    rests_on: str
    if_won: str = ""
    of_baseline: str = ""

    def says(self, n: str, *, won: bool) -> str:
        """On what it rests, of so many tested rows, and what having `won` by it does to it."""
        first = self.rests_on.format(n=n)
        return f"{first}; {self.if_won}" if won and self.if_won else first


@dataclass(frozen=True)
class Definition:
    """One estimate.

    Parameters
    ----------
    name : str
        Its name in every table.
    meaning : str
        A sentence for the glossary.
    about : str
        Of which hypothesis the number is, in the table of docs/reading.md.
    trained_on : str
        On how many rows it is trained, there.
    kind : {"error", "training error", "disagreement", "implied error"}
        What it measures. Kinds of error share an axis in pictures; the two last are about unlabelled rows.
    column : int
        Its place among the columns of the report, the lowest first.
    scheme : str, optional
        The scheme whose hypotheses are its target; None for the hypothesis that is delivered.
    further : tuple of str
        Schemes that it needs besides, whatever its interval is.
    own_schemes : mapping of str to Scheme
        Those of them that no other estimate has.
    of_candidate : callable, optional
        Its record for each candidate, from a design and the candidate's evidence; None where it has no value.
    of_winner : callable, optional
        Its record for the winner alone, from all evidence and the selection.
    default : Default, optional
        The methods of its interval that the coverage study chose, and why; None where nothing can be chosen.
    methods : tuple of IntervalMethod
        Methods that are for this estimate alone; others are in `heldout.intervals`.
    valid : mapping
        The methods that hold where rows depend on one another; the first that admits the loss is the default.
    carried_from : str
        The estimate whose bounds it has, carried through a monotone function.
    interval : str
        Its interval in words, there, where no method can be chosen.
    in_time : bool
        Whether it exists for rows in time.
    on_request : bool
        Whether it is computed only where somebody asks for it.
    least_candidates : int
        The number of candidates from which on it says something.
    is_criterion : bool
        Whether a candidate can be chosen by it.
    losses_behind : callable, optional
        For a criterion that is a mean of paired losses: these losses of all candidates.
    planning : Planning, optional
        How one plans with it.
    after_the_choice : str
        For an estimate of the winner: what it is, next to its value in a sentence.
    set_metric : SetMetric, optional
        The metric of a set that it is a mean of, in place of the losses of rows.
    hidden : str
        Why tables of candidates leave it out; empty where they show it.
    section : str
        Its section of docs/losses.md, where no person has written one.
    """

    name: str
    meaning: str
    about: str
    trained_on: str
    kind: Kind
    column: int
    scheme: SchemeName | None = None
    further: tuple[SchemeName, ...] = ()
    own_schemes: Mapping[SchemeName, Scheme] = field(default_factory=dict)
    of_candidate: OfCandidate | None = None
    of_winner: OfWinner | None = None
    default: Default | None = None
    methods: tuple[IntervalMethod, ...] = ()
    valid: Mapping[DependenceKind, tuple[IntervalMethod, ...]] = field(default_factory=dict)
    carried_from: str = ""
    interval: str = "none"
    in_time: bool = True
    on_request: bool = False
    least_candidates: int = 1
    is_criterion: bool = False
    losses_behind: LossesBehind | None = None
    planning: Planning | None = None
    after_the_choice: str = ""
    set_metric: SetMetric | None = None
    hidden: str = ""
    section: str = ""

    @property
    def of_unlabeled(self) -> bool:
        """Whether it is about unlabelled rows."""
        return self.kind in ("disagreement", "implied error")

    def refused_by(self, loss: Loss) -> str | None:
        """Why the loss does not admit it; None where it does."""
        if self.set_metric is not None and not loss.of_classes:
            holds = "numbers" if loss.labels == 1 else "several labels a row"
            return f"{self.set_metric.metric} is of classes, and the target holds {holds}"
        if self.kind == "disagreement" and loss.disagreement_loss is None:
            return loss.no_bound
        return loss.no_bound if self.kind == "implied error" and loss.bound_factor is None else None
