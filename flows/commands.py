"""Every command of `python -m flows`: its line in the list, and the text that its own --help begins with.

A flow is described here, since its module imports Prefect, which takes seconds. Every other command is a module of its
own with a DESCRIPTION, `add_arguments` and `main`.
"""

import importlib
from typing import Any

_STORED = """

It reads the files of the flows before it. Finished fits lie under .cache/tasks
and are used again; removing that folder is always safe."""
_AGAIN = """

Finished fits lie under .cache/tasks and are used again; removing that folder is
always safe."""

FLOWS = {
    "prepare": "cut the test set, deal out the shards, draw every partition",
    "fit": "every fit of every candidate: folds, steps, half models",
    "select": "all estimates, the winner, its bound, E_test if asked",
    "report": "again what a run said: pages, MLflow, and the table",
    "validate": "the whole method: prepare, fit, select, report",
    "watch": "new unlabelled shards: are they like those before?",
}
_DESCRIPTIONS = {
    "prepare": """\
Read data.source, cut off the test set, keep some labels, deal out the shards
of unlabelled rows, and draw every partition -> data/prepared""",
    "fit": f"""\
Train and test every candidate on the rows of the hold-out, of each fold and of
each progressive step, and on both halves of the rows, again and again, whose
models then answer the unlabelled shards -> data/results/fits{_STORED}""",
    "select": """\
Estimate every candidate's error with its interval, choose one, and test it on
the test set if selection.open_test is true -> reports/estimates.csv,
reports/selection.json, models/selected.skops. It reads the files of the flows
before it.""",
    "report": """\
Write what people read, log the run in MLflow, and print the table
-> reports/report.html, reports/summary.md, reports/plots. It reads the files
of the flows before it.""",
    "validate": f"""\
The whole method in one process: prepare, fit, select, report. After it, with an
unchanged params.yaml, `dvc status` is up to date.{_AGAIN}""",
    "watch": """\
Compare new unlabelled shards with a fixed reference, without any fit: an alarm
is raised where stored half models disagree otherwise, and another where columns
are distributed otherwise -> reports/watch.csv""",
}

OTHERS = {
    "new": "a folder for a project of your own",
    "init": "look at a table, and write its params.yaml",
    "settings": "params.yaml with its defaults, for the stages of DVC",
    "plan": "how many fits a run does, their seconds and memory",
    "open-test": "test the winner on the sealed test set, once, at the end",
    "compare": "two revisions; or answers that somebody else made",
    "gate": "pass or fail by what the winner errs at most, for CI",
    "verify": "is the history behind a report whole, and what was compared",
    "history": "all nights on one page, and whether anything must be done",
    "label-next": "the unlabelled rows most worth a label, as CSV",
    "batch": "new labelled rows: what was held back; release or drop it",
    "rollback": "return to the former champion",
    "prune": "mark old models that nobody uses, for `mlflow gc`",
    "trigger": "start a run of a deployment at once",
    "ui": "show the runs in MLflow's pages",
    "serve": "Prefect's server, MLflow's pages and the deployments",
}
FIRST = {
    "begin": ("new", "init"),
    "validate": ("validate", "report", "open-test", "compare"),
    "in use": ("gate", "serve"),
}
FURTHER = {
    "in use, further": (
        "watch",
        "rollback",
        "history",
        "verify",
        "plan",
        "label-next",
        "trigger",
        "batch",
        "ui",
        "prune",
    ),
    "the stages of `dvc repro`": ("settings", "prepare", "fit", "select"),
}


# all others run in a checkout, or in a project of the installed version
ANYWHERE = ("new", "compare", "verify")


def described(name: str) -> str:
    """What a flow does."""
    return _DESCRIPTIONS[name]


def module(name: str) -> Any:
    """The module of a command that is no flow."""
    return importlib.import_module(f"flows.{name.replace('-', '_')}")
