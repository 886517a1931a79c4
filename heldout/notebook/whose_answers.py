"""Whose answers a table holds: the estimate that their mean loss is, of what, and what is said of it."""

from dataclasses import dataclass

from heldout.predictions.read_predictions import Target
from heldout.schemes.progressive import TARGET as OF_STREAM


@dataclass(frozen=True)
class Whose:
    """The name of the `estimate`, its `target`, whose answers they are in words, and why there is `no_bound`.

    `no_interval` says why no interval is claimed, empty where one may be.
    """

    estimate: str
    target: str
    words: str = ""
    no_bound: str = ""
    no_interval: str = ""


WHOSE: dict[Target, Whose] = {
    "one model": Whose("E_val", "the model that answered each row"),
    "folds": Whose("E_cv", "the models of the k folds, one drawn at random"),
    "progressive": Whose(
        "E_prog",
        OF_STREAM,
        "each row by the model that was trained on the rows before it: as many models as rows, each tested on one",
        "it is about one model that answered all rows, and here are as many as rows; leave out progressive if there "
        "is one",
    ),
    "out-of-bag": Whose(
        "E_oob",
        "the models that did not see a row, with the answer that they give together",
        "each row by the models of an ensemble that did not see it: other models for each row, and none of them the "
        "whole ensemble",
        "it is about one model that answered all rows, and each row was answered by others",
        "how often one of out-of-bag answers covers is not known: rows share the models that answer them",
    ),
    "resamples": Whose(
        "E_oob",
        "the models of resamples, each on the rows that it was not trained on",
        "each row by the models of those resamples that left it out; answers to a row count by their mean loss",
        "it is about one model that answered all rows, and here are those of resamples",
        "how often one of resamples covers is not known: their models share training rows",
    ),
    "windows": Whose(
        "E_prog",
        "the models that were fitted at the cutoffs, each on the times before its own",
        "each row by the model of its cutoff, which saw no later time",
        "it is about one model that answered all rows, and here is one of each cutoff",
        "rows in time depend on one another, and their order is not known",
    ),
}

OF_UNKNOWN_FOLDS = Whose(
    "E_cv",
    WHOSE["folds"].target,
    "each row by the model of its fold, which the file does not name; differences are as wide as those of 2 folds",
)
NO_FOLDS_FOR_A_METRIC = "one of a metric is made of the folds, which the file does not name"
