"""The command line: python -m flows <name> [--params FILE] [--set a.b=c]."""

import argparse
import importlib
import importlib.util
import os
import sys
from pathlib import Path

from tasks.runtime import environment
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import full_disk, is_full

FLOWS = {
    "prepare": "cut the test part, keep some labels, deal out shards, draw every partition -> data/prepared",
    "holdout": "E_val of g-, trained without the held-out rows, and E_in of g, trained on all",
    "cross_validation": "E_cv over the folds, or leave-one-out",
    "progressive": "E_prog: test each block of examples, then train on it",
    "covalidation": "E_2cv, E_train and disagreement of half models on the unlabelled shards",
    "select": "all estimates, the winner, its bound and E_test -> reports, models/selected.skops",
    "report": "plots, report.html, MLflow, and the table in the terminal",
    "validate": "all of them, one after the other, as one MLflow run",
    "watch": "new unlabelled shards: disagreement of the stored half models, and an alarm -> reports/watch.csv",
}

_WHOLE, _WATCH = "validate", "watch"
_ROLLBACK = "rollback"
_PLAN = "plan"  # stores no fit, and needs no Prefect
_LOG = "log"
_LABEL_NEXT = "label-next"
_EPILOG = """\
examples:
  python -m flows init ~/customers.csv --target left
  python -m flows validate
  python -m flows validate --promote
  python -m flows validate --set split.folds=5 --set selection.criterion=E_maxdt
  python -m flows cross_validation --params other.yaml
  python -m flows watch --shard incoming/monday.parquet

Each flow reads the files of the flows before it. Finished fits lie under .cache/tasks and are used
again; removing that folder is always safe. After `validate` with an unchanged params.yaml,
`dvc status` is up to date. Exit codes: 0 done, 2 mistakes to fix (reported in one line each),
3 done, but for the MLflow store, which was lost during the run, 1 a crash, 130 interrupted."""


def main() -> int:
    """Parse the arguments; run the flow in this process or, in a DVC stage, in the host that all stages share."""
    _use_own_environment()
    if sys.argv[1:2] in (["init"], ["prune"], [_LABEL_NEXT]):
        return _with_own_arguments(*sys.argv[1:])
    arguments = _parser().parse_args()
    params = str(Path(arguments.params).resolve()) if arguments.params else "params.yaml"
    try:
        environment.enter()
        if arguments.promote and (arguments.name != _WHOLE or "DVC_STAGE" in os.environ):
            raise UserError(f"--promote is for `python -m flows {_WHOLE}` alone, outside of a DVC stage; leave it out")
        if arguments.shards and arguments.name != _WATCH:
            raise UserError(f"--shard is for `python -m flows {_WATCH}` alone; leave it out")
        if arguments.name == _PLAN:
            from flows.plan import plan

            return plan(params, arguments.overrides)
        if arguments.name == _ROLLBACK:
            from flows.rollback import rollback

            return rollback(params, arguments.overrides)
        if arguments.name == _LOG:
            from flows.log import log

            return log(params, arguments.overrides)
        if "DVC_STAGE" in os.environ:
            from flows.host import run_in_host

            return run_in_host(arguments.name, params, arguments.overrides)
        from flows.session import run_here

        more: dict[str, object] = {"promote": True} if arguments.promote else {}
        more |= {"shards": tuple(arguments.shards)} if arguments.shards else {}
        return run_here(arguments.name, params, arguments.overrides, **more)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        if not is_full(error):
            raise
        print(f"error: {full_disk()}", file=sys.stderr)
        return 2


def _with_own_arguments(name: str, *arguments: str) -> int:
    try:
        return int(importlib.import_module(f"flows.{name.replace('-', '_')}").main(arguments))
    except UserError as error:
        print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr)
        return 2


def _use_own_environment() -> None:
    """Continue with the checkout's .venv if `python` is another Python, as under `.venv/bin/dvc repro`."""
    if importlib.util.find_spec("prefect") is not None:
        return
    python = Path(os.environ.get("DVC_ROOT", "."), ".venv/bin/python")  # of the checkout, also in a copy of DVC's
    if not python.exists():
        print("error: the packages of requirements.lock are not installed; run `make repro` first", file=sys.stderr)
        sys.exit(2)
    os.execv(python, [str(python), "-m", "flows", *sys.argv[1:]])  # noqa: S606


def _parser() -> argparse.ArgumentParser:
    listing = f"  {'init PATH':18}look at a table, and write its params.yaml: init --help\n"
    listing += f"  {_PLAN:18}how many fits a run does, their seconds and memory; needs prepare\n"
    listing += "\n".join(f"  {name:18}{what}" for name, what in FLOWS.items())
    listing += f"\n  {f'{_LABEL_NEXT} N':18}the N unlabelled rows most worth a label, as CSV: label-next --help"
    listing += f"\n  {_ROLLBACK:18}return to the former champion: the version that the present one replaced"
    listing += f"\n  {'prune --keep 90d':18}remove older runs from MLflow's store: prune --help"
    listing += f"\n  {_LOG:18}send the runs that their MLflow store did not take, each once"
    parser = argparse.ArgumentParser(
        prog="python -m flows",
        description=f"Validate candidate models, and say which to ship.\n\nflows:\n{listing}",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "name", choices=[_PLAN, *FLOWS, _ROLLBACK, _LOG], metavar="NAME", help="the flow to run, from the list above"
    )
    parser.add_argument("--params", metavar="FILE", help="the parameters (default: params.yaml of the checkout)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="a.b=c",
        dest="overrides",
        help="one parameter, its value read as YAML; may be repeated; candidates.0.params.C=1 reaches into a list",
    )
    parser.add_argument(
        "--promote",
        action="store_true",
        help="of validate: register the winner, which may become the champion; a trial, as with --set, never does",
    )
    parser.add_argument(
        "--shard",
        action="append",
        default=[],
        metavar="PATH",
        dest="shards",
        help="of watch: a file with new unlabelled rows, or a folder of them; may be repeated",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
