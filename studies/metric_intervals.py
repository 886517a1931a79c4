"""How often the interval of each metric covers: the table in docs/method.md.

Samples of n rows are drawn from populations whose labels and answers are known, and every interval is made for each
metric: its own method, and percentiles of a bootstrap on the same rows. The truth is the metric of a million rows.
    python -m studies.metric_intervals            # minutes; prints the table
    python -m studies.metric_intervals --quick    # less than two minutes: few samples
"""

import argparse
import math
from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np
import pandas as pd

from heldout.metrics import METRICS, auc, jackknife
from heldout.metrics.metric import Answered, Metric

LEVEL = 0.95
SIZES = (60, 150, 500)
SAMPLES, QUICK_SAMPLES = 200, 100
BOOTSTRAPS = 200
OF_TRUTH = 1_000_000
Rng = np.random.Generator
Bounds = tuple[float, float]


def classes(rng: Rng, n: int, distance: float, share: float, sharpness: float = 1.0) -> Answered:
    """Two normal classes; the probabilities are right at sharpness 1, too near to 0 and 1 above it, 0 or 1 at inf."""
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(size=n) + distance * y
    logit = sharpness * (distance * x - distance**2 / 2 + math.log(share / (1 - share)))
    p = 1 / (1 + np.exp(-logit))
    return Answered(y, (p > 0.5).astype(int), np.ones(n), np.array([0, 1]), np.column_stack([1 - p, p]))


def numbers(rng: Rng, n: int, noise: Callable[[Rng, int], np.ndarray], spread: float) -> Answered:
    """A line with noise, and a hypothesis that has its slope a little wrong."""
    x = rng.normal(size=n)
    return Answered(x + spread * noise(rng, n), 0.9 * x, np.ones(n))


POPULATIONS: dict[str, Callable[[Rng, int], Answered]] = {
    "AUC .76, half": lambda rng, n: classes(rng, n, 1.0, 0.5),
    "AUC .76, half, too sure": lambda rng, n: classes(rng, n, 1.0, 0.5, 2.0),
    "AUC .76, a tenth": lambda rng, n: classes(rng, n, 1.0, 0.1),
    "AUC .92, half": lambda rng, n: classes(rng, n, 2.0, 0.5),
    "AUC .92, a tenth": lambda rng, n: classes(rng, n, 2.0, 0.1),
    "AUC .98, half": lambda rng, n: classes(rng, n, 3.0, 0.5),
    "AUC .98, a tenth": lambda rng, n: classes(rng, n, 3.0, 0.1),
    "AUC .98, half, sure": lambda rng, n: classes(rng, n, 3.0, 0.5, math.inf),
    "normal noise": lambda rng, n: numbers(rng, n, lambda r, k: r.normal(size=k), 0.7),
    "t3 noise": lambda rng, n: numbers(rng, n, lambda r, k: r.standard_t(3, size=k), 0.7),
    "exponential noise": lambda rng, n: numbers(rng, n, lambda r, k: r.exponential(size=k) - 1, 0.3),
}


def metrics_of(answered: Answered) -> list[Metric]:
    """The metrics of classes, or of numbers."""
    return [metric for metric in METRICS if (metric.needs == "number") == (answered.classes is None)]


def intervals(metric: Metric, answered: Answered, value: float, drawn: np.ndarray) -> Iterator[tuple[str, Bounds]]:
    """Each interval under its name."""
    yield metric.method, metric.interval(answered, value, LEVEL)
    resampled = metric.at(answered, drawn)
    with np.errstate(all="ignore"):
        low, high = np.nanquantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    yield "percentile bootstrap", (float(low), float(high))
    if metric is auc.METRIC:
        # DeLong's variance is the jackknife's up to terms of order 1/n
        spread = math.sqrt(jackknife.variance(answered, value, metric.at))
        z = NormalDist().inv_cdf((1 + LEVEL) / 2)
        yield "DeLong", (value - z * spread, value + z * spread)
        if 0 < value < 1:
            logit, reach = math.log(value / (1 - value)), z * spread / (value * (1 - value))
            yield "DeLong, logit", (1 / (1 + math.exp(reach - logit)), 1 / (1 + math.exp(-reach - logit)))
        else:
            yield "DeLong, logit", (value, value)


def run(samples: int, sizes: tuple[int, ...]) -> pd.DataFrame:
    """A line for each sample, metric and interval."""
    lines = []
    for place, (name, draw) in enumerate(POPULATIONS.items()):
        whole = draw(np.random.default_rng([place, 0]), OF_TRUTH)
        truth = {metric.name: metric.value(whole) for metric in metrics_of(whole)}
        for n in sizes:
            rng = np.random.default_rng([place, n])
            drawn = rng.multinomial(n, np.full(n, 1 / n), size=BOOTSTRAPS).astype(float)
            for _ in range(samples):
                answered = draw(rng, n)
                if answered.classes is not None and np.bincount(answered.y, minlength=2).min() < 2:
                    continue  # no interval is claimed
                for metric in metrics_of(answered):
                    value = metric.value(answered)
                    for method, (low, high) in intervals(metric, answered, value, drawn):
                        lines.append(
                            {
                                "metric": metric.name,
                                "interval": method,
                                "population": name,
                                "n": n,
                                "covered": low <= truth[metric.name] <= high,
                                "width": high - low,
                                "made": math.isfinite(low),
                            }
                        )
    return pd.DataFrame(lines)


def main() -> None:
    """Print the coverage and the mean width of each interval."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    table = run(QUICK_SAMPLES, (60, 150)) if quick else run(SAMPLES, SIZES)
    of_cells = table.groupby(["metric", "interval", "population", "n"])[["covered", "width", "made"]].mean().round(3)
    print(of_cells.unstack("n").to_string())
    overall = table.groupby(["metric", "interval"])["covered"].mean().round(3)
    least = of_cells["covered"].groupby(["metric", "interval"]).min()
    print(pd.DataFrame({"mean": overall, "least": least}).to_string())


if __name__ == "__main__":
    main()
