"""Answers questions, each in a fork of this process, which has loaded libraries and nothing of ours.

A line of standard input is a question: its `code`, further `folders` of the import path, the environment `variables`,
and files for its `output` and its `errors`. A line of standard output is the code with which the fork ended.
"""

import importlib
import json
import os
import sys
import traceback
from contextlib import suppress

LIBRARIES = [
    *("numpy", "pandas", "pyarrow", "scipy.stats", "narwhals", "yaml", "psutil", "pydantic", "joblib"),
    *(f"sklearn.{part}" for part in ("compose", "ensemble", "inspection", "linear_model", "naive_bayes", "neighbors")),
    *("sklearn.pipeline", "sklearn.preprocessing", "sklearn.impute", "sklearn.svm", "sklearn.dummy"),
]


def _answer(code: str, folders: list[str], variables: dict[str, str], output: str, errors: str) -> None:
    for number, path in ((1, output), (2, errors)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[1:1] = folders
    importlib.invalidate_caches()
    status: object = 0
    try:
        exec(code, {"__name__": "__main__", "__builtins__": __builtins__})
    except SystemExit as end:
        status = end.code
        if isinstance(status, str):
            print(status, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else status is not None)


def main() -> None:
    """Answer until standard input ends."""
    for name in LIBRARIES:
        with suppress(ImportError):  # the core alone is without some
            importlib.import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        if not (child := os.fork()):
            _answer(**asked)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
