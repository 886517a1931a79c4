"""docs/reliability.md and the tests name the same faults."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_fault_has_a_test_and_a_line():
    lines = (ROOT / "docs/reliability.md").read_text(encoding="utf-8").splitlines()
    named = [match[1] for line in lines if (match := re.search(r"\| `([^`]+)` \|$", line))]
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    tried = {name for source in sources for name in re.findall(r'mark\.fault\("([^"]+)"\)', source)}
    assert named
    assert len(named) == len(set(named))
    assert tried == set(named)
