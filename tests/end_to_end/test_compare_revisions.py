"""`python -m flows compare REV REV` of a real repository: commits, a trial's name, and the files that are there."""

import pandas as pd
import pytest

from tests.end_to_end.conftest import COMMIT

OFFLINE = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "no_proxy": ""}


@pytest.mark.long
def test_two_revisions_are_compared_and_what_is_neither_a_file_nor_one_is_named(reproduced, tmp_path):
    copied = reproduced.copy(tmp_path / "heldout")
    checkout = type(copied)(copied.path, {**copied.own, **OFFLINE})
    checkout.git(*COMMIT, "--quiet", "-am", "run", "--allow-empty")
    checkout.git("update-ref", "refs/exps/ab/cdef/trial", "HEAD")  # as DVC stores an experiment
    same = checkout.flow("compare", "HEAD", "trial").stdout
    assert "params.yaml is the same" in same
    assert " *" not in same
    estimates, params = checkout.path / "reports/estimates.csv", checkout.path / "params.yaml"
    table = pd.read_csv(estimates)
    of_test = (table["estimate"] == "E_test") & (table["candidate"] != "baseline")
    before = table[of_test].iloc[0]
    table.loc[of_test, ["value", "low", "high"]] = [0.5, 0.45, 0.55]
    estimates.unlink()  # a link into DVC's cache, perhaps
    table.to_csv(estimates, index=False)
    params.write_text(params.read_text().replace("seed: 0", "seed: 1", 1))
    (checkout.path / "docs").mkdir(exist_ok=True)
    changed = checkout.run(
        "sh", "-c", "cd docs && PYTHONPATH=.. python -m flows compare HEAD workspace"
    ).stdout.splitlines()
    (line,) = [one for one in changed if one.startswith("E_test ")]
    ends = "–".join(f"{100 * before[end]:.1f}" for end in ("low", "high"))
    assert f"{100 * before['value']:.1f} % [{ends}]" in line
    assert "50.0 % [45.0–55.0]" in line
    assert line.endswith("*")
    assert "params.yaml: seed: 0 → 1" in changed
    assert max(map(len, changed)) <= 140
    for given, said in {
        ("HEAD", "nonsense"): "'nonsense' is no file, and neither git nor DVC knows it",
        ("HEAD", "HEAD~999"): "'HEAD~999' is no file",
        ("HEAD", "HEAD", "--loss", "log"): "--loss is for files",
        ("a.csv", "b.csv"): "no such file",
    }.items():
        refused = checkout.flow("compare", *given, check=False)
        assert (2, 1) == (refused.returncode, refused.stderr.count("\n")), refused.stderr
        assert said in refused.stderr
    (checkout.path / "trial").write_text("row,candidate,loss\n1,a,0\n")  # what is the name of a file is a file
    refused = checkout.flow("compare", "HEAD", "trial", check=False)
    assert (2, 1) == (refused.returncode, refused.stderr.count("\n"))
    assert "HEAD" in refused.stderr
