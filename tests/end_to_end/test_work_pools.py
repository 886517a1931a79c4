"""The templates of docs/work-pools on a real Prefect server, and a run by a worker of the process pool."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from distributed.security import Security

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
POOLS = ROOT / "docs/work-pools"
KINDS = ("process", "docker", "kubernetes")
METADATA = files("prefect") / "server/api/collections_data/views/aggregate-worker-metadata.json"


def constants(official: object, ours: object, place: str = "") -> list[str]:
    """What Prefect's template for a kind of worker fixes, and ours lacks or has otherwise."""
    if isinstance(official, dict):
        lacking = [f"{place}.{key}" for key, value in official.items() if key not in ours and "{{" not in str(value)]
        return lacking + [wrong for key in official.keys() & ours for wrong in constants(official[key], ours[key], key)]
    if isinstance(official, list) and isinstance(ours, list):
        return [wrong for each, own in zip(official, ours, strict=True) for wrong in constants(each, own, place)]
    return [] if official == ours or "{{" in str(official) else [place]


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_sets_what_prefects_own_worker_knows_and_no_command(kind):
    template = json.loads((POOLS / f"{kind}.json").read_text())
    (official,) = [
        workers[kind]["default_base_job_configuration"]
        for workers in json.loads(METADATA.read_text()).values()
        if kind in workers
    ]
    config = template["job_configuration"]
    assert {*config} <= {*official["job_configuration"]}
    assert [] == constants(official["job_configuration"], config)
    assert not {"command", "env"} & {*config, *template["variables"]["properties"]}


def test_the_server_takes_the_templates_and_a_worker_of_the_process_pool_runs_the_flow(clone, server, write_params):
    checkout = clone(server)
    write_params(checkout.path / "params.yaml")
    for kind in KINDS:
        template = str(POOLS / f"{kind}.json")
        checkout.run("prefect", "work-pool", "create", kind, "--type", kind, "--base-job-template", template)
    written = (POOLS / "prefect.yaml").read_text()
    assert "/srv/heldout" in written
    own = checkout.path / "own.yaml"
    own.write_text(written.replace("/srv/heldout", str(checkout.path)))
    deploy = ("prefect", "--no-prompt", "deploy", "--prefect-file", str(own), "--name", "nightly-validation")
    deploy += ("--pool", "process", "--job-variable")
    refused = checkout.run(*deploy, "command=touch planted", check=False)
    assert refused.returncode, refused.stdout
    checkout.run(*deploy, f"checkout={checkout.path}")
    checkout.run("prefect", "deployment", "run", "validate/nightly-validation")
    said = checkout.run("prefect", "worker", "start", "--pool", "process", "--run-once")
    assert (checkout.path / "reports/selection.json").exists(), said.stdout + said.stderr
    assert not (checkout.path / "planted").exists()


@pytest.mark.skipif(shutil.which("sbatch") is None, reason="needs a Slurm whose jobs run on this machine")
def test_a_job_of_slurm_writes_the_bytes_of_a_local_run(clone, server, write_params, tmp_path):
    """Of a Slurm that runs; its scheduler and its workers know each other by certificates made here."""
    made, options = Security.temporary(), {"ca-file": str(tmp_path / "ca.pem")}
    (tmp_path / "ca.pem").write_text(made.tls_ca_file)
    (tmp_path / "cert").write_text(made.tls_client_cert)
    (tmp_path / "key").write_text(made.tls_client_key)
    for role in ("scheduler", "worker", "client"):
        options[role] = {name: str(tmp_path / name) for name in ("cert", "key")}
    (tmp_path / "distributed.yaml").write_text(json.dumps({"distributed": {"comm": {"tls": options}}}))
    local, checkout = clone(server), clone(server)
    for each in (local, checkout):
        write_params(each.path / "params.yaml")
        (each.path / ".cache").mkdir(mode=0o700, exist_ok=True)
    local.flow("validate")
    checkout = type(checkout)(checkout.path, {**checkout.own, "DASK_CONFIG": str(tmp_path)})
    submitted = checkout.run("sbatch", "--wait", "--ntasks", "2", "docs/work-pools/slurm.sh", check=False)
    said = "".join(path.read_text() for path in (checkout.path / ".cache").glob("slurm-*.txt"))
    assert not submitted.returncode, said
    assert "dask: " in said
    assert local.hashes() == checkout.hashes()
