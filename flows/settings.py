"""Settings: params.yaml with every default, as DVC compares it before it runs a stage again."""

import argparse

from flows.arguments import add_params

DESCRIPTION = """\
Write the settings of each stage, those of params.yaml and the default of every
key that it leaves out -> data/settings. A stage of DVC depends on its file
there, so that it runs again where one of its settings has another value."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The parameters of the run."""
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """Write the files; returns the exit code. Raises UserError for what is wrong in the parameters."""
    from tasks.params import load
    from tasks.storage import stage_settings

    stage_settings.write_for_dvc(load(options.params, tuple(options.overrides)))
    return 0
