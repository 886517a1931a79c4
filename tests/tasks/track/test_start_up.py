"""What takes long to import is imported where it is used: a stage that draws or tracks nothing need not wait."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SLOW = ["mlflow", "matplotlib", "jinja2"]


@pytest.mark.slow
@pytest.mark.long
def test_the_import_of_reports_and_tracking_loads_none_of_their_tools():
    rooms = [path for room in ("report", "track") for path in (ROOT / "tasks" / room).glob("*.py")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in rooms]
    assert {"tasks.track.lifecycle", "tasks.report.page"} <= {*names}
    program = f"import sys, {', '.join(names)}\nprint([name for name in {SLOW} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "[]" == shown.stdout.strip()
