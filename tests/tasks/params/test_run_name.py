"""What a run is called in Prefect's pages."""

import pytest

from tasks.params.run_name import run_name


def test_a_run_is_called_by_its_data_and_its_seed(shipped):
    assert "digits · validate · seed 0" == run_name("validate", str(shipped), ())
    changes = ("seed=11", "data.source=data/raw/churn.csv.gz")
    assert "churn · report · seed 11" == run_name("report", str(shipped), changes)


@pytest.mark.fault("hostile")
def test_a_name_from_elsewhere_is_one_short_printable_line(shipped):
    name = run_name(
        "validate", str(shipped), ("data.source='x\x1b[2J\u202e\n<script>.csv'", "seed=[" + "9," * 99 + "]")
    )
    assert name.isprintable()
    assert len(name) < 120
    assert "<" not in name


@pytest.mark.parametrize("written", ["", "seed: [", "seed: 1", "data: 1"])
def test_parameters_that_cannot_be_read_leave_the_name_of_the_flow(checkout, written):
    (checkout / "params.yaml").write_text(written)
    assert "validate" == run_name("validate", "params.yaml", ())
    assert "validate" == run_name("validate", "missing.yaml", ())
