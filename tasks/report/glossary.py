"""What the names in the report mean, a sentence each."""

from collections.abc import Mapping

GLOSSARY: Mapping[str, str] = {
    "E_in": "The training error, on the rows that the model was trained on. It is too low, and only shows how closely "
    "the learner follows its rows.",
    "E_val": "The hold-out error: trained on one part of the labelled rows, tested once on the others.",
    "E_cv": "The cross-validation error: each row is tested by a model of the same learner that did not see the row's "
    "fold.",
    "E_prog": "The progressive error: rows arrive one after the other, and each is tested before it is trained on.",
    "E_2cv": "The error of models that were trained on one half of the rows and tested on the other half.",
    "E_train": "The training error of these half models.",
    "disagreement": "How often two models, each trained on a half of the labelled rows, give different answers on the "
    "unlabelled rows; for numbers, how far apart the answers are. It is not an error.",
    "E_dis": "The least error that such a disagreement implies, on average over training sets.",
    "E_maxdt": "The larger of E_train and E_dis: a learner can agree with itself because it has learned nothing.",
    "E_test": "The error of what is delivered, on rows that no choice has used. It is measured once.",
    "E_bbc": "E_cv of the winner, corrected for having won among these candidates.",
    "E_nested": "The error of the whole procedure, choice included, by a selection inside the training rows of each "
    "fold.",
    "baseline": "The best constant answer. A model that does not beat it has learned nothing from the features.",
    "interval": "Where the true error lies at the stated level, under the assumption that the last table names.",
    "bound": "What the error is at most, with all candidates counted that were ever compared on these labels: the "
    "guaranteed one.",
    "bound_joint": "The same, lower where candidates err on the same rows; approximate, and not guaranteed.",
    "alike": "Candidates that are not shown to err more than the winner. That they are as good is not shown either.",
    "RMSE": "The root of the mean squared loss, in units of the target.",
    "R²": "The share of the baseline's squared loss that the model removes: 1 is perfect, 0 is the baseline.",
}
