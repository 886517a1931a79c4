"""Files that somebody else left in the checkout: what would run a program is not read by any command."""

import dataclasses
import io
import json
import os
import pickle
import zipfile

import pytest

pytestmark = [pytest.mark.long, pytest.mark.fault("hostile")]


class Runs:
    """A pickle that runs a program when it is read."""

    def __init__(self, program: str) -> None:
        self.program = program

    def __reduce__(self):
        return os.system, (self.program,)


def with_call(model: bytes, program: list[str]) -> bytes:
    """A model file that calls subprocess.Popen when its types are trusted."""
    words = [
        {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(word)}
        for word in program
    ]
    line = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": words}
    arguments = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": [line]}
    call = {"__class__": "Popen", "__module__": "subprocess", "__loader__": "ConstructorFromReduceNode"}
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
    model, ran = checkout.path / "models/selected.skops", tmp_path / "ran"
    honest = model.read_bytes()

    model.write_bytes(with_call(honest, ["touch", str(ran)]))
    refused = checkout.flow("report", check=False)
    assert 2 == refused.returncode
    assert "subprocess.Popen" in refused.stderr
    assert "Traceback" not in refused.stderr

    for path in (checkout.path / ".cache/tasks").rglob("*.hypothesis"):
        path.write_bytes(pickle.dumps(Runs(f"touch {ran}")))
    model.unlink()
    chosen = checkout.flow("select")
    assert "damaged or not of this checkout" in chosen.stdout + chosen.stderr
    assert honest == model.read_bytes()
    assert not ran.exists()
