"""What a disagreement implies about errors, whatever the labels of the unlabelled rows are.

METHOD, section 5; Madani, Pennock, Flake, Co-Validation (NIPS 2004).
"""

import math

from heldout.errors import BadArgument
from heldout.intervals import clopper_pearson
from heldout.intervals.method import two_sided_t
from heldout.losses import Loss
from heldout.losses.tested_losses import RepeatedByRow


def error_bound(disagreement: float, loss: Loss, classes: int) -> tuple[float, bool]:
    """E_dis, the lower bound on the expected error that a disagreement d implies.

    Expectations are over training sets: over hypotheses trained on independent draws of N/2 rows each. The half models
    of one run are trained on rows of one table, so E_dis is a point estimate of a bound that holds on average over
    tables: no interval makes it a lower limit of the error of this run's half models. `least_mean_error` is about them.

    Two classes (Madani et al., section 2.2): at one instance d_x = 2 e_x (1 - e_x), so that
    d/2 = e - E e_x^2 <= e - e^2 by Jensen, and e >= (1 - sqrt(1 - 2d)) / 2. In expectation d <= 1/2;
    an empirical d above it is clamped to 1/2, and the second value returned is then True.

    C classes: let p be the distribution of a trained hypothesis' answer at x. Two independent ones differ with
    chance d_x = 1 - sum p_c^2. Whatever the label, and however it is distributed, e_x >= 1 - max p_c =: a_x.
    Given a, the sum of squares is least where the other C - 1 classes share a evenly, so
    d_x <= 1 - (1 - a)^2 - a^2 / (C - 1) = 2a - a^2 / s with s = (C - 1) / C. That is increasing up to a = s, which
    a_x cannot pass, and concave, so by Jensen d <= 2a - a^2 / s for the mean a, hence
    e >= a >= s (1 - sqrt(1 - d / s)). In expectation d <= s; an empirical d above it is clamped there and
    flagged. For C = 2 it is the bound above, and for every C it lies above 1 - sqrt(1 - d).

    Costs: a cost matrix whose wrong answers cost at least c has e >= c times the bound for classes.

    Stratified halves are not quite independent, and with an odd number of rows one half has a row
    more; both effects vanish with N and are not corrected for.

    Numbers: E (f1(x) - f2(x))^2 / 2 is the variance of the prediction at x, and the expected
    squared error is noise + bias^2 + variance; hence e >= d/2. For the absolute loss the triangle
    inequality |f1 - f2| <= |f1 - y| + |f2 - y| gives the same e >= d/2. The Brier loss is a squared
    distance, and has d/2 as well; for the pinball and the log loss see `heldout.losses.pinball` and `log`.

    Raises BadArgument for a loss that admits no bound.
    """
    if loss.disagreement_loss is None or loss.bound_factor is None:
        raise BadArgument("loss", f"the {loss.name} loss admits no E_dis: {loss.no_bound}")
    if loss.disagreement_loss.needs != "class":
        return loss.bound_factor * disagreement, False
    share = _most(classes)
    return loss.bound_factor * (share * (1 - math.sqrt(1 - min(disagreement, share) / share))), disagreement > share


def _most(classes: int) -> float:
    """The largest expected disagreement, (C - 1) / C."""
    classes = max(classes, 2)
    return (classes - 1) / classes


def least_mean_error(disagreement: float, loss: Loss) -> float:
    """What two hypotheses err on average at least, where their disagreement is d: algebra, whatever the labels are.

    Let l1 and l2 be the losses of two answers at a row. For any label of the row (l1 + l2) / 2 is at least a factor
    times the distance of the answers by which `loss` compares them. So the mean error over any rows is at least the
    factor times d on these rows, and the same for means over pairs: nothing is assumed of labels, noise, learners, or
    how the training rows were drawn. It is about the very hypotheses that were compared; `error_bound` is about the
    expectation over training sets, and is larger for classes and for the squared loss.

    0/1 loss, 1/2: two answers that differ are not both right, so that l1 + l2 >= [f1 != f2].
    Costs, c/2: likewise, where a wrong answer costs at least c and a right one at least 0.
    Squared loss, 1/4: (f1 - f2)^2 = ((f1 - y) - (f2 - y))^2 <= 2 (f1 - y)^2 + 2 (f2 - y)^2; equal for y in the middle.
    Absolute loss, 1/2: |f1 - f2| <= |f1 - y| + |f2 - y|.
    Pinball, Brier and log loss: min(q, 1 - q) / 2, 1/2 and 1, by `heldout.losses.pinball`, `brier` and `log`.

    Raises BadArgument for a loss that admits no bound.
    """
    if loss.pair_factor is None:
        raise BadArgument("loss", f"the {loss.name} loss admits no bound by the disagreement: {loss.no_bound}")
    return loss.pair_factor * disagreement


def least_half_error(disagreement: RepeatedByRow, loss: Loss, level: float) -> float:
    """The half models err at least so much on average, with confidence `level`, over the unlabelled rows' population.

    It is `least_mean_error` of a lower limit of their disagreement in that population. The half models are given: the
    partitions are no noise, and the rows' means over the R pairs are independent draws, with the sample variance s^2.
    For a disagreement of 0 and 1 the limit is Clopper and Pearson's, with q (1 - q) n / s^2 as the effective number of
    rows, at most n R, and n where s = 0; for others it is Student's q - t s / sqrt(n), and 0 for a single row. Both are
    asymptotic; the first is nearly exact for one pair.
    """
    q, n, variance = disagreement.error, disagreement.n, disagreement.row_variance
    if loss.disagreement_loss is not None and loss.disagreement_loss.binary:
        rows = q * (1 - q) * n / variance if variance > 0 else n
        # it is n - 1 or more, but for rounding where q is near 1
        rows = min(max(rows, n - 1, 1), n * len(disagreement.by_repeat))
        low = clopper_pearson.lower_limit(q * rows, rows, 1 - level)
    else:
        low = max(q - two_sided_t(2 * level - 1, n - 1) * math.sqrt(variance / n), 0.0) if n > 1 else 0.0
    return least_mean_error(min(low, q), loss)
