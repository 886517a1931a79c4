"""`python -m flows gate` after a run: its exit code, its sentence, its JSON, and another revision."""

import json

import pandas as pd
import pytest
from markdown_it import MarkdownIt

pytestmark = pytest.mark.slow


@pytest.mark.long
def test_the_gate_passes_and_fails_by_the_upper_end_of_e_test(reproduced):
    table = pd.read_csv(reproduced.path / "reports/estimates.csv").set_index(["candidate", "estimate"])
    upper = table["high"]["rbf-svm", "E_test"]
    passed = reproduced.flow("gate", "--max-upper", upper)
    assert passed.stdout.startswith(
        f"passed: the upper end of E_test of rbf-svm is {upper:.4g} (Clopper-Pearson, at 95 %)"
    )
    failed = reproduced.flow("gate", "--max-upper", upper - 1e-6, "--json", check=False)
    assert (3, "") == (failed.returncode, failed.stderr)
    said = json.loads(failed.stdout)
    assert (False, "E_test", upper, None) == tuple(said[key] for key in ("passed", "estimate", "upper", "against"))
    refused = reproduced.flow("gate", "--max-upper", 5, check=False)
    assert (2, "error: --max-upper is 5, but an error is at most 1; write 0.05 for 5 %\n") == (
        refused.returncode,
        refused.stderr,
    )


@pytest.mark.long
def test_the_winner_of_another_revision_is_compared_without_a_network(reproduced, tmp_path):
    checkout = reproduced.copy(tmp_path / "heldout")
    checkout.git(
        "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-am", "run", "--allow-empty"
    )
    said = checkout.flow("gate", "--max-upper", 0.05, "--against", "HEAD").stdout
    assert "\npassed: against HEAD: E_test of rbf-svm less that of rbf-svm there is 0 [" in said
    estimates = checkout.path / "reports/estimates.csv"
    table = pd.read_csv(estimates)
    table.loc[table["estimate"] == "E_test", ["value", "low", "high"]] = [0.04, 0.039, 0.041]
    estimates.unlink()  # a link into DVC's cache, perhaps
    table.to_csv(estimates, index=False)
    worse = checkout.flow("gate", "--max-upper", 0.05, "--against", "HEAD", check=False)
    assert 3 == worse.returncode
    assert ["passed", "failed"] == [line.split(":")[0] for line in worse.stdout.splitlines()[:2]]
    decided = json.loads((checkout.path / "reports/selection.json").read_text())["advice"]
    assert worse.stdout.splitlines()[-1].startswith(decided)
    assert "so the winner there errs less" in worse.stdout
    unknown = checkout.flow("gate", "--max-upper", 0.05, "--against", "nonsense", check=False)
    assert (2, 1) == (unknown.returncode, unknown.stderr.count("\n"))
    assert "revision 'nonsense' cannot be read" in unknown.stderr


def test_the_summary_is_an_output_and_a_table_of_every_candidate(reproduced):
    text = (reproduced.path / "reports/summary.md").read_text(encoding="utf-8")
    names = json.loads((reproduced.path / "reports/selection.json").read_text())["candidates"]
    page = MarkdownIt("commonmark").enable("table").render(text)
    assert [] == [name for name in names if f"<code>{name}</code>" not in page]
    assert "reports/summary.md" in (reproduced.path / "dvc.lock").read_text()
