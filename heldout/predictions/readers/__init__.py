"""Readers of predictions, one format a file; `heldout.predictions.recognise` chooses among them.

Each module holds one `READER` (`heldout.predictions.reader.Reader`): how the format is recognised, what a line of it
is, what the tool's own number is, and where that is written. `READERS` lists them.
"""

from importlib import import_module

from heldout import extensions
from heldout.predictions.reader import Reader

# a line a format: its module of `heldout.predictions.readers`, in the order of the table of conventions
_OWN: tuple[Reader, ...] = tuple(
    import_module(f"heldout.predictions.readers.{module}").READER
    for module in (
        "caret",
        "mlr",
        "mlr3",
        "tidymodels",
        "weka",
        "lm_eval",
        "vowpal_wabbit",
        "h2o",
        "autogluon",
        "probabilities",
        "out_of_bag",
        "libsvm",
        "river",
        "moa",
        "cross_validate",
        "lightgbm_cv",
        "xgboost_cv",
        "catboost_cv",
        "prophet",
        "statsforecast",
    )
)
READERS: tuple[Reader, ...] = (*_OWN, *extensions.of("heldout.readers", Reader, _OWN))
