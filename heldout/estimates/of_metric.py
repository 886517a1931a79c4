"""What the estimates of 1 - a metric by cross-validation have in common: their value, interval and place in a choice.

Target: 1 - the metric of the k-fold hypothesis on a part as large as a fold, in expectation. It is the mean over the
folds of what scikit-learn computes in each, `cross_val_score`, by the number of rows of each fold; pooled answers of
several hypotheses would compare ranks that have no common scale (G. Forman, M. Scholz, Apples-to-apples in
cross-validation studies, SIGKDD Explorations 12, 2010).
Kind: asymptotic, a heuristic correction for shared training rows, to first order in the influence of the rows
(`heldout.losses.set_metrics.set_metric`); docs/studies/metric_estimates.md has its measured coverage.
Source: Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6), for the variance; Wilson (1927) for the roots.

V is S^2 (1/J + n2/n1) of J random subsamples, with J - 1 degrees of freedom, or that of the folds where no subsamples
were fitted or rows depend on one another (`corrected_t`, `corrected_fold_t`), with k - 1; and never less than
(1 + k / (k - 1)) s^2 / N of the N terms: their hypotheses share training rows (`variance_factor`). Without that limit
labels that depend on nothing had .5 outside of the interval of E_auc in one table of eight. The rows weigh as much as
n_eff = q (1 - q) / V independent rows in Wilson's roots, but not more than the metric weighs for answers of no
particular kind (`SetMetric.size`), times the share that independent subsamples would leave of it.

Of a single part that one hypothesis was tested on, V is s^2 / N, or that of clusters, with one degree less than there
are rows or clusters.

A metric that is a function of the user's (`heldout.losses.set_metrics.own`) has the best value 1 and another range,
most of them [-1, 1], as Cohen's kappa. So q / 2 takes the place of q in the roots, with n_eff = q (2 - q) / V rows, and
no V below q (1 - q) / size: near q = 0 these are the roots of a share of wrong rows, whatever the range. From q = 1 on,
that of answers that are no better than chance, the interval is q +- t sqrt(V). So is that of a metric without a best
value, as a profit, whose error is - it.

Where labels and answers of such a function differ from row to row, it is asked about at most 200 random parts of the
rows, which V counts as it counts clusters (of groups left out: J. Shao, C. F. J. Wu, A general theory for jackknife
variance estimation, Annals of Statistics 17, 1989). V has the relative error sqrt(2 / 199) = .1 of a chi-square then,
and the width half of it. In 2,400 tables of 400 and 1,200 of 2,000 rows, of AUC, of 1 - R^2, and of 1 - R^2 with skewed
noise, with and without folds, the intervals cover as often as those of single rows, to .005, and are as wide on
average, to .005.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from heldout.estimates.definition import Definition
from heldout.intervals import clustered_t, corrected_fold_t, corrected_t, log_t
from heldout.intervals.method import Default, IntervalMethod, estimate_with, restated, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses.set_metrics import OwnMetric, SetMetric
from heldout.losses.tested_losses import CrossValidated
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, mean_fold_training_size
from heldout.schemes.set_metrics import CrossValidatedSets, TestedSet, cross_validated_by
from heldout.selection.comparison import in_same_clusters
from heldout.selection.paired_differences import variance_factor
from heldout.selection.paired_losses import Paired
from heldout.splits.dependence import DependenceKind


def bounds(seen: CrossValidatedSets, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff."""
    q, k = min(max(seen.error, 0.0), 1.0), seen.folds  # some metrics are negative below chance
    least = variance_factor(k) * float(np.var(seen.losses, ddof=1)) / seen.n
    if seen.subsample_errors is not None and seen.cluster is None:
        spread, share = corrected_t.variance(seen), corrected_t.share_of_independent(seen)
        degrees = corrected_t.degrees(seen)
    else:
        spread, share, degrees = corrected_fold_t.variance(seen), 1 / variance_factor(k), k - 1
    spread = max(spread, least)
    most = seen.size * share
    size = min(q * (1 - q) / spread, most) if spread > 0 and 0 < q < 1 else most * seen.units / seen.n
    return roots_at(q, max(size, 1.0), two_sided_t(level, degrees))


def bounds_of_set(seen: TestedSet, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff, of a single part."""
    q, spread = min(max(seen.error, 0.0), 1.0), clustered_t.variance(seen.losses, seen.cluster)
    most = seen.size * seen.units / seen.n
    size = min(q * (1 - q) / spread, most) if spread > 0 and 0 < q < 1 else most
    return roots_at(q, max(size, 1.0), two_sided_t(level, seen.units - 1))


def bounds_of_own(seen: TestedSet | CrossValidatedSets, level: float) -> tuple[float, float]:
    """Twice Wilson's roots for q / 2 at n_eff; q +- t sqrt(V) from q = 1 on, or where nothing shows an n_eff."""
    q, (spread, size, degrees) = seen.error, _of_terms(seen)
    quantile = two_sided_t(level, degrees)
    if q < 1 and size:
        spread = max(spread, q * (1 - q) / size)
    if q >= 1 or not (spread or size):
        return q - quantile * math.sqrt(spread), q + quantile * math.sqrt(spread)
    n = q * (2 - q) / spread if spread > 0 else 2 * size
    low, high = roots_at(max(q, 0.0) / 2, max(n, 1.0), quantile)
    return 2 * low, 2 * high


def bounds_of_own_loss(seen: TestedSet | CrossValidatedSets, level: float) -> tuple[float, float]:
    """The same for an error in [0, 1], of which it is known what a row changes; of others q exp(+- t sqrt(V) / q)."""
    if seen.size:
        return bounds_of_own(seen, level)
    spread, _, degrees = _of_terms(seen)
    return log_t.about(seen.error, two_sided_t(level, degrees) * math.sqrt(spread))


def bounds_of_gain(seen: TestedSet | CrossValidatedSets, level: float) -> tuple[float, float]:
    """q +- t sqrt(V), of an error without a least value, as - a profit."""
    spread, _, degrees = _of_terms(seen)
    reach = two_sided_t(level, degrees) * math.sqrt(spread)
    return seen.error - reach, seen.error + reach


def _of_terms(seen: TestedSet | CrossValidatedSets) -> tuple[float, float, float]:
    """V, the number of rows that the metric weighs as, and the degrees of freedom."""
    spread, degrees = clustered_t.variance(seen.losses, seen.cluster), seen.units - 1
    size = seen.size * seen.units / seen.n
    if not isinstance(seen, CrossValidated):
        return spread, size, degrees
    k, repeated = seen.folds, seen.subsample_errors is not None
    of_folds = corrected_t.variance(seen) if repeated else corrected_fold_t.variance(seen)
    degrees = float(corrected_t.degrees(seen) if repeated else k - 1)
    return max(of_folds, variance_factor(k) * spread), size / variance_factor(k), degrees


def method_alone(
    estimate: str, metric: SetMetric | OwnMetric, kind: DependenceKind | None, *, in_folds: bool
) -> IntervalMethod:
    """The interval of answers alone, of folds or of a single part, without a further fit; `kind` is how rows depend."""
    if isinstance(metric, OwnMetric):
        called, of = f"Wilson of {metric.name}", bounds_of_own_loss if metric.less_is_better else bounds_of_own
        if metric.negated:
            called, of = f"t of {metric.name}", bounds_of_gain
    else:
        called, of = f"Wilson of {metric.metric}", bounds if in_folds else bounds_of_set  # type: ignore[assignment]
    shared = "; correlation of the folds taken to be 1/k" if in_folds else ""
    method = IntervalMethod(
        name=f"corrected {called}" if in_folds else called,
        covers={estimate: f"independent examples{shared}; metric linear in the rows"},
        losses="any",
        validity="asymptotic",
        bounds=of,
        least=4,
        least_folds=2 if in_folds else 1,
        units_above=0 if kind is None else 2,
        signed=isinstance(metric, OwnMetric) and metric.negated,
    )
    return method if kind is None else restated(method, kind)


def definition(name: str, loss: SetMetric, *, column: int, section: str = "") -> Definition:
    """The estimate `name` of a metric of a set, at a place among the columns of reports.

    A package gives a metric of its own in this way (docs/extending.md); `section` is its section of docs/losses.md.
    """
    method = IntervalMethod(
        name=f"corrected Wilson of {loss.metric}",
        covers={name: _ASSUMPTION},
        losses="any",
        validity="asymptotic",
        bounds=bounds,
        with_weights=True,
        least=4,
        least_folds=2,
    )

    def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
        seen, size = cross_validated_by(design, evidence, name), mean_fold_training_size(design)
        target = _TARGET.format(loss.name)
        record = estimate_with(candidate, name, seen, target, size, design.methods.get(name), design.level)
        return replace(record, not_credible=None)  # that is of losses; few rows of a class are in `size`

    def losses_behind(design: Design, evidence: Mapping[str, Evidence]) -> Paired:
        found = {candidate: cross_validated_by(design, of, name) for candidate, of in evidence.items()}
        seen = in_same_clusters(found)
        terms = {candidate: of.fold_errors for candidate, of in seen.items()}
        return Paired(seen, terms, int(design.partition.fold.max()) + 1)

    about = "each class against the others" if not loss.every_class else "every class alike"
    return Definition(
        name=name,
        meaning=f"{loss.name[:1].upper()}{loss.name[1:]} by cross-validation: the mean over the folds, {about}.",
        about="the k-fold hypothesis: one of the k fold hypotheses, drawn at random",
        trained_on="N - N/k",
        kind="error",
        column=column,
        scheme="cross_validation",
        of_candidate=of_candidate,
        default=Default(method, method, _WHY, _WHY),
        methods=(method,),
        valid=dict.fromkeys(("groups", "time", "groups and time"), (method,)),
        on_request=True,
        is_criterion=True,
        losses_behind=losses_behind,
        set_metric=loss,
        section=section,
    )


_TARGET = "the k-fold hypothesis: {} on a part as large as a fold"
_WHY = (
    "the corrected variance of E_cv, of the terms of the metric; "
    "its coverage is that of docs/studies/metric_estimates.md"
)
_ASSUMPTION = (
    "independent examples; correlation of subsamples taken to be their tested share, metric linear in the rows"
)
