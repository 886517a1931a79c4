"""`python -m flows compare FILE`: the same as `heldout.from_predictions`, of a file from anywhere."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from flows.__main__ import main

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(0)
ROWS = 12345678901234567 + np.arange(80)  # ids of 17 digits
LABELS = RNG.integers(0, 2, 80)
TABLE = pd.concat(
    [
        pd.DataFrame({"row": ROWS, "candidate": name, "answer": np.where(RNG.random(80) < error, 1 - LABELS, LABELS)})
        for name, error in (("small", 0.3), ("größer", 0.05))
    ]
).assign(label=np.tile(LABELS, 2), text=np.tile(np.arange(80) // 4, 2))


def compare(folder, *arguments) -> subprocess.CompletedProcess:
    """The command as a user writes it, in this process: its imports take two seconds."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["compare", *arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def compare_apart(folder, *arguments, **variables) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "flows", "compare", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_has_the_comparison_of_its_table(ending, tmp_path):
    path = tmp_path / f"answers.{ending}"
    TABLE.to_csv(path, index=False) if ending == "csv" else TABLE.to_parquet(path)
    said = compare(ROOT, str(path), "--group", "text", "--compared", "9")
    assert f"{heldout.from_predictions(TABLE, group='text', compared=9)}\n" == said.stdout, said.stderr


def test_of_a_folder_one_names_the_files(tmp_path):
    (tmp_path / "model").mkdir()
    said = compare(tmp_path, "model")
    assert (2, 1) == (said.returncode, said.stderr.count("model/*.jsonl"))


def test_a_metric_takes_the_place_of_a_loss(tmp_path):
    scores = TABLE.assign(answer=TABLE["answer"] + RNG.normal(size=160))
    scores.to_parquet(tmp_path / "scores.parquet")
    said = compare(tmp_path, "scores.parquet", "--metric", "auc", "--group", "text")
    assert f"{heldout.from_predictions(scores, metric='auc', group='text')}\n" == said.stdout, said.stderr
    assert "E_auc" in said.stdout
    assert "metric is 'gini'; it must be one of E_auc" in compare(tmp_path, "scores.parquet", "--metric", "gini").stderr


def test_what_cannot_be_compared_is_said_without_a_traceback(tmp_path):
    TABLE.iloc[1:].to_csv(tmp_path / "answers.csv", index=False)
    said = compare(ROOT, str(tmp_path / "answers.csv"))
    assert (2, "") == (said.returncode, said.stdout)
    assert f"no line for row {ROWS[0]} of small" in said.stderr
    assert "no such file" in compare(ROOT, "nothing.csv").stderr


def test_it_runs_in_any_folder_and_terminal_but_the_ledger_needs_a_checkout(tmp_path):
    TABLE.to_csv(tmp_path / "answers.csv", index=False)
    said = compare_apart(tmp_path, "answers.csv", PYTHONIOENCODING="ascii")
    assert (0, True) == (said.returncode, "* gr??er" in said.stdout), said
    assert "no dvc.yaml here or above" in compare(tmp_path, "answers.csv", "--ledger").stderr


def test_lines_of_one_kind_are_compared_and_what_no_line_has_is_said(tmp_path):
    both = pd.concat([TABLE.assign(filter="strict-match"), TABLE.assign(filter="flexible", answer=0)])
    both.to_csv(tmp_path / "answers.csv", index=False)
    said = compare(tmp_path, "answers.csv", "--only", "filter=strict-match")
    assert f"{heldout.from_predictions(TABLE)}\n" == said.stdout, said.stderr
    assert "filter has flexible, strict-match" in compare(tmp_path, "answers.csv", "--only", "filter=loose").stderr
    assert "it must be COLUMN=VALUE" in compare(tmp_path, "answers.csv", "--only", "strict-match").stderr


AGENTS = ROOT / "docs/examples/agents/swe-bench-100.csv"


def samples(folder, table) -> dict[str, Path]:
    """A file for each agent, with nested values, as lm-evaluation-harness writes its samples."""
    paths = {}
    for number, (agent, of) in enumerate(table.groupby("agent")):
        paths[agent] = folder / f"samples_{number}_2026-11-26T07-00.123.jsonl"
        lines = (
            {"doc_id": place, "doc": {"text": task}, "resps": [["4"]], "exact_match": float(right)}
            for place, (task, right) in enumerate(zip(of["task"], of["resolved"], strict=True))
        )
        paths[agent].write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return paths


def test_a_file_for_each_candidate_is_the_same_as_one_file(tmp_path):
    table = pd.read_csv(AGENTS)
    named = table.sort_values("agent").rename(columns={"task": "doc_id"})
    whole = heldout.from_predictions(named, row="doc_id", candidate="agent", correct="resolved")
    paths = samples(tmp_path, table)
    named = [f"{agent}={path}" for agent, path in paths.items()]
    said = compare(ROOT, *named, "--row", "doc_id", "--correct", "exact_match")
    assert f"{whole}\n" == said.stdout, said.stderr
    said = compare(ROOT, *map(str, paths.values()), "--row", "doc_id", "--correct", "exact_match")
    assert "* samples_3_2026-11-26T07-00.123 " in said.stdout
    one = compare(ROOT, f"a={paths['OpenHands']}", "--correct", "exact_match").stdout  # its rows need no names
    assert "21.2–40.0" in one
    again = shutil.copy(paths["OpenHands"], tmp_path / "other.jsonl")
    said = compare(ROOT, f"a={again}", f"a={paths['OpenHands']}", "--row", "doc_id", "--correct", "exact_match")
    assert (2, "error: FILE: two files have the same name; name their candidates: small=FILE large=FILE\n") == (
        said.returncode,
        said.stderr,
    )


def test_a_column_for_each_candidate_and_what_is_missing(tmp_path):
    table = pd.read_csv(AGENTS).pivot(index="task", columns="agent", values="resolved").reset_index()
    names = [*table.columns[1:]]
    table[names[0]] = table[names[0]].astype(object).where(table.index != 3)
    table.to_csv(tmp_path / "wide.csv", index=False)
    call = (str(tmp_path / "wide.csv"), "--row", "task", "--correct", *names)
    assert "missing: leave_out" in compare(ROOT, *call).stderr
    expected = heldout.from_predictions(pd.read_csv(call[0]), row="task", correct=names, missing="wrong")
    assert f"{expected}\n" == compare(ROOT, *call, "--missing", "wrong").stdout


PAGE = (ROOT / "docs/how-to/compare-predictions.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)


def test_the_commands_of_the_page_print_what_it_shows():
    assert 3 == len(SHOWN) == PAGE.count("```sh\n")
    for command, text in SHOWN:
        python, *words = command.split()
        assert ["python", "-m", "flows", "compare"] == [python, *words[:3]]
        said = compare(ROOT, *words[3:])
        assert text in said.stdout, said.stderr


def test_out_of_fold_answers_of_two_predictors(tmp_path):
    """Of the shape of ROCR.hiv, whose licence is not ours: scores of both signs, and folds without names of rows."""
    y = np.where(np.arange(345) % 34 < 8, 1, -1)
    scores = y[:, None] + np.random.default_rng(4).normal(size=(345, 2)) * (0.9, 1.0)
    table = pd.DataFrame(np.where(scores > 0, 1, -1), columns=["svm", "nn"]).assign(y=y, fold=np.arange(345) // 34)
    table.to_csv(tmp_path / "hiv.csv", index=False)
    said = compare(tmp_path, str(tmp_path / "hiv.csv"), "--answer", "svm", "nn", "--label", "y", "--fold", "fold")
    lines = [
        pd.DataFrame({"row": range(345), "candidate": name, "answer": table[name], "label": y, "fold": table["fold"]})
        for name in ("svm", "nn")
    ]
    answers = {"answer": ["svm", "nn"], "label": "y"}
    assert f"{heldout.from_predictions(table, **answers, fold='fold')}\n" == said.stdout, said.stderr
    wrong = (table["svm"] != y).groupby(table["fold"]).mean()
    (svm, _) = heldout.from_predictions(pd.concat(lines), fold="fold").estimates
    assert svm.value == pytest.approx((wrong * table.groupby("fold").size()).sum() / 345)


ONE = pd.DataFrame({"obs": np.where(LABELS == 1, "yes", "no"), "pred": np.where(RNG.random(80) < 0.7, "yes", "no")})
OF_ONE = ("--answer", "pred", "--label", "obs")


def test_a_message_leads_to_what_the_command_and_the_file_have(tmp_path):
    ONE.to_csv(tmp_path / "one.csv", index=False)
    said = compare(tmp_path, "one.csv", *OF_ONE).stderr
    assert "NAME=one.csv" in said
    assert "one.csv has the columns obs, pred;" in compare(tmp_path, "a=one.csv", "--answer", "it").stderr
    ONE.to_csv(tmp_path / "spaces.csv", index=False, sep=" ")
    assert "--sep" in compare(tmp_path, "a=spaces.csv", *OF_ONE).stderr
    expected = compare(tmp_path, "a=one.csv", *OF_ONE)
    assert 0 == expected.returncode
    for name in ("semicolon", ";"):
        ONE.to_csv(tmp_path / "other.csv", index=False, sep=";")
        assert expected.stdout == compare(tmp_path, "a=other.csv", *OF_ONE, "--sep", name).stdout
    assert expected.stdout == compare(tmp_path, "a=other.csv", *OF_ONE).stdout  # it is found


def test_a_file_without_names_of_columns_is_refused(tmp_path):
    """MOA writes answers and labels alone."""
    pd.DataFrame({"it": LABELS, "label": LABELS[::-1]}).to_csv(tmp_path / "bare.csv", index=False, header=False)
    said = compare(tmp_path, "a=bare.csv", "--answer", "0", "--label", "1")
    assert (2, True) == (said.returncode, "put a line of names above it" in said.stderr)


def test_each_line_is_a_row_of_its_own_where_that_is_said(tmp_path):
    ONE.assign(inst=np.arange(80) % 20).to_csv(tmp_path / "one.csv", index=False)
    asked = compare(tmp_path, "a=one.csv", *OF_ONE)
    assert (2, True) == (asked.returncode, "--row none" in asked.stderr)
    assert "rows: 80," in compare(tmp_path, "a=one.csv", *OF_ONE, "--row", "none").stdout
