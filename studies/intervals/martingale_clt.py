"""The central limit theorem for martingales, with the variance from successive differences.

Target: the error of the progressive hypothesis, the mean of the errors mu_i along the m steps.
Kind: asymptotic, for any loss; narrower than Student's t where the error falls along the steps.
Source: P. Hall, C. C. Heyde, Martingale limit theory and its application (1980), Cor. 3.1; J. von Neumann et
al., The mean square successive difference, Ann. Math. Stat. 12 (1941).

X_i = mu_i + e_i, and E(e_i | past) = 0: the mean of X has variance (1/m^2) sum E e_i^2 about the mean of mu, while
the sample variance also counts the fall of mu. Half the mean squared difference of neighbours does not:
    E (X_{i+1} - X_i)^2 / 2 = (E e_i^2 + E e_{i+1}^2) / 2 + E (mu_{i+1} - mu_i)^2 / 2 - E e_i (mu_{i+1} - mu_i),
where mu_{i+1} - mu_i is the change by a step; it is small but for the first steps, hence so are the last two terms.
v = sum (X_{i+1} - X_i)^2 / (2 (m - 1)), and the bounds are mean +- z sqrt(v / m).

Not for steps that depend on one another: for losses of autocorrelation r the differences see s^2 / (1 + r) in place of
s^2, the variance of the innovations, which is too narrow where r > 0.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (m,), m >= 3, in the order of the steps."""
    variance = float(np.mean(np.diff(observed.losses) ** 2)) / 2
    reach = two_sided_normal(level) * math.sqrt(variance / observed.n)
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="martingale CLT",
    covers={"E_prog": "martingale of steps, each of which changes the error little, finite variance, large m"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=3,
    order_matters=True,
)
