"""Which types a model file may name: a skops file builds an object of any type that its reader trusts.

Trusted are classes of learners and of what their fits hold, and functions of numbers alone: decision 24. skops checks
the names; here, also that each is built in the way in which such an object is saved, since skops calls some of them.
"""

import importlib
import re
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from tasks.params import allowed_imports, boosting
from tasks.runtime.errors import UserError

_OLDEST_PROTOCOL = 2  # earlier readers of skops check less
# what the fits of scikit-learn's learners hold, next to estimators
_PARTS = re.compile(
    r"sklearn\.(_loss\.(link|loss)|calibration|cluster\._bisect_k_means|compose\._column_transformer"
    r"|ensemble\._hist_gradient_boosting\.(binning|predictor)|gaussian_process\.(kernels|_gpc)"
    r"|metrics\._(dist_metrics|scorer)|model_selection\._split|neighbors\._(ball|kd)_tree"
    r"|neural_network\._stochastic_optimizers|utils\._metadata_requests)\.\w+"
)
_OTHERS = ("lightgbm.basic.Booster", "scipy.interpolate._bsplines.BSpline", "xgboost.core.Booster")
_FUNCTIONS = re.compile(
    r"heldout\.preprocessing\.\w+|numpy\.(mean|median|min|max)|scipy\._lib\.array_api_compat\.numpy\._aliases\.asarray"
    r"|sklearn\.cluster\._kmeans\._kmeans_single_\w+|sklearn\.metrics\._(classification|ranking|regression)\.\w+"
    r"|sklearn\.feature_selection\._(univariate_selection|mutual_info)\.\w+|sklearn\.utils\.validation\.check_array"
)
# modules of element-wise functions: no other module is imported to see whether a name is such a function
_ELEMENT_WISE = re.compile(r"(numpy|scipy\.special(\._ufuncs)?)\.\w+")
_SCALARS = "|".join(
    name for name in dir(np) if isinstance(found := getattr(np, name), type) and issubclass(found, np.generic)
)
# the names that each reader of skops may be given: the others are refused, as they call functions, methods or classes
_BY_READER = {
    "BytearrayNode": re.compile(r"builtins\.bytearray"),
    "BytesNode": re.compile(r"builtins\.bytes"),
    "DTypeNode": re.compile(r"numpy\.dtype"),
    "DefaultDictNode": re.compile(r"collections\.defaultdict"),
    "DictNode": re.compile(r"builtins\.dict|collections\.OrderedDict|sklearn\.utils\._bunch\.Bunch"),
    "JsonNode": re.compile(".*"),  # it makes plain values, whatever it names
    "ListNode": re.compile(r"builtins\.list"),
    "LossNode": re.compile(r"sklearn\.(_loss\._loss|linear_model\._sgd_fast)\.\w+"),
    "MaskedArrayNode": re.compile(r"numpy\.ma(\.core)?\.MaskedArray"),
    "NdArrayNode": re.compile(rf"numpy\.(ndarray|{_SCALARS})"),
    "PartialNode": re.compile(r"functools\.partial"),  # of the function below alone
    "RandomGeneratorNode": re.compile(r"numpy\.random\._generator\.Generator"),
    "RandomStateNode": re.compile(r"numpy\.random\.mtrand\.RandomState"),
    "SetNode": re.compile(r"builtins\.set"),
    "SliceNode": re.compile(r"builtins\.slice"),
    "SparseMatrixNode": re.compile(r"scipy\.sparse\._\w+\.\w+_(array|matrix)"),
    "TreeNode": re.compile(r"sklearn\.tree\._tree\.Tree"),
    "TupleNode": re.compile(r"builtins\.tuple"),
    "TypeNode": re.compile(
        rf"builtins\.(bool|dict|float|int|list|set|str|tuple)|collections\.OrderedDict|numpy\.({_SCALARS})"
    ),
}
_CHECK = "sklearn.utils.validation.check_array"  # which boosting by histograms has with its own arguments
_TRUSTED_BY_SKOPS = ("JsonNode", "LossNode")  # which has its own list of losses


def trusted_types(schema: dict[str, Any], modules: Collection[str]) -> list[str]:
    """The names in a file's schema, all of which may be trusted.

    Classes of `modules`, which the user named in execution.allowed_modules, are trusted too.
    Raises UserError for the first name that may not.
    """
    if schema["protocol"] < _OLDEST_PROTOCOL:
        raise UserError(f"is of skops protocol {schema['protocol']}; at least {_OLDEST_PROTOCOL} is needed")
    names = {(str(node.get("__loader__")), _name(node)) for node in _nodes(schema)}
    partial = {("PartialNode", _function(node)) for node in _nodes(schema) if node.get("__loader__") == "PartialNode"}
    for reader, name in sorted(names | partial):
        if (reader, name) != ("PartialNode", _CHECK) and not _may_be_read(reader, name, modules):
            raise UserError(
                f"names {name} (read by {reader}), which is not trusted: it can run code. Trusted are learners of "
                "scikit-learn, LightGBM and XGBoost, and classes of the other modules in execution.allowed_modules"
            )
    return sorted(name for reader, name in names if reader not in _TRUSTED_BY_SKOPS)


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a schema that describes an object."""
    if isinstance(schema, dict) and ("__loader__" in schema or "__class__" in schema):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _nodes(part)


def _name(node: dict[str, Any]) -> str:
    return f"{node.get('__module__')}.{node.get('__class__')}"


def _function(node: dict[str, Any]) -> str:
    """The name of the function of a partial function."""
    content = node.get("content")
    function = content.get("func") if isinstance(content, dict) else None
    return _name(function) if isinstance(function, dict) else "no function"


def _may_be_read(reader: str, name: str, modules: Collection[str]) -> bool:
    if reader == "ObjectNode":
        return _is_class(name, modules)
    if reader == "FunctionNode":
        return _is_function(name)
    return reader in _BY_READER and bool(_BY_READER[reader].fullmatch(name))


def _is_class(name: str, modules: Collection[str]) -> bool:
    """Whether it is a class whose objects may be made without a call of it: a learner, or what its fit holds."""
    module, _, _ = name.rpartition(".")
    own = [each for each in modules if each.partition(".")[0] not in allowed_imports.DEFAULT]
    if name in (*_OTHERS, *boosting.CLASSES):
        return True
    if not (module.startswith(("heldout.", "sklearn.")) or allowed_imports.is_inside(module, own)):
        return False
    found = _found(name)
    if not isinstance(found, type) or found.__module__ != module:
        return False
    if module.startswith("sklearn."):
        from sklearn.base import BaseEstimator

        return bool(_PARTS.fullmatch(name)) or issubclass(found, BaseEstimator)
    return True


def _is_function(name: str) -> bool:
    """Whether it is a function of numbers alone: a listed function, or an element-wise function of NumPy or SciPy."""
    if _FUNCTIONS.fullmatch(name):
        return getattr(_found(name), "__module__", None) == name.rpartition(".")[0]
    return bool(_ELEMENT_WISE.fullmatch(name)) and isinstance(_found(name), np.ufunc)


def _found(name: str) -> Any:
    module, _, last = name.rpartition(".")
    if not all(part.isidentifier() for part in name.split(".")) or set(module.split(".")) & {"tests", "conftest"}:
        return None
    try:
        return getattr(importlib.import_module(module), last, None)
    except ImportError:
        return None
