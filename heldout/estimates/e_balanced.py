"""E_balanced: the balanced error by cross-validation: the mean over the classes of the error of each."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import balanced_error

_SECTION = """\
## `E_balanced`: the balanced error by cross-validation

The share of wrong answers among the rows of a class, in the mean over the classes, so that a rare class counts as
much as a frequent class: 1 - balanced accuracy. The mean over the folds is what
`cross_val_score(scoring="balanced_accuracy")` finds, by the numbers of rows:

```math
E_{\\mathrm{balanced}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad
M_i = 1 - \\frac{1}{C} \\sum_{c=1}^{C} e_{ic}
```

where $e_{ic}$ is the share of wrong answers among the rows of class c in fold i, and C counts the classes that the
fold tests. It needs no further fit, but no shortcut either.

**Target.** The balanced error of the k-fold hypothesis.

**Interval and assumption.** Classes: `corrected Wilson of balanced accuracy`, under "independent examples;
correlation of subsamples taken to be their tested share, metric linear in the rows". As for `E_auc`, the terms of the
rows take the place of losses in the variance of `E_cv`; no more rows are counted than C² over the sum of one over the
rows of each class. How often it covers is in [a study](studies/metric_estimates.md).

**Use it when** each class matters as much as the others, next to another loss. The loss `balanced` is nearly the same
number, has its weights from all labelled rows and not from each fold, and has all other estimates too. Ask for it
with `further_estimates: [E_balanced]`, and choose by it with `selection.criterion: E_balanced` ([how
to](how-to/choose-by-a-metric.md)).

**Do not read it as** the error on rows as they come: there the frequent class counts for more.

Source: K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann, The balanced accuracy and its posterior distribution
(ICPR 2010). Code: `heldout/estimates/e_balanced.py`, `heldout/losses/set_metrics/balanced_error.py`.
"""
ESTIMATE = definition("E_balanced", balanced_error.LOSS, column=17, section=_SECTION)
