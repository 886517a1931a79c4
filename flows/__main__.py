"""The command line: python -m flows COMMAND [its own arguments]; `heldout` of an installed package."""

import argparse
import difflib
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from flows import arguments, commands
from heldout import __version__
from tasks.runtime import environment, own_code
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND

_WHOLE, _WATCH = "validate", "watch"
_PRINTING = (_WHOLE, "report")
_NOT_READ = 141  # as a shell has it: 128 and the number of SIGPIPE
_STAGE = "DVC_STAGE"  # in the environment of a command that DVC started
_DVC = """\
`dvc repro` does what `validate` does, but of its steps (prepare, fit, select,
report) only those for which something has changed."""
_EPILOG = f"""\
Most commands take --params FILE and --set a.b=c; COMMAND --help has them all.

examples:
  {COMMAND} init ~/customers.csv --target left
  {COMMAND} validate --set split.folds=5 --set selection.criterion=E_maxdt
  {COMMAND} gate --max-upper 0.05
  {COMMAND} watch --shard incoming/monday.parquet

Exit codes: 0 done; 2 mistakes to fix, one line each; 3 done, but for the MLflow
store, which was lost during the run, of gate and verify: it did not pass, of
history: something must be done; 1 a crash; 130 interrupted."""


def main(given: Sequence[str] | None = None) -> int:
    """Run one command with its arguments; returns the exit code, also where nobody reads what it prints any more."""
    try:
        try:
            return _command_line(given)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # as in `heldout batch | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at its end
        return _NOT_READ


def _command_line(given: Sequence[str] | None) -> int:
    _use_own_environment()
    words = sys.argv[1:] if given is None else list(given)
    name = _parser().parse_args(words[:1]).name
    try:
        _take_up_extensions(words[1:])
        if name in commands.FLOWS:
            return _flow(name, words[1:])
        module = commands.module(name)
        parser = arguments.parser(name, module.DESCRIPTION)
        module.add_arguments(parser)
        options = parser.parse_args(words[1:])
        if name not in commands.ANYWHERE:
            environment.enter()
        return int(module.main(options))
    except UserError as error:
        print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr)
        return 2
    except Exception as error:
        from tasks.runtime.used_up import used_up  # its packages are there only after _use_own_environment

        if (said := used_up(error)) is None:
            raise
        print(f"error: {said}", file=sys.stderr)
        return 2


def _take_up_extensions(words: Sequence[str]) -> None:
    """Take up what the packages offer that params.yaml allows, before a module that lists names is imported."""
    if {"-h", "--help"} & {*words}:
        return
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    arguments.add_params(early)
    try:
        options, _ = early.parse_known_args(words)
    except argparse.ArgumentError:  # which the command's own parser reports
        return
    if (root := environment.checkout()) is not None:
        from tasks.params import allowed_extensions  # its packages are there only after _use_own_environment

        allowed_extensions.enter(root / options.params, options.overrides)


def _flow(name: str, words: Sequence[str]) -> int:
    """Run a flow in this process or, in a DVC stage, in the host that all stages share."""
    parser = arguments.parser(name, commands.described(name))
    arguments.add_params(parser)
    if name == _WHOLE:
        promote = "register the winner, which may become the champion; a trial, as with --set, never does"
        parser.add_argument("--promote", action="store_true", help=promote)
        anyway = "with --promote: also where the advice is not to ship it yet; the pages say so"
        parser.add_argument("--anyway", action="store_true", help=anyway)
        new = "a night begins also with a store that lacks the nights before, which then count no more"
        parser.add_argument("--new-store", action="store_true", help=new)
    if name in _PRINTING:
        everything = "print all that is known, not only the last lines; also by HELDOUT_VERBOSE=1, for dvc repro"
        parser.add_argument("--verbose", action="store_true", help=everything)
    if name == _WATCH:
        shard = "a file with new unlabelled rows, or a folder of them; may be repeated"
        parser.add_argument("--shard", action="append", default=[], metavar="PATH", dest="shards", help=shard)
        moved = "compare with the rows of the validated run from now on, not with those that were fixed before"
        parser.add_argument("--new-reference", action="store_true", help=moved)
        since = "of these rows only those of this shard and later shards, such as that of an alarm"
        parser.add_argument("--since", default="", metavar="SHARD", help=since)
    options = parser.parse_args(words)
    environment.enter()
    if name in _PRINTING and options.verbose:
        environment.print_all()
    in_stage = _STAGE in os.environ
    if in_stage and name == _WHOLE and options.promote:
        raise UserError("--promote is for a run outside of a DVC stage; leave it out")
    if name == _WHOLE and options.anyway:
        _promote_anyway(promote=options.promote)
    if name == _WHOLE and options.new_store:
        from tasks.track import known_store

        known_store.begin_new_store()  # a person's word, which no deployment can give
    if in_stage:
        from flows.host import run_in_host

        return run_in_host(name, options.params, options.overrides)
    from flows.session import run_here

    more: dict[str, object] = {"promote": True} if name == _WHOLE and options.promote else {}
    more |= {"shards": tuple(options.shards)} if name == _WATCH and options.shards else {}
    more |= {"new_reference": True} if name == _WATCH and options.new_reference else {}
    more |= {"since": options.since} if name == _WATCH and options.since else {}
    return run_here(name, options.params, options.overrides, **more)


def _promote_anyway(*, promote: bool) -> None:
    """Take a person's word against the advice, which no deployment can give."""
    if not promote:
        raise UserError("--anyway: it is about what --promote promotes; write both, or leave it out")
    from tasks.track import trial

    trial.promote_anyway()


def _use_own_environment() -> None:
    """Continue with the checkout's .venv if `python` is another Python, as under `.venv/bin/dvc repro`."""
    if importlib.util.find_spec("prefect") is not None:
        return
    if own_code.INSTALLED:
        print("error: the packages of the pipeline are not installed: pip install 'heldout[pipeline]'", file=sys.stderr)
        sys.exit(2)
    python = Path(os.environ.get("DVC_ROOT", "."), ".venv/bin/python")  # of the checkout, also in a copy of DVC's
    if not python.exists():
        print("error: the packages of requirements.lock are not installed; run `make repro` first", file=sys.stderr)
        sys.exit(2)
    os.execv(python, [str(python), "-m", "flows", *sys.argv[1:]])  # noqa: S606


def _parser() -> argparse.ArgumentParser:
    parser = _listing(commands.FIRST)
    everything = _listing({**commands.FIRST, **commands.FURTHER}).format_help()
    parser.add_argument("--all", action="version", version=everything, help="list every command")
    return parser


def _listing(listed: Mapping[str, Sequence[str]]) -> argparse.ArgumentParser:
    """The parser of the name of a command, whose help has the `listed` ones, by the title of each group."""
    about = {**commands.FLOWS, **commands.OTHERS}
    groups = {title: [f"  {name:18}{about[name]}" for name in names] for title, names in listed.items()}
    listing = "\n\n".join("\n".join([f"{title}:", *lines]) for title, lines in groups.items())
    parser = arguments.parser("", f"Validate candidate models, and say which to ship.\n\n{listing}\n\n{_DVC}")
    parser.epilog = _EPILOG
    parser.add_argument("--version", action="version", version=f"heldout {__version__}")
    parser.add_argument("name", type=_command, metavar="COMMAND", help="one of the names above")
    return parser


def _command(name: str) -> str:
    """The name of a command as it is; raises ArgumentTypeError for another name."""
    known = [*commands.FLOWS, *commands.OTHERS]
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    said = f"; did you mean {near[0]}?" if near else ""
    raise argparse.ArgumentTypeError(f"{name!r} is no command{said}; the commands are {', '.join(known)}")


if __name__ == "__main__":
    sys.exit(main())
