"""E_f1: 1 - F1 by cross-validation, of the predicted classes."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import f1

_SECTION = """\
## `E_f1`: 1 - F1 by cross-validation

F1 is the harmonic mean of precision and recall of a class: in each fold that of the $t_i$ rows of the class that are
found, the $f_i$ false alarms and the $g_i$ misses; the mean over the folds, as in `cross_val_score(scoring="f1")`:

```math
E_{\\mathrm{f1}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad M_i = \\frac{2 t_i}{2 t_i + f_i + g_i}
```

**Target.** 1 - F1 of the k-fold hypothesis on a part as large as a fold; in small parts F1 is a little lower than that
of all rows together.

**Interval and assumption.** Classes: `corrected Wilson of F1`, under "independent examples; correlation of subsamples
taken to be their tested share, metric linear in the rows", as for `E_auc` ([study](studies/metric_estimates.md)); no
more rows are counted than 2u / (2 - F1)² for u rows of the class.

**Cost.** As for `E_auc`.

**Use it when** rows of the class have to be found, false alarms cost, and nobody knows the price of each: with known
prices the loss `cost` is better. `further_estimates: [E_f1]`, `selection.criterion: E_f1`.

**Do not read it as** a loss that adds up: F1 takes no notice of rows that are rightly not of the class, and the F1 of
two tables together is not the mean of both.

Source: C. J. van Rijsbergen, Information retrieval (1979), chapter 7. Code: `heldout/losses/set_metrics/f1.py`.
"""
ESTIMATE = definition("E_f1", f1.LOSS, column=16, section=_SECTION)
