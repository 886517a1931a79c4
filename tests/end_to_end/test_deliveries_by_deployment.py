"""Right and wrong deliveries, and what becomes of a store, in nights of a deployment: its exit, ledger and page."""

import re
from html import unescape

import pandas as pd
import pytest

from tasks.track.operations_ledger import entries
from tests.end_to_end.test_batches import BAYES, Nights
from tests.tasks.track.test_deliveries import FIRST_DAYS, WRONG, past, today, until

# whether the new rows alone are held back, and the night goes on without them
DELIVERIES = {
    "a column rounded in all rows": False,
    "a column x 100 in all rows": False,
    "only the rows of the day": False,
    "a column is missing": False,
    "a third with a new category": True,
}
DECIDED = {"champion", "contest", "compared", "opened", "tested", "reported"}


class Deployed(Nights):
    """Nights that `trigger --wait` starts, and what they leave."""

    def deliver(self, rows: pd.DataFrame) -> tuple[int, str, str]:
        """The exit code of a night on these rows, what was printed, and the first line of the page."""
        rows.to_csv(self.checkout.path / "data/raw/table.csv", index=False)
        night = self.checkout.flow("trigger", "--wait", check=False)
        self.checkout.wait_until(lambda: not self.checkout.processes("loky"), seconds=30)
        return night.returncode, night.stdout, self.first_line()

    def first_line(self) -> str:
        page = (self.checkout.path / "reports/history.html").read_text()
        return unescape(re.sub("<[^>]*>", "", re.search("<h1[^>]*>(.*?)</h1>", page, re.DOTALL)[1]))

    def decided(self) -> list[int]:
        return [entry.number for entry in entries(self.client) if entry.kind in DECIDED]

    def history(self) -> tuple[int, str]:
        ended = self.checkout.flow("history", check=False)
        return ended.returncode, ended.stdout.partition("\n\n")[0].replace("\n", " ").replace("`", "")


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_each_wrong_delivery_is_held_by_the_deployment_and_the_page_is_true_after_each_night(clone, write_params):
    nights = Deployed(clone())
    data = {"source": "data/raw/table.csv", "target": "left", "positive": None, "labeled_rows": None, "shards": 1}
    write_params(nights.checkout.path / "params.yaml", data=data, candidates=[BAYES | {"preprocess": "auto"}])
    nights.serving.start()
    try:
        code, said = nights.history()
        assert (3, True) == (code, said.startswith("Look: no night has run yet"))
        for rows in (until(FIRST_DAYS, numbered=False), past()):
            assert (0, "Nothing to do.") == nights.deliver(rows)[::2]
        champion, passed = nights.champion(), {}
        for name, of_rows in DELIVERIES.items():
            (delivery, words), before = WRONG[name], nights.decided()
            code, printed, first = nights.deliver(delivery())
            held = nights.batches()[-1]
            look = "Look: new labelled rows are held back" if of_rows else "Look: the table is held"
            as_wanted = (
                code == (0 if of_rows else 3)
                and "held" == held["state"]
                and re.search(words, "; ".join(held["reasons"]))
                and first.startswith(look)
                and (of_rows or before == nights.decided())
                and champion == nights.champion()
            )
            if not as_wanted:
                passed[name] = (code, printed, first, held)
        assert {} == passed
        assert len(DELIVERIES) == len({one["run"] for one in map(dict, nights.told_of_batches())})
        rows = pd.concat([past(), today()])  # repaired, with new rows
        code, _, first = nights.deliver(rows)
        assert (0, "Nothing to do.") == (code, first)
        assert ("accepted", 100) == (nights.batches()[-1]["state"], nights.batches()[-1]["rows"])
        assert "held" not in {one["state"] for one in nights.batches()}

        newest = max(int(one.version) for one in nights.client.search_model_versions("name = 'table'"))
        nights.client.set_registered_model_alias("table", "champion", str(newest))
        code, _, first = nights.deliver(rows)
        assert 0 == code
        assert f"is on version {newest}, and version {champion} by the ledger" in first
        assert (3, first) == nights.history()
        assert "accepted" in nights.checkout.flow("rollback", "--accept", "--why", "by hand").stdout
        assert (0, "Nothing to do.") == nights.history()
        assert "nothing was removed, changed or moved" in nights.checkout.flow("verify").stdout

        store = nights.checkout.path / "mlruns/mlflow.db"
        store.rename(store.with_name("aside.db"))
        code, printed, _ = nights.deliver(rows)
        assert (3, True) == (code, "put its newest copy back" in printed)
        assert "is not the store of the last night here" in nights.history()[1]
        store.unlink(missing_ok=True)
        store.with_name("aside.db").rename(store)
        assert (0, "Nothing to do.") == nights.deliver(rows)[::2]
    finally:
        nights.serving.end()
