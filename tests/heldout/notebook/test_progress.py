"""The bar of a notebook: one that ends before all fits were made leaves nothing behind."""

from heldout.notebook import progress


def test_a_bar_that_ends_early_lacks_no_fits(monkeypatch):
    """A candidate that fails has no further fits; tqdm takes those that are missing for an error."""
    monkeypatch.setattr(progress, "_seen_by_a_person", lambda: True)
    monkeypatch.setattr(progress, "_SECONDS", 0)
    with progress.FitBar(shown=True) as bar:
        bar.expect(lambda: 10)
        bar.advance("tree", 3)
        shown = bar._bar
        assert (3, 10) == (shown.n, shown.total)
    assert 3 == shown.n == shown.total
