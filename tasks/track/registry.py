"""The registered models of MLflow: versions, and which of them is the champion of a data source."""

import hashlib
import re
import shutil
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from heldout.errors import FitFailure
from heldout.printable import printable
from tasks.fits.model_process import Model
from tasks.outcome.items import DATA_HASH, NOTE
from tasks.params import Settings, own_modules
from tasks.params.allowed_imports import DEFAULT, PROJECT
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.track.changed import GIT_COMMIT
from tasks.track.data_source import source_in, source_of
from tasks.track.downloads import downloads
from tasks.track.stored_code import packed

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities.model_registry import ModelVersion
    from mlflow.models.model import ModelInfo

CHAMPION, CHALLENGER = "champion", "challenger"
SOURCE, BEFORE = "source", "champion_before"  # tags of a version: what it predicts, and the champion that it replaced
MODEL = "model.skops"  # MLflow's name for the file of a version
LEARNER = "learner"  # the tag of a version with the identity of its learner
SELECTED = "selected_model"  # the tag of a version, and of a validation, with the name of the winner
_REQUIRED = ("scikit-learn", "numpy", "scipy", "pandas", "skops")
_OF_MODEL = (DATA_HASH, GIT_COMMIT, SELECTED, "criterion", "verdict", "bound")  # tags of its run
_SAMPLE_ROWS = 100
_SLUG_LENGTH = 40
_NO_NAME, _NAME_LENGTH = re.compile("[/:.%\"']"), 80  # what the name of a model must not hold, as MLflow has it


@dataclass(frozen=True)
class Standing:
    """Where a data source stands under a registered name: the end of its aliases, and its champion, if it has one.

    The aliases of the source that came first under a name are `champion` and `challenger`; those of another source have
    its name at their end, since an alias is on one version only.
    """

    name: str
    source: str
    end: str
    champion: "ModelVersion | None"

    def alias(self, kind: str) -> str:
        """The name of an alias."""
        return f"{kind}{self.end}"

    def address(self, kind: str) -> str:
        """Where MLflow finds the version with an alias."""
        return f"models:/{self.name}@{self.alias(kind)}"


def sample() -> pd.DataFrame:
    """The first labelled rows: MLflow infers the types of inputs and output from them."""
    return files.read_table(files.LABELED)[0].head(_SAMPLE_ROWS)


def log_model(client: "MlflowClient", model: Model, rows: pd.DataFrame, run_id: str, candidate: str) -> "ModelInfo":
    """Log the model's file on a run, called like its candidate; `rows` are a sample of those that it is for.

    Raises UserError if the model does not answer them.
    """
    import mlflow

    try:
        answers = model.predict(rows)
    except FitFailure as failure:
        raise UserError(f"{model.path} does not answer the first labelled rows: {failure}") from None
    mlflow.set_experiment(experiment_id=client.get_run(run_id).info.experiment_id)  # where MLflow puts the model
    with downloads() as folder:
        code, packages = _needs(model.types, folder)  # which are known once the file is loaded
        info: ModelInfo = mlflow.models.Model.log(
            None,  # the name is its place
            _OfFile,
            name=_NO_NAME.sub("_", printable(candidate))[:_NAME_LENGTH],
            run_id=run_id,
            file=model.path,
            signature=mlflow.models.infer_signature(rows, answers),
            input_example=rows.head(1),
            validate_serving_input=False,  # which would load the file in this process
            skops_trusted_types=model.types,  # which were checked, in tasks/storage/trusted_types.py
            code_paths=[str(path) for path in code] or None,
            pip_requirements=[f"{package}=={version}" for package, version in packages.items()],
        )
    # MLflow gives the model the metrics of its run
    tags = client.get_run(run_id).data.tags
    client.set_logged_model_tags(info.model_id, {name: tags[name] for name in _OF_MODEL if name in tags})
    return info


def _needs(types: Sequence[str], folder: Path) -> tuple[list[Path], dict[str, str]]:
    """The code that no index has, and the versions of the packages, that load a model with classes of such `types`.

    The first is ours for our own classes, written below `folder`, and the modules of the user's that the model names or
    reaches.
    """
    modules = [name.rpartition(".")[0] for name in types if "." in name]
    tops = {module.partition(".")[0] for module in modules}
    found = own_modules.reached(*modules)
    code = own_modules.files_of(sorted({name.partition(".")[0] for name in found.own}))
    code += [packed(folder)] if PROJECT in tops else []
    known = {package: version(package) for package in _REQUIRED}
    by_default = [own_modules.versions(top) for top in sorted(tops & {*DEFAULT})]
    return code, dict(ChainMap(known, found.installed, *by_default))


class _OfFile:
    """What MLflow takes for the module of a kind of model: it saves one of scikit-learn that is in a file already."""

    @staticmethod
    def save_model(path: str, mlflow_model: Any, file: Path, **options: Any) -> None:
        """Save what `mlflow.sklearn` saves, with `file` in the place of its model, which is not loaded."""
        import mlflow.sklearn
        from sklearn.dummy import DummyClassifier

        del options["validate_serving_input"]  # which is MLflow's own
        mlflow.sklearn.save_model(
            DummyClassifier(), path, mlflow_model=mlflow_model, serialization_format="skops", **options
        )
        mlflow_model.model_size_bytes += file.stat().st_size - Path(path, MODEL).stat().st_size
        shutil.copyfile(file, Path(path, MODEL))
        mlflow_model.save(str(Path(path, "MLmodel")))


def register(client: "MlflowClient", name: str, info: "ModelInfo", tags: Mapping[str, str]) -> str:
    """Register a logged model as the next version of `name`, described by the note of its run; returns the version."""
    from mlflow.exceptions import MlflowException
    from mlflow.protos.databricks_pb2 import RESOURCE_ALREADY_EXISTS, ErrorCode

    try:  # without asking first: another run may have registered it since
        client.create_registered_model(name)
    except MlflowException as error:
        if error.error_code != ErrorCode.Name(RESOURCE_ALREADY_EXISTS):
            raise
    note = client.get_run(info.run_id).data.tags.get(NOTE)
    made = client.create_model_version(
        name, info.model_uri, info.run_id, tags=dict(tags), description=note, model_id=info.model_id
    )
    return str(made.version)


def standing(client: "MlflowClient", settings: Settings) -> Standing:
    """Where the data source of the parameters stands under its registered name."""
    name, source = settings.registered_model, source_of(settings)
    aliases = client.get_registered_model(name).aliases if _is_registered(client, name) else {}
    end = f"-{slug(settings.data.source)}-{hashlib.sha256(source.encode()).hexdigest()[:6]}"
    versions = {alias: client.get_model_version(name, str(number)) for alias, number in aliases.items()}
    if f"{CHAMPION}{end}" not in versions and (
        CHAMPION not in versions or _source_of(client, versions[CHAMPION]) == source
    ):
        end = ""
    return Standing(name, source, end, versions.get(f"{CHAMPION}{end}"))


def _is_registered(client: "MlflowClient", name: str) -> bool:
    return bool(client.search_registered_models(f"name = '{name}'"))


def _source_of(client: "MlflowClient", registered: "ModelVersion") -> str:
    """The source of a version; of one that a person registered by hand, from its run."""
    from mlflow.exceptions import MlflowException

    if SOURCE in registered.tags:
        return str(registered.tags[SOURCE])
    try:
        return source_in(client.get_run(str(registered.run_id)).data.params)
    except MlflowException:  # the run was deleted
        return ""


def slug(text: str) -> str:
    """Letters and digits of a text, for an alias or a folder."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[-_SLUG_LENGTH:].strip("-")
