from studies.quarter import OPERATIONS, TABLE, Quarter, read, text


def test_the_page_has_both_tables_of_the_nights_that_were_run():
    plan = Quarter()
    results = read(TABLE)
    assert list(range(plan.nights)) == list(results["night"])
    assert text(results, plan) in OPERATIONS.read_text(encoding="utf-8")
