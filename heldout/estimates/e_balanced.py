"""E_balanced: the balanced error by cross-validation: the mean over the classes of the error of each."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import balanced_error

_SECTION = """\
## `E_balanced`: the balanced error by cross-validation

The mean over the classes of the share of wrong answers in each, 1 - balanced accuracy; the mean over the folds, as in
`cross_val_score(scoring="balanced_accuracy")`:

```math
E_{\\mathrm{balanced}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad
M_i = 1 - \\frac{1}{C} \\sum_{c=1}^{C} e_{ic}
```

where $e_{ic}$ is the share of wrong answers among the rows of class c in fold i, and C counts the classes that the
fold tests.

**Target.** The balanced error of the k-fold hypothesis.

**Interval and assumption.** Classes: `corrected Wilson of balanced accuracy`, under "independent examples;
correlation of subsamples taken to be their tested share, metric linear in the rows", as for `E_auc`
([study](studies/metric_estimates.md)); no more rows are counted than C² over the sum of one over the rows of each
class.

**Cost.** As for `E_auc`.

**Use it when** each class matters as much as the others, next to another loss. The loss `balanced` is nearly the same
number, and has all other estimates too. `further_estimates: [E_balanced]`, `selection.criterion: E_balanced`.

**Do not read it as** the error on rows as they come: there the frequent class counts for more.

Source: K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann (ICPR 2010). Code:
`heldout/losses/set_metrics/balanced_error.py`.
"""
ESTIMATE = definition("E_balanced", balanced_error.LOSS, column=17, section=_SECTION)
