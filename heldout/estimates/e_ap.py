"""E_ap: 1 - average precision by cross-validation: the share of others among the rows that are ranked as high."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import average_precision

_SECTION = """\
## `E_ap`: 1 - average precision by cross-validation

Who looks at the rows at the top of a ranking alone wants few others among them. In each fold, for each row of the
class: of the rows that are ranked at least as high, the share that is of the class, its precision $p$. Their mean is
the average precision, as scikit-learn has it:

```math
E_{\\mathrm{ap}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad M_i = \\frac{1}{m_i} \\sum_{r \\in C} p(r)
```

for the $n_i$ rows of fold $i$, of which $m_i$ are of the class C. Of two classes it is about the second one; of more
it is the mean over the classes that the fold tests. It needs no further fit, but no shortcut either.

**Target.** 1 - average precision of the k-fold hypothesis on a part as large as a fold. In small parts the average
precision is a little higher than in large ones.

**Interval and assumption.** Classes: `corrected Wilson of average precision`, under "independent examples;
correlation of subsamples taken to be their tested share, metric linear in the rows". As for `E_auc`, the terms of the
rows take the place of losses in the variance of `E_cv`; no more rows are counted than the class has. How often it
covers is in [a study](studies/metric_estimates.md).

**Use it when** the class is rare and only the rows at the top are looked at: AUC is high there by the many rows that
nobody would look at. Ask for it with `further_estimates: [E_ap]`, and choose by it with `selection.criterion: E_ap`
([how to](how-to/choose-by-a-metric.md)).

**Do not read it as** comparable between tables: a ranking by chance has the share of the class, and a little more in
small parts. The baseline has that of a random order in each fold.

Source: K. Boyd, K. H. Eng, C. D. Page, Area under the precision-recall curve: point estimates and confidence
intervals (ECML 2013). Code: `heldout/estimates/e_ap.py`, `heldout/losses/set_metrics/average_precision.py`.
"""
ESTIMATE = definition("E_ap", average_precision.LOSS, column=15, section=_SECTION)
