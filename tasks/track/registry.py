"""The models of MLflow: every run logs its winner; a run that may promote registers it as the champion."""

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.storage import files

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.models.model import ModelInfo

_REQUIRED = ("scikit-learn", "numpy", "scipy", "pandas", "skops")
_SAMPLE_ROWS = 100  # from which MLflow infers the types of inputs and output


def log_model(model: Any) -> "ModelInfo":
    """Log the model on the active run."""
    import mlflow
    import mlflow.sklearn
    from skops.io import dumps, get_untrusted_types

    import heldout

    X, _ = files.read_table(files.LABELED)
    sample = X.head(_SAMPLE_ROWS)
    info: ModelInfo = mlflow.sklearn.log_model(
        model,
        name="model",
        signature=mlflow.models.infer_signature(sample, model.predict(sample)),
        input_example=X.head(1),
        serialization_format="skops",
        # the types of a model that this run has loaded: they were checked, in tasks/storage/trusted_types.py
        skops_trusted_types=get_untrusted_types(data=dumps(model)),
        # a drawn hypothesis or a family is loaded by the science's own classes
        code_paths=[str(Path(heldout.__file__).parent)],
        pip_requirements=[f"{package}=={version(package)}" for package in _REQUIRED],
    )
    return info


def register(client: "MlflowClient", name: str, info: "ModelInfo") -> str:
    """Register a logged model as the next version of `name`, which becomes the champion; returns its address."""
    if not client.search_registered_models(f"name = '{name}'"):
        client.create_registered_model(name)
    registered = client.create_model_version(name, info.model_uri, info.run_id, model_id=info.model_id)
    client.set_registered_model_alias(name, "champion", registered.version)
    return f"models:/{name}@champion"
