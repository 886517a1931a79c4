"""`python -m flows COMMAND --help`: a text of its own, 80 columns wide, which starts nothing."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from flows import commands

ROOT = Path(__file__).parents[2]
# every command in one process, which is watched: no socket, no process, and none of the slow libraries
PROGRAM = """
import contextlib, io, json, sys
from flows.__main__ import main
def watch(event, _):
    assert event not in ("socket.connect", "socket.bind", "subprocess.Popen", "os.fork", "os.mkdir"), event
sys.addaudithook(watch)
texts = {}
for name in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            main([name, "--help"])
        except SystemExit as end:
            assert 0 == end.code, name
    texts[name] = said.getvalue()
slow = [name for name in ("prefect", "mlflow", "uvicorn", "pandas", "sklearn", "pydantic") if name in sys.modules]
print(json.dumps([texts, slow]))
"""


def test_every_command_has_a_help_of_its_own_that_starts_and_imports_nothing():
    names = [*commands.FLOWS, *commands.OTHERS]
    command = [sys.executable, "-c", PROGRAM, json.dumps(names)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={"COLUMNS": "200"})
    assert 0 == ran.returncode, ran.stderr
    texts, slow = json.loads(ran.stdout)
    assert [] == slow
    assert names == list(texts)
    for name, text in texts.items():
        assert text.startswith(f"usage: python -m flows {name} ")
        assert [] == [line for line in text.splitlines() if len(line) > 80]
    assert len(names) == len({text.split("\n\n")[1] for text in texts.values()})
    assert all("--port" in texts[name] and "--login" in texts[name] for name in ("ui", "serve"))
    assert all("--json" in texts[name] for name in ("plan", "gate"))


@pytest.mark.parametrize("asked", ["--help", "--all"])
def test_the_lists_have_eight_commands_and_every_command_once_and_are_80_columns_wide(capsys, asked):
    from flows.__main__ import main

    with contextlib.suppress(SystemExit):
        main([asked])
    lines = capsys.readouterr().out.splitlines()
    named = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].isalpha()]
    found = [name for name in named if name not in ("COMMAND", "python")]
    every = [*commands.FLOWS, *commands.OTHERS]
    assert len(found) == len({*found}) == (8 if asked == "--help" else len(every))
    assert {*found} <= {*every}
    assert [] == [line for line in lines if len(line) > 80]


def test_a_name_that_is_nearly_a_command_is_answered_with_it(capsys):
    from flows.__main__ import main

    for written, meant in {
        "vaildate": "did you mean validate?",
        "open_test": "did you mean open-test?",
        "x": "",
    }.items():
        with pytest.raises(SystemExit) as ended:
            main([written])
        said = capsys.readouterr().err
        assert 2 == ended.value.code
        assert f"'{written}' is no command" in said
        assert meant in said if meant else "did you mean" not in said
        assert "label-next" in said


def test_outside_of_the_environment_the_answer_is_one_line(tmp_path):
    command = [sys.executable, "-S", "-m", "flows", "plan"]  # without the installed packages
    ran = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (2, "") == (ran.returncode, ran.stdout)
    assert re.fullmatch("error: .*make repro.*\n", ran.stderr)


@pytest.mark.parametrize(
    ("words", "codes"),
    # argparse passes over the error, but not that of Python 3.11.2
    [(["batch", "--help"], {0, 141}), (["verify", "--ledger", "export.json"], {141})],
)
def test_a_pipe_that_nobody_reads_ends_a_command_without_a_traceback(words, codes, tmp_path):
    export = {"heldout ledger of operations": 1, "ledgers": [], "runs": [], "champions": {}}
    (tmp_path / "export.json").write_text(json.dumps(export))
    reads, writes = os.pipe()
    os.close(reads)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "flows", *words]
    ran = subprocess.run(command, stdout=writes, stderr=subprocess.PIPE, cwd=tmp_path, env=env, text=True, check=False)
    os.close(writes)
    assert (True, "") == (ran.returncode in codes, ran.stderr)
