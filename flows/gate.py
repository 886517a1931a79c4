"""Gate: whether the validation of this checkout passes, by what its winner errs at most."""

import argparse
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from flows.arguments import add_json, add_params, print_json
from heldout.printable import printable

if TYPE_CHECKING:
    from tasks.outcome.gate_verdict import ValidatedRun

NOT_PASSED = 3
_WORDS = {True: "passed", False: "failed"}
DESCRIPTION = """\
Pass or fail by what the winner of the last validation errs at most: the upper
end of its E_test if the test set was opened, else the bound, else the upper
end of its E_cv. The sentence says which of them, of which hypothesis, and under
which assumption. With --against it also fails if the winner of another git
revision is shown to err less. Nothing is computed again: run `dvc repro` first.

Exit codes: 0 it passes, 3 it does not, 2 there is nothing to decide by."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The limit, and the other revision."""
    limit = (
        "the largest upper end that passes, in the unit of reports/estimates.csv: 0.05 is 5 %%; of the squared loss "
        "the square of an RMSE"
    )
    parser.add_argument("--max-upper", type=float, required=True, metavar="NUMBER", help=limit)
    revision = "a git revision whose reports DVC or git has; the winners are compared"
    parser.add_argument("--against", metavar="REV", help=revision)
    add_params(parser)
    add_json(parser)


def main(options: argparse.Namespace) -> int:
    """Print the decision and why; returns the exit code. Raises UserError where there is nothing to decide by."""
    from tasks.data.row_roles import dependence_of
    from tasks.outcome import gate_verdict
    from tasks.outcome.operations import Of
    from tasks.params import load
    from tasks.storage import files
    from tasks.track.data_source import source_of
    from tasks.track.operations_ledger import append_if_there

    settings = load(options.params, tuple(options.overrides))
    results = gate_verdict.ValidatedRun.of_files()
    gate_verdict.check_limit(options.max_upper, results)
    end = gate_verdict.upper_end(results, settings.selection.level, dependence_of(files.read_roles(), 0).kind)
    against = gate_verdict.compare(results, _results_at(options.against), options.against) if options.against else None
    passed = end.within(options.max_upper) and not (against is not None and against.worse)
    decision = results.decision
    said = {
        "passed": passed,
        "max_upper": options.max_upper,
        "upper": end.upper,
        "report": files.file_hash(files.SELECTION),
    }
    of = Of.made(settings.registered_model, source_of(settings))
    append_if_there(settings, "gate", of.said(**said))
    if options.json:
        of_other = None if against is None else {**asdict(against), "worse": against.worse}
        of_winner = {**asdict(end), "against": of_other, **asdict(decision)}
        print_json({"passed": passed, "max_upper": options.max_upper, **of_winner})
    else:
        print(f"{_WORDS[end.within(options.max_upper)]}: {end.sentence(options.max_upper)}")
        if against is not None:
            print(f"{_WORDS[not against.worse]}: {against}")
        print(printable(decision.sentence))
    return 0 if passed else NOT_PASSED


def _results_at(revision: str) -> "ValidatedRun":
    """The results of another revision. Raises UserError if neither DVC's cache, its remote nor git has them."""
    from tasks.outcome.gate_verdict import ValidatedRun
    from tasks.storage import files
    from tasks.storage.dvc_commands import get

    with tempfile.TemporaryDirectory() as folder:
        selection, estimates = (
            get(path, revision, Path(folder) / path.name) for path in (files.SELECTION, files.ESTIMATES)
        )
        return ValidatedRun.of_files(selection, estimates)
