"""What a fit is: all that its result depends on, as a record, and its key.

A key is a hash of every field of a record, with nothing left to write by hand: a field is either `Known`, a value with
its digest, or a plain value. What makes a fit (`heldout.fits.scheme_fits`) is given the record and `How`, which no
result depends on, and nothing else; so that what reaches a fit is in its key.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout import digests
from heldout.learners import open_random_states
from heldout.learners.chosen_inside import arguments
from heldout.losses import Loss
from heldout.losses.set_metrics import SetMetric
from heldout.schemes import SchemeName, fit_state
from heldout.schemes.cross_validation import FoldSplits
from heldout.schemes.design import Design, SchemeSplits
from heldout.splits.dependence import Dependence
from heldout.splits.split import Split
from heldout.splits.weights import Weights

Value = TypeVar("Value")
UseShortcuts = Literal["auto", "off"]


class Known(Generic[Value]):
    """A value that a fit depends on, and its digest: equal for equal values in every process.

    The digest is None where nobody can tell whether two values are equal, as of a learner that a notebook defines. Both
    are made when they are first asked for: a key needs digests alone, and a worker those of its own fits.
    """

    def __init__(self, make: Callable[[], Value], digest: str | Callable[[], str] | None) -> None:
        self._make, self._digest = make, digest

    @cached_property
    def digest(self) -> str | None:
        """The digest."""
        return self._digest() if callable(self._digest) else self._digest

    @cached_property
    def value(self) -> Value:
        """The value."""
        return self._make()


@dataclass(frozen=True, eq=False)
class Labeled:
    """The labelled rows: X, an array, a data frame or a sparse matrix of shape (N, p), and y, shape (N,)."""

    X: Any
    y: NDArray[np.generic]


class Keyed:
    """A record, a dataclass, whose key is made of all its fields."""

    @cached_property
    def key(self) -> str | None:
        """The hash of every field; None where one of them has no digest.

        Raises TypeError for a field of another kind than `Known`, a number, a truth value, a text or texts.
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # each record is one
        parts = {field.name: _part(getattr(self, field.name), field.name) for field in fields}
        return None if None in parts.values() else digests.key(type(self).__name__, parts)


@dataclass(frozen=True, eq=False)
class Spec(Keyed):
    """What every fit has: the rows, the learner, how answers are judged, and the seed, `state`."""

    rows: Known[Labeled]
    learner: Known[Any]
    loss: Known[Loss]
    weights: Known[Weights | None]
    dependence: Known[Dependence | None]  # None for a learner that chooses nothing inside its fit by groups or times
    terms: Known[Mapping[str, SetMetric]]  # metrics of a set, by the estimate
    state: int  # 0 for a learner that leaves no randomness open
    own: bool  # whether it is tested on the rows that it is trained on too


@dataclass(frozen=True, eq=False)
class FitSpec(Spec):
    """One hypothesis: the learner fitted to the training rows of a split, and tested on the others."""

    split: Known[Split]


@dataclass(frozen=True, eq=False)
class ExactSpec(Spec):
    """The losses of all splits of a scheme, without a fit of each; they may be declined."""

    splits: Known[SchemeSplits]


@dataclass(frozen=True)
class CompareSpec(Keyed):
    """How far pairs of half models differ on unlabelled rows: by the keys of their fits, which hold the loss."""

    halves: tuple[str, ...]
    rows: str


@dataclass(frozen=True)
class VoteSpec(Keyed):
    """What half models answer on labelled rows that they did not see, and on unlabelled rows."""

    halves: tuple[str, ...]
    labeled: str
    unlabeled: str


@dataclass(frozen=True)
class How:
    """How fits are made, on which no result depends.

    By `shortcuts` where they are exact, or each by itself; by a process that ends itself where a fit takes longer than
    `fit_timeout` seconds, None for no limit; and whether hypotheses are kept next to their losses.
    """

    shortcuts: UseShortcuts = "auto"
    fit_timeout: float | None = None
    keep: bool = False


def hypothesis_key(address: str) -> str:
    """Where the hypothesis of a fit is stored."""
    return f"{address}.hypothesis"


def _part(value: object, name: str) -> object:
    if isinstance(value, Known):
        return value.digest
    if isinstance(value, int | float | str) or (
        isinstance(value, tuple) and all(isinstance(one, str) for one in value)
    ):
        return value
    raise TypeError(f"{name} of a spec is a {type(value).__name__}; it must be Known, a number, truth value or text")


@dataclass(frozen=True, eq=False)
class Specs:
    """The records of one candidate, called `name`: its `learner` on `rows`, by a design.

    `judged` is the digest of the loss; None where nobody can tell. `splits` may be shared among candidates.
    """

    name: str
    rows: Known[Labeled]
    learner: Known[Any]
    judged: str | None
    splits: "KnownSplits"

    @property
    def design(self) -> Design:
        """The design of all splits."""
        return self.splits.design

    def fit(self, scheme: SchemeName, number: int) -> FitSpec:
        """The record of one fit of a scheme."""
        return FitSpec(**self._shared(scheme, number), split=self.splits.each(scheme)[number])

    def exact(self, scheme: SchemeName) -> ExactSpec:
        """The record of all losses of a scheme, whose seed is that of its first fit."""
        return ExactSpec(**self._shared(scheme, 0), splits=self.splits.together(scheme))

    def address(self, scheme: SchemeName, number: int) -> str:
        """Where a fit is stored: its key, or its name in this run where it has none."""
        of_this_run = f"{self.name}: {scheme} {number}"
        return self.fit(scheme, number).key or of_this_run if self._keyed else of_this_run

    def exact_address(self, scheme: SchemeName) -> str:
        """Where all losses of a scheme are stored: their key, or their name in this run."""
        of_this_run = f"{self.name}: {scheme}"
        return self.exact(scheme).key or of_this_run if self._keyed else of_this_run

    @property
    def _keyed(self) -> bool:
        """Whether there are keys: else nothing has to be looked at for them."""
        return None not in (self.rows.digest, self.learner.digest, self.judged)

    def _shared(self, scheme: SchemeName, number: int) -> dict[str, Any]:
        asked = self.design.set_metrics_in(scheme)
        return {
            "rows": self.rows,
            "learner": self.learner,
            "loss": Known(lambda: self.design.loss, self.judged),
            "weights": self.splits.weights,
            "dependence": known_dependence(self.learner.value, self.design.dependence),
            "terms": Known(lambda: asked, ",".join(asked)),
            "state": fit_state(self.design.seed, scheme, number) if self._draws else 0,
            "own": scheme == "covalidation",
        }

    @cached_property
    def _draws(self) -> bool:
        return bool(open_random_states(self.learner.value))


@dataclass(frozen=True, eq=False)
class KnownSplits:
    """The splits of a design, and its weights, with their digests, each made once; without digests unless `keyed`."""

    design: Design
    keyed: bool
    _each: dict[SchemeName, Sequence[Known[Split]]] = dataclasses.field(default_factory=dict)

    def each(self, scheme: SchemeName) -> Sequence[Known[Split]]:
        """Each split of a scheme."""
        if scheme not in self._each:
            splits = self.design.splits(scheme)
            self._each[scheme] = [self._one(splits, number) for number in range(len(splits))]
        return self._each[scheme]

    def together(self, scheme: SchemeName) -> Known[SchemeSplits]:
        """All splits of a scheme."""
        of_scheme = self.design.of_scheme(scheme)
        return Known(lambda: of_scheme, (lambda: _digest_of_all(of_scheme)) if self.keyed else None)

    @cached_property
    def weights(self) -> Known[Weights | None]:
        """The weights of the rows."""
        weights = self.design.weights
        return Known(lambda: weights, _digest_of_weights(weights) if self.keyed else None)

    def _one(self, splits: Sequence[Split], number: int) -> Known[Split]:
        return Known(lambda: splits[number], (lambda: digest_of_split(splits[number])) if self.keyed else None)


def known_dependence(learner: Any, dependence: Dependence) -> Known[Dependence | None]:
    """The groups and times of the rows, for a learner that chooses by them inside its fit."""
    of_rows = arguments(learner, dependence)
    if not of_rows:
        return Known(lambda: None, "")
    values = [(name, hashlib.sha256(of.astype(np.int64).tobytes()).hexdigest()) for name, of in of_rows.items()]
    return Known(lambda: dependence, digests.content_hash(*values))


def digest_of_split(split: Split) -> str:
    """The digest of the rows of a split, and of whose labels its answers are compared with."""
    digest = hashlib.sha256(split.train.astype(np.int64).tobytes())
    digest.update(b"|" + split.validation.astype(np.int64).tobytes())
    if split.labels is not None:
        digest.update(b"|" + split.labels.astype(np.int64).tobytes())
    return digest.hexdigest()


def _digest_of_all(of: SchemeSplits) -> str:
    if isinstance(of.splits, FoldSplits):  # N splits of leave-one-out have up to N² training rows
        digest = hashlib.sha256(of.splits.fold.astype(np.int64).tobytes()).hexdigest()
    else:
        digest = hashlib.sha256("".join(map(digest_of_split, of.splits)).encode()).hexdigest()
    return digests.content_hash(of.scheme, digest, of.dependence)


def _digest_of_weights(weights: Weights | None) -> str:
    if weights is None:
        return ""
    return digests.content_hash(weights.drawn, hashlib.sha256(weights.values.tobytes()).hexdigest())
