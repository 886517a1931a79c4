"""E_f1: 1 - F1 by cross-validation, of the predicted classes."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import f1

_SECTION = """\
## `E_f1`: 1 - F1 by cross-validation

F1 is the harmonic mean of precision and recall of a class. In each fold it is that of the $t_i$ rows of the class
that are predicted to be of it, the $f_i$ others that are, and the $g_i$ rows of the class that are not; the mean over
the folds is what `cross_val_score(scoring="f1")` finds, by the numbers of rows:

```math
E_{\\mathrm{f1}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad M_i = \\frac{2 t_i}{2 t_i + f_i + g_i}
```

Of two classes it is about the second one; of more it is the mean over the classes that the fold tests. It needs no
further fit, but no shortcut either.

**Target.** 1 - F1 of the k-fold hypothesis on a part as large as a fold. In small parts F1 is a little lower than
that of all rows together: the fewer rows of the class a fold has, the more.

**Interval and assumption.** Classes: `corrected Wilson of F1`, under "independent examples; correlation of subsamples
taken to be their tested share, metric linear in the rows". As for `E_auc`, the terms of the rows take the place of
losses in the variance of `E_cv`; no more rows are counted than 2u / (2 - F1)² for u rows of the class, by which F1
varies where it is near 0 or 1. How often it covers is in [a study](studies/metric_estimates.md).

**Use it when** rows of the class have to be found, false alarms cost, and nobody knows the price of each: with known
prices the loss `cost` is better. Ask for it with `further_estimates: [E_f1]`, and choose by it with
`selection.criterion: E_f1` ([how to](how-to/choose-by-a-metric.md)).

**Do not read it as** a loss that adds up: F1 takes no notice of rows that are rightly not of the class, and the F1 of
two tables together is not the mean of both.

Source: C. J. van Rijsbergen, Information retrieval (1979), chapter 7. Code: `heldout/estimates/e_f1.py`,
`heldout/losses/set_metrics/f1.py`.
"""
ESTIMATE = definition("E_f1", f1.LOSS, column=16, section=_SECTION)
