"""E_auc: 1 - AUC by cross-validation, the chance that a row of the class is ranked below another row."""

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import auc

_SECTION = """\
## `E_auc`: 1 - AUC by cross-validation

Who sorts rows (whom to call first, what to look at first) needs ranks, and no loss of single rows judges them. In
each fold, 1 - AUC is the share of pairs, of a row of the class and another row, that are ranked in the wrong order:
by the probabilities of the fold's hypothesis, or else by its `decision_function`. Half a tie counts. The mean over
the folds is what `cross_val_score(scoring="roc_auc")` finds, by the numbers of rows:

```math
E_{\\mathrm{auc}} = \\frac{1}{N} \\sum_{i=1}^{k} n_i (1 - M_i), \\qquad
M_i = \\frac{1}{m_i (n_i - m_i)} \\sum_{r \\in C} \\sum_{s \\notin C} [f(r) > f(s)]
```

for the $n_i$ rows of fold $i$, of which $m_i$ are of the class C, and the ranks $f$ of its hypothesis. Of two classes
it is about the second one; of more it is the mean over the classes that the fold tests, each against the rest.
Answers of different folds are not pooled, since the ranks of two hypotheses have no common scale. It needs no further
fit, but no shortcut either: each fold's hypothesis has to answer.

**Target.** 1 - AUC of the k-fold hypothesis.

**Interval and assumption.** Classes: `corrected Wilson of AUC`, under "independent examples; correlation of
subsamples taken to be their tested share, metric linear in the rows". A metric M is a function of the weights of the
rows of a part. The term of a row is 1 - M less its influence, n w dM/dw for its weight w: the mean of the terms is 1
- M exactly, and varies as the mean of independent terms, to first order. So they take the place of losses in the
variance of `E_cv`, in paired differences and in `E_bbc`. No more rows are counted than the metric weighs where few
rows of the class decide it. It covered in .98 of the tables of a study, and in .925 or more of each kind of table:
labels that depend on nothing up to an AUC of .99, 1.5 % of the rows in the class
([study](studies/metric_estimates.md)); for `E_ap`, `E_f1` and `E_balanced` it is wider than it need be. With groups or
rows in time the spread of the folds is used.

**Differences** of two candidates count rows that did not come up as those of losses of 0 and 1 on R rows do
([differences](#choosing-a-candidate)), of which one more wrong answer changes the metric by 1/R at most: R is
4 m n / (m + n) for AUC, 2 m for F1 and average precision, twice the rows of the rarer class for balanced accuracy. Two
rankings without a mistake in 30 rows then differ by .096 at most, and not by 0.

**Use it when** ranks are what you use, or a class is so rare that no hypothesis ever predicts it. Ask for it with
`further_estimates: [E_auc]`, and choose by it with `selection.criterion: E_auc` ([how
to](how-to/choose-by-a-metric.md)). Then the candidates that are alike, the differences and the baseline, which ranks
no row above another, are by `E_auc` too, and `E_bbc` is the error of the candidate that the bootstraps take by it.

**Do not read it as** an error of answers: a good ranking may have bad probabilities. Each fold must test rows of two
classes at least; fewer folds help.

Source: E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (Biometrics 44, 1988) for the influence; G. Forman, M.
Scholz, Apples-to-apples in cross-validation studies (SIGKDD Explorations 12, 2010) for the mean over folds. Code:
`heldout/estimates/e_auc.py`, `heldout/losses/set_metrics/auc.py`.
"""
ESTIMATE = definition("E_auc", auc.LOSS, column=14, section=_SECTION)
