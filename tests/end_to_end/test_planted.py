"""Files that somebody else left in the checkout: no command reads a pickle or makes an object of a type on no list."""

import dataclasses
import io
import json
import pickle
import zipfile

import pytest

pytestmark = [pytest.mark.long, pytest.mark.fault("hostile")]


def with_call(model: bytes) -> bytes:
    """A model file that calls a class which is on no list of ours."""
    one = {"__class__": "int", "__module__": "builtins", "__loader__": "JsonNode", "content": "1"}
    arguments = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": [one]}
    call = {"__class__": "Fraction", "__module__": "fractions", "__loader__": "ConstructorFromReduceNode"}
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(model)) as read, zipfile.ZipFile(buffer, "w") as written:
        for name in read.namelist():
            schema = json.loads(read.read(name)) if name == "schema.json" else {}
            if schema:
                schema["content"]["content"]["planted"] = {**call, "content": arguments}
            written.writestr(name, json.dumps(schema) if schema else read.read(name))
    return buffer.getvalue()


def test_a_planted_model_is_refused_and_planted_fits_are_made_again(reproduced, server, tmp_path):
    known = {"PREFECT_API_URL": server.url, "PREFECT_API_AUTH_STRING": server.secret}
    checkout = dataclasses.replace(reproduced.copy(tmp_path / "heldout"), own=known)
    model = checkout.path / "models/selected.skops"
    honest = model.read_bytes()

    model.write_bytes(with_call(honest))
    refused = checkout.flow("report", check=False)
    assert 2 == refused.returncode
    assert "fractions.Fraction" in refused.stderr
    assert "Traceback" not in refused.stderr

    for path in (checkout.path / ".cache/tasks").rglob("*.hypothesis"):
        path.write_bytes(pickle.dumps("planted"))
    model.unlink()
    chosen = checkout.flow("select")
    assert "damaged or not of this checkout" in chosen.stdout + chosen.stderr
    assert honest == model.read_bytes()
