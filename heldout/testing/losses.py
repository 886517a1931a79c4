"""The contract of every kind of loss, on labels and answers from a fixed seed."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.fits.training_labels import SplitLabels
from heldout.losses.kind import LossKind, Target
from heldout.losses.loss import Loss
from heldout.splits.split import Split
from heldout.testing.law import keep, refused, require

_DRAWS = 25
_ROUNDING = 1e-9


def check_loss(kind: LossKind) -> None:
    """Try every law of a kind of loss.

    Parameters
    ----------
    kind : LossKind
        The kind. Its loss is made for the classes 1 and 2, or for numbers, with the `sample` of its parameter.

    Raises
    ------
    AssertionError
        For a law that is broken: it names the law, the loss, and what was seen.

    Examples
    --------
    >>> from heldout.losses.absolute import KIND
    >>> check_loss(KIND)
    """
    keep(LAWS, kind)


def it_makes_the_loss_of_its_name_for_the_targets_that_it_says(kind: LossKind) -> None:
    """With words for reports."""
    require(kind.targets in ("classes", "numbers"), kind.name, "targets must be classes or numbers", repr(kind.targets))
    for y, loss, _ in _drawn(kind):
        require(loss.name == kind.name, kind.name, "its loss must have the name of the kind", f"it is {loss.name!r}")
        law = "a loss of classes must need a class or probabilities, a loss of numbers a number"
        require((kind.targets == "classes") == loss.of_classes, kind.name, law, f"it needs a {loss.needs}")
        require(loss.says, kind.name, "its loss must say what it is, for reports")
        same = (
            loss.classes is not None and np.array_equal(np.unique(y), loss.classes)
            if loss.needs == "probabilities"
            else True
        )
        require(same, kind.name, "a loss of probabilities must name the classes, ascending", f"{loss.classes}")


def losses_are_not_negative_and_within_the_limit(kind: LossKind) -> None:
    """One float64 for each row; 0 and 1 alone where `binary` says so, 0 and the limit where `two_valued` does."""
    for y, loss, rng in _drawn(kind):
        losses = loss.pointwise(y, _answers(loss, y, rng))
        shaped = isinstance(losses, np.ndarray) and losses.shape == y.shape and losses.dtype == np.float64
        require(shaped, kind.name, "losses must be an array of float64, one for each row")
        inside = bool((losses >= 0).all()) and bool((losses <= loss.limit * (1 + _ROUNDING)).all())
        law = f"losses must lie between 0 and the limit, {loss.limit}"
        require(inside, kind.name, law, f"{losses.min()} … {losses.max()}")
        if loss.binary or loss.two_valued:
            most = 1.0 if loss.binary else loss.limit
            require(np.isin(losses, [0.0, most]).all(), kind.name, f"losses must be 0 or {most}, as the loss says")


def the_truth_has_no_loss(kind: LossKind) -> None:
    """Up to rounding, for probabilities that are certain."""
    for y, loss, _ in _drawn(kind):
        truth = (y[:, None] == loss.classes).astype(np.float64) if loss.classes is not None else y
        losses = loss.pointwise(y, truth if loss.needs == "probabilities" else y)
        require(
            (losses <= _ROUNDING).all(), kind.name, "an answer that is the truth must have a loss of 0", f"{losses}"
        )


def its_constant_is_the_best_one(kind: LossKind) -> None:
    """No other constant answer has a lower mean loss on the rows that it was made of."""
    for y, loss, rng in _drawn(kind):
        labels = SplitLabels(y, np.ones(len(y)), [Split(np.arange(len(y)), np.arange(0))])
        best = loss.constant.answers(labels)[0]
        others: list[Any] = [*np.unique(y)]
        if loss.needs == "number":
            others = [*others, *np.quantile(y, np.linspace(0, 1, 21)), y.mean()]
        if loss.needs == "probabilities":
            others = [*rng.dirichlet(np.ones(len(others)), 20)]

        def mean(answer: Any, y: NDArray[Any] = y, loss: Loss = loss) -> float:
            return float(loss.pointwise(y, np.repeat(np.asarray(answer)[None], len(y), axis=0)).mean())

        least = min(others, key=mean)
        law = "constant must be the constant answer of least mean loss"
        seen = f"{best} has {mean(best)}, and {least} has {mean(least)}"
        require(mean(best) <= mean(least) + _ROUNDING * max(1, mean(least)), kind.name, law, seen)
        require(loss.constant.says, kind.name, "its constant must say what it is, for reports")


def two_answers_have_a_distance(kind: LossKind) -> None:
    """By which half models are compared on unlabelled rows: the same both ways, and 0 for equal answers."""
    for y, loss, rng in _drawn(kind):
        apart = loss.disagreement_loss
        if apart is None:
            raise AssertionError(f"{kind.name}: its loss must have a disagreement_loss; give it one by `compared_by`")
        one, other = _answers(loss, y, rng), _answers(loss, y, rng)
        there, back = apart.pointwise(one, other), apart.pointwise(other, one)
        near = there.shape == y.shape and np.allclose(there, back, _ROUNDING, _ROUNDING) and (there >= 0).all()
        law = "the distance of two answers must not be negative, and the same both ways"
        require(near, kind.name, law, f"{there} and {back}")
        own = apart.pointwise(one, one)
        require((own <= _ROUNDING).all(), kind.name, "equal answers must have no distance", f"{own}")


def what_a_disagreement_says_of_two_answers_is_so(kind: LossKind) -> None:
    """Their mean loss is at least `pair_factor` times their distance; words and factors are there together."""
    for y, loss, rng in _drawn(kind):
        for words, factor, name in (
            (kind.bound, loss.bound_factor, "bound"),
            (kind.pair_bound, loss.pair_factor, "pair_bound"),
        ):
            law = (
                f"{name} must be 'none' where the loss has no {name.replace('bound', '').strip('_') or 'bound'} factor"
            )
            require((words == "none") == (factor is None), kind.name, law, f"it is {words!r}, the factor {factor}")
        if loss.pair_factor is None or loss.disagreement_loss is None:
            require(loss.no_bound, kind.name, "a loss without a bound must say why, in no_bound")
            continue
        one, other = _answers(loss, y, rng), _answers(loss, y, rng)
        least = loss.pair_factor * loss.disagreement_loss.pointwise(one, other)
        mean = (loss.pointwise(y, one) + loss.pointwise(y, other)) / 2
        law = "two answers must err on average at least pair_factor times their disagreement"
        require((mean >= least - _ROUNDING * np.maximum(1, least)).all(), kind.name, law, f"{mean} and {least}")


def it_crosses_to_a_worker(kind: LossKind) -> None:
    """Its loss is pickled: a function of a module, and no lambda."""
    for y, loss, rng in _drawn(kind):
        answers = _answers(loss, y, rng)
        try:
            sent = pickle.loads(pickle.dumps(loss))  # noqa: S301  # what was just written
        except Exception as error:
            raise AssertionError(f"{kind.name}: a worker must be able to read its loss; {error}") from error
        same = np.array_equal(loss.pointwise(y, answers), sent.pointwise(y, answers))
        require(same, kind.name, "its loss must be the same in a worker")


def a_value_that_is_none_is_refused(kind: LossKind) -> None:
    """Of the parameter, if it has one; the sample is accepted."""
    if kind.parameter is None:
        return
    kind.parameter.check(kind.parameter.sample)
    check = kind.parameter.check
    for value in ("no value", None, [1], -1.0, float("nan")):
        raised = refused(lambda value=value: check(value), BadArgument)  # type: ignore[misc]
        require(raised, kind.name, "a wrong value of its parameter must raise BadArgument", f"{value!r} did not")


LAWS: tuple[Callable[[LossKind], None], ...] = (
    it_makes_the_loss_of_its_name_for_the_targets_that_it_says,
    losses_are_not_negative_and_within_the_limit,
    the_truth_has_no_loss,
    its_constant_is_the_best_one,
    two_answers_have_a_distance,
    what_a_disagreement_says_of_two_answers_is_so,
    it_crosses_to_a_worker,
    a_value_that_is_none_is_refused,
)


def _drawn(kind: LossKind) -> Iterator[tuple[NDArray[Any], Loss, np.random.Generator]]:
    """Labels that the kind judges, and its loss for them."""
    value = None if kind.parameter is None else kind.parameter.sample
    for number in range(_DRAWS):
        rng = np.random.default_rng(number)
        n = int(rng.integers(4, 30))
        numbers = rng.normal(size=n) * 10.0 ** rng.integers(-2, 3)
        y = numbers if kind.targets == "numbers" else np.concatenate([[1, 2], rng.integers(1, 3, n)])
        target = Target(y)
        reason = None if kind.refuses is None else kind.refuses(target)
        require(reason is None, kind.name, "it must take the classes 1 and 2, or any numbers", f"{reason}")
        yield y, kind.make(target, value), rng


def _answers(loss: Loss, y: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Right and wrong answers of the form that the loss needs."""
    if loss.needs == "class":
        return np.asarray(rng.permutation(y))
    if loss.needs == "number":
        return np.asarray(np.where(rng.random(len(y)) < 0.3, y, rng.permutation(y) + rng.normal(size=len(y))))
    classes = np.unique(y)
    certain = np.eye(len(classes))[rng.integers(0, len(classes), len(y))]
    return np.where(rng.random((len(y), 1)) < 0.2, certain, rng.dirichlet(np.full(len(classes), 0.4), len(y)))
