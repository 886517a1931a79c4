from pathlib import Path

from studies.quarter import TABLE, Quarter, answers, read

PAGE = Path("docs/reliability.md")


def test_the_page_says_what_the_nights_that_were_run_answer():
    plan = Quarter()
    results = read(TABLE)
    assert list(range(plan.nights)) == list(results["night"])
    found = {asked: said for asked, said, _ in answers(results, plan)}
    lines = [line.split("|")[1:3] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    shown = {asked.strip(): said.strip() for asked, said in lines if asked.strip() in found}
    assert len(shown) > 8
    assert shown.items() <= found.items()
