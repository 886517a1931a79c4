"""The command line of the studies: python -m studies [NAME ...] [--quick] [--list]."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tasks.runtime import environment
from tasks.runtime.errors import UserError


def main() -> int:
    """Run the studies that are named, or all of them."""
    from studies.catalogue import NAMES, load, title

    parser = argparse.ArgumentParser(prog="python -m studies", description="The experiments of the sources, and ours.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a study of --list; all of them without a name")
    parser.add_argument("--quick", action="store_true", help="few repeats, no data but what is shipped; to reports/")
    parser.add_argument("--list", action="store_true", help="print the names, and what each study shows")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the real data sets; some studies need them")
    chosen = parser.parse_args()
    if chosen.list:
        for name in NAMES:
            print(f"{name:24} {title(name)}")
        return 0
    from flows.session import Session, log_to_terminal, report_error

    session = Session()
    try:
        environment.enter()
        names = _known(chosen.names or NAMES, NAMES)
        data = chosen.data.resolve() if chosen.data else None
        if not chosen.quick and data is None:
            lacking = [name for name in names if load(name).NEEDS_DATA]
            if chosen.names and lacking:
                raise UserError(f"{lacking[0]} reads real data sets: name their folder with --data, or add --quick")
            names = [name for name in names if name not in lacking]
            if lacking:
                print(f"left out, since they read real data sets (--data FOLDER): {', '.join(lacking)}", flush=True)
        log_to_terminal()
        session.start_server()
        from tasks.params import load as load_settings

        settings = load_settings()
        session.open(settings, fits=False)
        from studies.run_studies import studies

        studies(names, chosen.quick, data, settings.execution)
        return 0
    except UserError as error:
        return report_error(error)
    finally:
        session.close()


def _known(names: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise UserError(f"study {name!r} is not known; `python -m studies --list` prints the names")
    return list(names)


if __name__ == "__main__":
    sys.exit(main())
