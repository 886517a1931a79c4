"""E_auc: 1 - AUC by cross-validation, the chance that a row of the class is ranked below another row."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import auc

_SECTION = """\
## `E_auc`: 1 - AUC by cross-validation

The share of pairs, of a row of the class and another row, that are ranked in the wrong order, by the probabilities of
each fold's hypothesis or else its `decision_function`; half a tie counts. The mean over the folds, as in
`cross_val_score(scoring="roc_auc")`:

```math
E_{\\mathrm{auc}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad
M_i = \\frac{1}{m_i (n_i - m_i)} \\sum_{r \\in C} \\sum_{s \\notin C} [f(r) > f(s)]
```

for the $n_i$ rows of fold $i$, of which $m_i$ are of the class C, and the ranks $f$. Of two classes it is about the
second one; of more it is the mean over the classes that the fold tests, each against the rest.

**Target.** 1 - AUC of the k-fold hypothesis.

**Interval and assumption.** Classes: `corrected Wilson of AUC`, under "independent examples; correlation of
subsamples taken to be their tested share, metric linear in the rows". A row's term is 1 - M less its influence on M; to
first order M varies as the mean of these terms, which take the place of losses in the variance of `E_cv`, in paired
differences and in `E_bbc`. It covered in .98 of the tables of a study, and in .925 or more of each kind of table
([study](studies/metric_estimates.md)). With groups or rows in time the spread of the folds is used.

**Cost.** No further fit, but no shortcut: each fold's hypothesis has to answer.

**Use it when** ranks are what you use, or a class is so rare that no hypothesis predicts it. Ask for it with
`further_estimates: [E_auc]`, and choose by it with `selection.criterion: E_auc` ([how
to](how-to/choose-by-a-metric.md)); differences, baseline and `E_bbc` are then by it too.

**Do not read it as** an error of answers: a good ranking may have bad probabilities. Each fold must test rows of two
classes at least; fewer folds help.

Source: E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (Biometrics 44, 1988) for the influence; G. Forman, M.
Scholz (SIGKDD Explorations 12, 2010) for the mean over folds. Code: `heldout/losses/set_metrics/auc.py`.
"""
ESTIMATE = definition("E_auc", auc.LOSS, column=14, section=_SECTION)
