"""How much stratified parts lower E_cv: the threshold of the warning in `heldout.parts.class_shares`, and decision 5.

    python -m studies.stratified    # what docs/decisions/0005 sums up, in some minutes

C classes are equally frequent; a row is one of 100 values, whose frequencies f differ from class to class by a factor
exp(h Z), Z standard normal. The learner is Bayes' rule with the true f and the class shares of its training rows:
nothing but these shares changes between samples, so that no other noise hides their effect. The true error of each
hypothesis is a sum over the values. The bias is the mean of `E_cv` less the error of its hypotheses, in standard
deviations of that difference.
"""

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.parts.partition import draw_folds

VALUES, FOLDS, SAMPLES = 100, 10, 1000
AT = 0.15  # C / sqrt(N), the threshold of the warning
CLASSES, SPREADS = (2, 3, 5, 10, 26), (0.3, 1.0, 2.0)


def biases(classes: int, n: int, spread: float, samples: int) -> tuple[float, float, float]:
    """The bias of E_cv in standard errors, with stratified and with plain folds, and the mean true error."""
    logs = spread * np.random.default_rng(classes).normal(size=(classes, VALUES))
    frequencies = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    found = np.array([_differences(frequencies, n, number) for number in range(samples)])
    stratified, plain = (found[:, :2].mean(axis=0) / found[:, :2].std(axis=0)).tolist()
    return stratified, plain, float(found[:, 2].mean())


def _differences(frequencies: NDArray[np.float64], n: int, sample: int) -> list[float]:
    """E_cv less the error of its hypotheses, with stratified and with plain folds; and the latter's error."""
    rng = np.random.default_rng([len(frequencies), n, sample])
    y = rng.integers(len(frequencies), size=n)
    ends = frequencies.cumsum(axis=1)
    x = np.minimum((rng.random(n)[:, None] > ends[y]).sum(axis=1), VALUES - 1)
    differences = []
    for stratify in (True, False):
        fold = draw_folds(y, FOLDS, stratify, seeds.random_state(sample, "folds"))
        difference = 0.0
        for number in range(FOLDS):
            tested = fold == number
            shares = np.bincount(y[~tested], minlength=len(frequencies))
            answers = (shares[:, None] * frequencies).argmax(axis=0)
            error = 1 - frequencies[answers, np.arange(VALUES)].sum() / len(frequencies)
            difference += ((answers[x[tested]] != y[tested]) - error).sum() / n
        differences.append(float(difference))
    return [*differences, float(error)]


def main() -> None:
    """Print the table: for each number of classes as many rows as the threshold needs, and a quarter of them."""
    print("| classes | rows | C / sqrt(N) | true error | bias, stratified | bias, plain |\n|---|---|---|---|---|---|")
    for classes in CLASSES:
        for n in (round((classes / AT) ** 2), round((classes / AT) ** 2 / 4)):
            if n < 5 * FOLDS * classes:  # a class would have too few rows for each fold
                continue
            for spread in SPREADS:
                stratified, plain, error = biases(classes, n, spread, SAMPLES)
                ratio = classes / n**0.5
                print(f"| {classes} | {n} | {ratio:.2f} | {error:.2f} | {stratified:+.2f} | {plain:+.2f} |", flush=True)


if __name__ == "__main__":
    main()
