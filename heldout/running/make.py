"""What a worker does: it makes what records ask for, and stores it under their keys as soon as it is made.

So a run that was killed, a candidate that is added or more halvings make only what is not there.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure, StoreFailure
from heldout.fits.scheme_fits import Fits, SchemeLosses, losses_without_fits
from heldout.fits.specs import CompareSpec, FitSpec, How, Specs, VoteSpec, hypothesis_key
from heldout.learners.fitting import ROWS_AT_ONCE, reason
from heldout.losses import Loss
from heldout.losses.loss import Classes
from heldout.running.isolation import time_limit
from heldout.running.store import Store
from heldout.schemes import SchemeName, label_of_fits
from heldout.shortcuts import Declined
from heldout.shortcuts.scheme_losses import ExactLosses
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.half_model_controls import Votes

Noted = Callable[[FitSpec, float, Any], None]  # what is done with a fit that was made: its seconds, its hypothesis

log = logging.getLogger("heldout")


def is_made(store: Store, key: str, *, keep: bool) -> bool:
    """Whether a fit is stored: its losses, and its hypothesis if that is kept."""
    return store.has(key) and (not keep or store.has(hypothesis_key(key)))


def make_fits(
    specs: Specs, scheme: SchemeName, numbers: Sequence[int], store: Store, how: How, noted: Noted | None = None
) -> str | None:
    """Make and store those of some fits of a scheme that are not stored; the reason, if one fails.

    One that is stored was made by a worker that died later in the same task.
    """
    fits = Fits(specs.fit(scheme, numbers[0]), scheme, len(numbers), how)
    for number in numbers:
        address = specs.address(scheme, number)
        if is_made(store, address, keep=how.keep):
            continue
        spec, started = specs.fit(scheme, number), time.perf_counter()
        try:
            hypothesis = make_fit(fits, spec, address, store, how, read_again=scheme == "holdout")
        except FitFailure as failure:
            return f"{label_of_fits(scheme, [number], len(specs.design.splits(scheme)))}: {failure}"
        if noted is not None:
            noted(spec, time.perf_counter() - started, hypothesis)
    return None


def make_fit(fits: Fits, spec: FitSpec, address: str, store: Store, how: How, *, read_again: bool = False) -> Any:
    """Make and store one fit; returns its hypothesis.

    Raises FitFailure, also for a hypothesis that cannot be stored or, if that is asked, read again.
    """
    with time_limit(how.fit_timeout):
        hypothesis, result = fits.make(spec)
        if how.keep:
            with _pickled():
                store.save(hypothesis_key(address), hypothesis)
                if read_again:
                    store.load(hypothesis_key(address))
    store.save(address, result)
    return hypothesis


def make_exact(
    specs: Specs, scheme: SchemeName, store: Store, how: How, exact: Callable[[], ExactLosses] | None = None
) -> str | None:
    """Store all losses of a scheme without its fits, or None where the learner has to be fitted.

    `exact` as in `heldout.fits.scheme_fits.losses_without_fits`. Returns the reason of a failure: only a candidate that
    is updated once fails here, others are fitted then.
    """
    spec = specs.exact(scheme)
    made: SchemeLosses | None = None
    try:
        with time_limit(how.fit_timeout, len(spec.splits.value.splits)):
            made = losses_without_fits(spec, exact)
    except FitFailure as failure:
        return f"{scheme}: {failure}"
    except Declined as declined:
        log.debug("%s: %s is fitted: %s", scheme, specs.name, declined)
    store.save(specs.exact_address(scheme), made)
    return None


def compare(spec: CompareSpec, X: Any, loss: Loss, sizes: Sequence[int], store: Store, how: How, jobs: int = 1) -> None:
    """Store how far the half models of a record differ on consecutive shards of `sizes` rows, X of shape (n, p).

    What is stored are the margins of `heldout.unlabelled.disagreement.disagreements`, made by `jobs` threads. Raises
    FitFailure.
    """
    with time_limit(how.fit_timeout, _answered(spec.halves, X.shape[0])):
        margins = disagreements(hypotheses(spec.halves, store), X, loss, sizes, jobs)
    store.save(str(spec.key), margins)


def vote(
    spec: VoteSpec, X: Any, labeled: int, half: NDArray[np.int8], classes: Classes, store: Store, how: How
) -> None:
    """Store the votes of the half models of a record, on the first `labeled` rows of X and on the others.

    `half` has their halves, shape (repeats, labeled). Raises FitFailure if a half model does not answer.
    """
    with time_limit(how.fit_timeout, _answered(spec.halves, len(X))):
        votes = Votes.of(hypotheses(spec.halves, store), X, half, classes).split(labeled)
    store.save(str(spec.key), votes)


def hypotheses(addresses: Sequence[str], store: Store) -> list[Any]:
    """The stored hypotheses of some fits. Raises FitFailure if one cannot be read again."""
    with _pickled():
        return [store.load(hypothesis_key(address)) for address in addresses]


def _answered(halves: Sequence[str], rows: int) -> int:
    """How many fits the answers of half models may take as long as: one for each part of the rows."""
    return len(halves) * max(1, -(-rows // ROWS_AT_ONCE))


@contextmanager
def _pickled() -> Iterator[None]:
    """Raise FitFailure for what a learner raises while it is written or read; errors of the store are not its fault."""
    try:
        yield
    except (OSError, StoreFailure):
        raise
    except (Exception, SystemExit) as error:
        raise FitFailure(f"the fitted learner cannot be stored and read again: {reason(error)}") from error
