"""Candidates compared by a metric that is no mean of losses: one that is known here, or a function of the user's.

The answers are there already, those of `heldout.validate` or of a table, and no fit is made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES, criteria
from heldout.estimates.of_metric import method_alone
from heldout.fits.metric_terms import ranks
from heldout.intervals.method import estimate_with
from heldout.learners.fitting import predict
from heldout.losses import Loss, Losses
from heldout.losses.choice import natural_loss, ordered_as
from heldout.losses.loss import places
from heldout.losses.set_metrics import OwnMetric, SetMetric, alike
from heldout.losses.set_metrics.named import NAMED, named
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.metrics.jackknife import MOST_PARTS
from heldout.notebook import by_loss
from heldout.notebook.candidate_models import CandidateModels
from heldout.notebook.compared_models import Compared
from heldout.records import Estimate
from heldout.rows.frames import take
from heldout.schemes.design import Design, Evidence, cross_validated, mean_fold_training_size
from heldout.schemes.set_metrics import CrossValidatedSets, TestedSet
from heldout.several_labels import as_given
from heldout.splits.dependence import DependenceKind

Metric = str | Callable[..., Any]
Needs = Literal["answer", "ranks"]
_NEARER = 0.5  # the error by a metric of the user's, of which it is known what a row changes
_ROUNDING = 1e-9  # terms and bounds that are closer, as a share of the largest term, are equal
_NEEDS: tuple[Needs, ...] = get_args(Needs)
NAMES = tuple(name for name, one in ESTIMATES.items() if one.set_metric is not None)
KNOWN = (*NAMES, *NAMED)  # what a metric may be called in a message


@dataclass(frozen=True, eq=False)
class ByMetric:
    """An error by a `metric` as the estimate `name`, of rows with labels `y` and `weights`, both of shape (N,).

    It is 1 - the metric, or the metric itself where less of it is better. `needs` says whether answers rank the rows by
    a class. With the `part` of each row, shape (N,), a function is asked about parts in place of rows (`in_parts`).
    """

    metric: SetMetric | OwnMetric
    name: str
    needs: Needs
    y: NDArray[Any]
    weights: NDArray[np.float64]
    part: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        metric: Metric,
        y: NDArray[Any],
        weights: NDArray[np.float64] | None,
        needs: Needs = "answer",
        greater_is_better: bool | None = None,
    ) -> Self:
        """Raises BadArgument for a name that is not known, and a function that is no metric."""
        every = np.ones(len(y)) if weights is None else weights
        if callable(metric):
            own = OwnMetric.of(metric, greater_is_better)
            return cls(own, f"E_{own.name}", own.needs or needs, y, every)
        if (known := named(metric)) is not None:
            return cls(NAMED[known], f"E_{known}", "answer", y, every).checked()
        name = metric if metric in NAMES else criteria.of_metric(metric)
        set_metric = None if name is None else ESTIMATES[name].set_metric
        if name is None or set_metric is None:
            loss = ordered_as(metric)
            raise BadArgument(
                "metric",
                f"metric is {metric!r}; it must be one of {', '.join(KNOWN)}, or a function as those of "
                "sklearn.metrics" + (f"; {loss} is the loss whose mean puts candidates in its order" if loss else ""),
            )
        return cls(set_metric, name, "ranks" if set_metric.needs == "ranks" else "answer", y, every)

    def checked(self) -> Self:
        """The same. Raises BadArgument where a metric of classes is asked of numbers, or one of numbers of classes."""
        numbers = not natural_loss(self.y).of_classes
        if isinstance(self.metric, OwnMetric) and self.metric.slopes is not None:
            if self.y.dtype.kind not in "biuf":
                raise BadArgument("metric", f"metric is {self.name[2:]}, which is of numbers, and the labels are none")
        elif numbers:
            raise BadArgument("metric", f"metric is {self.name[2:]}, which is of classes, and the labels are numbers")
        elif len(np.unique(self.y)) < 2:
            raise BadArgument("label", f"metric is {self.name[2:]}, which needs at least two classes; there is one")
        return self

    @property
    def of_classes(self) -> bool:
        """Whether answers must be classes: of a metric that is known here, but for one of ranks or numbers."""
        if isinstance(self.metric, OwnMetric):
            return self.metric.of_counts is not None
        return self.needs == "answer"

    @property
    def loss(self) -> Loss:
        """The loss whose values are the terms."""
        return replace(self.metric.loss, mean_called=self.metric.loss.name)

    def terms(self, answers: NDArray[Any], rows: NDArray[np.intp]) -> Losses:
        """The term of each of the `rows` of one tested part, shape (n,), for the answers to them.

        Answers are labels; or, if they rank the rows, of a metric that is known here of shape (n, C) with a column for
        each class. Raises BadArgument for a part of a single class.
        """
        y, weights = self.y[rows], self.weights[rows]
        if isinstance(self.metric, OwnMetric):
            part = None if self.part is None else self.part[rows] - self.part[rows].min()
            return self.metric.terms(y, answers, weights, part)
        classes = np.unique(self.y)
        said = answers if self.needs == "ranks" else places(answers, classes)
        terms = self.metric.terms(places(y, classes), said, weights, len(classes))
        if not np.isfinite(terms).all():
            if self.metric.by_said and len(np.unique(y)) > 1:
                raise BadArgument(
                    "metric",
                    f"metric is {self.metric.metric}, which has no value where no row is answered with a class, as in "
                    f"a part of {len(y)} rows; take fewer folds, or recall",
                )
            raise BadArgument(
                "fold",
                f"metric is {self.metric.metric}, which needs rows of two classes in each tested part, and one "
                f"part has those of {y[0]} alone; take fewer folds",
            )
        return terms

    def in_parts(self, tested: Sequence[NDArray[np.intp]], answers: Sequence[NDArray[Any]]) -> Self:
        """The same that asks a function about random parts of the rows, at most `MOST_PARTS` where folds are not many.

        `tested` are the rows of each fold, all N of them once and independent, and `answers`, shape (N,) or (N, C),
        those of a candidate. The terms of the rows of a part are equal, and parts are what varies then: the jackknife
        of groups, of which `heldout.metrics.jackknife` takes as many. Rows whose labels and answers repeat need none.
        """
        n, order = len(self.y), np.concatenate(tested)
        if not isinstance(self.metric, OwnMetric) or self.metric.is_known or n <= MOST_PARTS or len(order) != n:
            return self
        if all(int(alike(as_given(self.y[order]), as_given(given)).max()) < MOST_PARTS for given in answers):
            return self
        part, count = np.zeros(n, dtype=np.intp), 0
        rng = np.random.default_rng(seeds.named(0, "parts of a metric"))
        for rows in tested:
            of_fold = min(len(rows), max(2, round(MOST_PARTS * len(rows) / n)))
            part[rows] = count + rng.permutation(len(rows)) % of_fold
            count += of_fold
        return replace(self, part=part)

    def check_direction(self, needs: Sequence[Needs]) -> None:
        """Raise BadArgument for a function of which it is not known whether more is better.

        `needs` are the forms that answers may have: labels, or what ranks the rows.
        """
        if isinstance(self.metric, OwnMetric):
            self.metric.check_best(self.y, [_truth(self.y, one) for one in needs], self.weights)

    @cached_property
    def rows(self) -> float:
        """The R of which one more wrong answer changes the metric by 1 / R at most; 0 where nobody knows."""
        if isinstance(self.metric, SetMetric):
            return self.metric.rows(np.unique(self.y, return_counts=True)[1].astype(np.float64))
        step = self.metric.step(self.y, of_ranks=self.needs == "ranks")
        return 1 / step if step else 0.0

    def observed(self, seen: Tested, said: NDArray[Any]) -> Tested:
        """The same with the number of independent rows that the terms weigh as at most.

        `said`, shape (N,), are the answers behind the terms. Of a function these are the `rows`, and twice as many
        where answers are numbers, which are seldom all wrong.
        """
        known = {name: getattr(seen, name) for name in seen.__dataclass_fields__}
        of = CrossValidatedSets if isinstance(seen, CrossValidated) else TestedSet
        if isinstance(self.metric, OwnMetric):
            parts = 1.0  # the rows for each unit: what makes fewer units of them here is no dependence
            if self.part is not None:
                known["cluster"] = self.part
                parts = seen.units / replace(seen, cluster=self.part).units
            size = parts * self.rows * (2 if self.needs == "ranks" else 1)
            return of(**known, size=size, of_answers=parts * self.rows)
        classes, counts = np.unique(self.y, return_counts=True)
        sizes, rows = counts.astype(np.float64), self.rows
        if self.metric.by_said:
            sizes = np.array([np.sum(said == one) for one in classes], dtype=np.float64)
            rows = self.metric.rows(np.maximum(sizes, 1.0))
        return of(**known, size=self.metric.size(sizes, 1 - seen.error), of_answers=rows)

    def estimates(
        self,
        observed: Mapping[str, Tested],
        level: float,
        whose: str,
        n_train: int | None,
        kind: DependenceKind | None,
    ) -> tuple[Estimate, ...]:
        """1 - the metric of each candidate, `whose` it is in words, with its interval; `kind` is how rows depend."""
        in_folds = isinstance(next(iter(observed.values())), CrossValidated)
        target = f"{whose}: {self.metric.loss.name}{' on a part as large as a fold' if in_folds else ''}"
        method = method_alone(self.name, self.metric, kind, in_folds=in_folds)
        return tuple(
            self._stated(estimate_with(name, self.name, seen, target, n_train, method, level), seen)
            for name, seen in observed.items()
        )

    def _stated(self, record: Estimate, seen: Tested) -> Estimate:
        """The record of an estimate with what its interval rests on.

        Metrics that are known here count few rows as few by themselves, and so do functions nearer to 1 than to 0 where
        it is known what a row changes. Of others the interval is marked where few rows carry the terms, and where no
        row changes the metric there is none.
        """
        if isinstance(self.metric, SetMetric) or (self.rows and seen.error < _NEARER):
            return replace(record, not_credible=None)
        width = 0.0 if record.low is None or record.high is None else record.high - record.low
        if max(float(np.ptp(seen.losses)), width) <= _ROUNDING * float(np.abs(seen.losses).max()):
            record = replace(record, low=None, high=None, level=None, interval=None, assumption=None)
            return replace(
                record, not_credible=f"no row changes {self.metric.name}, so that nothing shows how it varies"
            )
        return record


def _truth(y: NDArray[Any], needs: Needs) -> NDArray[Any]:
    """The answers that are the labels: these themselves, or what ranks the rows, of two classes by the second one."""
    if needs == "answer":
        return y
    classes = np.unique(y)
    ranked: NDArray[np.float64] = (y[:, None] == classes).astype(np.float64)
    return ranked[:, 1] if len(classes) == 2 else ranked


def of_fits(
    fits: Mapping[str, CandidateModels],
    design: Design,
    models: int,
    metric: Metric,
    needs: Needs,
    greater_is_better: bool | None = None,
) -> Compared:
    """The candidates of a call by their fold hypotheses, which are fitted now where a shortcut spared them.

    `models` candidates were compared. Raises BadArgument, and FitFailure for a hypothesis that does not answer.
    """
    if "E_cv" not in design.estimates:
        raise BadArgument("estimates", "metric: E_cv was not computed; estimates must contain it")
    if needs not in _NEEDS:
        raise BadArgument("needs", f"needs is {needs!r}; it must be one of {', '.join(_NEEDS)}")
    if greater_is_better is not None and not (callable(metric) and isinstance(greater_is_better, bool)):
        raise BadArgument(
            "greater_is_better", f"greater_is_better is {greater_is_better!r}; it is True or False, of a function alone"
        )
    by_name = isinstance(metric, str) and criteria.of_metric(metric) is None and named(metric) is None
    if by_name and (loss := ordered_as(metric)) is not None:
        return by_loss.of_fits(fits, design, models, loss)
    by = ByMetric.of(
        metric, design.y, None if design.weights is None else design.weights.relative, needs, greater_is_better
    )
    if not design.loss.of_classes and (by.needs == "ranks" or isinstance(by.metric, SetMetric)):
        raise BadArgument("metric", f"metric is {by.name[2:]}, and y has no classes; give a function of numbers")
    observed: dict[str, Tested] = {}
    tested = [split.validation for split in design.splits("cross_validation")]
    answers = {
        name: [
            _answers(by, hypothesis, take(of.X, rows), design)
            for hypothesis, rows in zip(of.hypotheses("cross_validation"), tested, strict=True)
        ]
        for name, of in fits.items()
    }
    if design.dependence.kind is None:
        by = by.in_parts(tested, [np.concatenate(given) for given in answers.values()])
    for name, given in answers.items():
        terms = [by.terms(said, rows) for said, rows in zip(given, tested, strict=True)]
        seen = cross_validated(replace(design, loss=by.loss), Evidence({"cross_validation": terms}), of_sets=True)
        observed[name] = by.observed(seen, np.concatenate(given))
    by.check_direction((by.needs,))
    size, kind = mean_fold_training_size(design), design.dependence.kind
    return Compared(
        estimates=by.estimates(observed, design.level, "the k-fold hypothesis", size, kind),
        candidates=tuple(fits),
        rows=np.flatnonzero(design.partition.fold >= 0),  # in time not every row is tested
        loss=by.loss,
        level=design.level,
        models=models,
        observed=observed,
        weighted=design.weights is not None,
        is_mean=False,
    )


def _answers(by: ByMetric, hypothesis: Any, X: Any, design: Design) -> NDArray[Any]:
    """What a fold hypothesis answers on the rows of X: labels, or what ranks the rows."""
    if by.needs == "answer":
        return predict(hypothesis, X, design.loss.labels)
    ranked = ranks(hypothesis, X, np.unique(design.y))
    return ranked[:, 1] if isinstance(by.metric, OwnMetric) and ranked.shape[1] == 2 else ranked
