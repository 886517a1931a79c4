"""E_ap: 1 - average precision by cross-validation: the share of others among the rows that are ranked as high."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import average_precision

_SECTION = """\
## `E_ap`: 1 - average precision by cross-validation

For each row of the class: of the rows that are ranked at least as high, the share that is of the class, its precision
$p$. Their mean in each fold is the average precision, as scikit-learn has it:

```math
E_{\\mathrm{ap}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad M_i = \\frac{1}{m_i} \\sum_{r \\in C} p(r)
```

for the $n_i$ rows of fold $i$, of which $m_i$ are of the class C; classes as for `E_auc`.

**Target.** 1 - average precision of the k-fold hypothesis on a part as large as a fold; in small parts the average
precision is a little higher than in large ones.

**Interval and assumption.** Classes: `corrected Wilson of average precision`, under "independent examples;
correlation of subsamples taken to be their tested share, metric linear in the rows", as for `E_auc`
([study](studies/metric_estimates.md)); no more rows are counted than the class has.

**Cost.** As for `E_auc`.

**Use it when** the class is rare and only the top of the ranking is looked at: AUC is high there by the many rows that
nobody would look at. `further_estimates: [E_ap]`, `selection.criterion: E_ap`.

**Do not read it as** comparable between tables: a ranking by chance has the share of the class. The baseline has that
of a random order in each fold.

Source: K. Boyd, K. H. Eng, C. D. Page (ECML 2013). Code: `heldout/losses/set_metrics/average_precision.py`.
"""
ESTIMATE = definition("E_ap", average_precision.LOSS, column=15, section=_SECTION)
