"""The numbers of a model file by which compiled code finds its way without looking: checked before it does.

scikit-learn's trees, neighbour trees and support vectors are arrays in a file, and predictions follow the indices in
these arrays without a check: a cycle never ends, an index beyond the end reads other memory. Tried with scikit-learn
1.9.1: with a cycle in a tree no prediction ended, nor did Ctrl-C end it; a number of a feature or of a neighbour's row
far beyond the end ended the process with SIGSEGV. What is not checked here can end the process that predicts, no more:
`tasks/fits/model_process.py`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.runtime.errors import UserError

_LEAF = -1
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), type, np.generic, np.dtype)
# they hand their rows to their trees as they are
_ENSEMBLES = ("_forest", "_gb", "_iforest", "_bagging", "_weight_boosting")


def check(model: Any) -> None:
    """Raise UserError for the first part of `model` whose indices lead out of their arrays, or never end."""
    seen: dict[int, Any] = {}  # the parts themselves: an id is that of one part as long as that lives
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _PLAIN) or id(part) in seen:
            continue
        seen[id(part)] = part
        for base in type(part).__mro__:
            if checked := _CHECKS.get(f"{base.__module__}.{base.__qualname__}"):
                checked(part)
        _ensemble(part)
        waiting += _parts(part)


def _parts(part: Any) -> Iterator[Any]:
    """What a part of a model holds."""
    if isinstance(part, dict):
        yield from part.keys()
        yield from part.values()
    elif isinstance(part, list | tuple | set | frozenset):
        yield from part
    elif isinstance(part, np.ndarray):
        if part.dtype.hasobject:
            yield from part.ravel().tolist()
    else:
        yield from getattr(part, "__dict__", {}).values()


def _tree(tree: Any) -> None:
    nodes = tree.node_count
    if not 0 < nodes <= tree.capacity:  # before its arrays are looked at
        raise UserError(f"has a tree of {nodes} nodes, with {tree.capacity} in its file")
    left, right = tree.children_left, tree.children_right
    inner = left != _LEAF
    if (inner != (right != _LEAF)).any():
        raise UserError("has a tree in which a node has one child alone")
    _forward("a tree", np.flatnonzero(inner), (left[inner], right[inner]), nodes)
    _inside("a tree that asks for feature", tree.feature[inner], tree.n_features)
    if len(tree.n_classes) != tree.n_outputs or tree.max_n_classes != tree.n_classes.max(initial=0):
        raise UserError("has a tree with other classes than its numbers are for")


def _boosted_tree(tree: Any) -> None:
    nodes = tree.nodes
    inner = nodes["is_leaf"] == 0
    _forward("a tree", np.flatnonzero(inner), (nodes["left"][inner], nodes["right"][inner]), len(nodes))
    sets = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    if tree.raw_left_cat_bitsets.ndim != 2 or (len(sets) and tree.raw_left_cat_bitsets.shape[1] != 8):
        raise UserError("has a tree with sets of categories of another shape")
    _inside("a tree that asks for the set of categories", sets, len(tree.raw_left_cat_bitsets))


def _boosting(learner: Any) -> None:
    for tree in _flat(vars(learner).get("_predictors", ())):
        inner = tree.nodes["is_leaf"] == 0
        _inside("a tree that asks for feature", tree.nodes["feature_idx"][inner], learner.n_features_in_)


def _ensemble(learner: Any) -> None:
    """The trees of an ensemble ask for features that its rows have, or for those that it hands to them."""
    held = getattr(learner, "__dict__", {})
    if "tree_" in held and "n_features_in_" in held:
        _same_width(held["tree_"], held["n_features_in_"])
    bases = type(learner).__mro__
    if "estimators_" not in held or not any(
        base.__module__ == f"sklearn.ensemble.{name}" for base in bases for name in _ENSEMBLES
    ):
        return
    members, width = list(_flat(held["estimators_"])), held["n_features_in_"]
    features = held.get("estimators_features_")
    for place, member in enumerate(members):
        if features is not None:
            _inside("a tree that is handed feature", np.asarray(features[place]), width)
        if "tree_" in vars(member):
            _same_width(vars(member)["tree_"], width if features is None else len(features[place]))


def _neighbors(tree: Any) -> None:
    data, order, nodes, bounds, _, _, count, *_ = tree.__getstate__()
    rows, width = data.shape
    if len(order) != rows or len(nodes) != count or bounds.shape[1:] != (count, width):
        raise UserError("has a tree of neighbours with arrays of different lengths")
    _inside("a tree of neighbours that asks for row", order, rows)
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    _inside("a tree of neighbours that asks for node", 2 * inner + 2, count)
    if ((nodes["idx_start"] < 0) | (nodes["idx_start"] > nodes["idx_end"]) | (nodes["idx_end"] > rows)).any():
        raise UserError(f"has a tree of neighbours with a node that begins or ends outside of its {rows} rows")


def _neighbor_classes(learner: Any) -> None:
    held = vars(learner)
    if "_y" in held and "classes_" in held:
        codes = np.asarray(held["_y"])
        classes = held["classes_"] if held.get("outputs_2d_") else [held["classes_"]]
        for column, known in zip(codes.reshape(len(codes), -1).T, classes, strict=True):
            _inside("neighbours of class", column, len(known))


def _support_vectors(learner: Any) -> None:
    held = vars(learner)
    if "support_" not in held:
        return
    vectors, support, dual = held["support_vectors_"], held["support_"], held["_dual_coef_"]
    number = len(support)
    _inside("support vectors of row", support, held["shape_fit_"][0])
    classifies, classes = "classes_" in held, len(held.get("classes_", ()))
    if classifies and (len(held["_n_support"]) != classes or held["_n_support"].sum() != number):
        raise UserError(f"has {number} support vectors, of which its classes have {held['_n_support'].tolist()}")
    pairs = classes * (classes - 1) // 2 if classifies else 1
    precomputed = held["kernel"] == "precomputed"
    shapes = {
        "support vectors": (vectors.shape, vectors.shape if precomputed else (number, held["n_features_in_"])),
        "coefficients": (dual.shape, (classes - 1 if classifies else 1, number)),
        "intercepts": (held["_intercept_"].shape, (pairs,)),
    }
    for name in ("_probA", "_probB"):
        if len(held[name]):
            shapes[name] = (held[name].shape, (pairs if classifies else 1,))
    for name, (found, wanted) in shapes.items():
        if found != wanted:
            raise UserError(f"has support vectors with {name} of shape {found}, not {wanted}")


def _sparse(matrix: Any) -> None:
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)  # a ValueError says what is wrong
    elif matrix.format == "coo":
        for indices, size in zip(matrix.coords, matrix.shape, strict=True):
            _inside("a sparse matrix with index", indices, size)


def _spline(spline: Any) -> None:
    type(spline)(spline.t, spline.c, spline.k, spline.extrapolate, spline.axis)  # a ValueError says what is wrong


def _forward(what: str, nodes: NDArray[Any], children: tuple[NDArray[Any], NDArray[Any]], count: int) -> None:
    """Children come after their parents, as each builder of trees numbers them: so every way ends."""
    for of_side in children:
        wrong = (of_side <= nodes) | (of_side >= count)
        if wrong.any():
            place = np.flatnonzero(wrong)[0]
            raise UserError(
                f"has {what} of {count} nodes in which node {nodes[place]} leads to node {of_side[place]}: its "
                "predictions would not end, or would read other memory"
            )


def _inside(what: str, indices: NDArray[Any], count: int) -> None:
    wrong = (indices < 0) | (indices >= count)
    if wrong.any():
        raise UserError(f"has {what} {indices[wrong].ravel()[0]}, and there are {count}")


def _same_width(tree: Any, width: int) -> None:
    if tree.n_features != width:
        raise UserError(f"has a tree of {tree.n_features} features in a learner of {width}")


def _flat(members: Any) -> Iterator[Any]:
    for member in members:
        yield from _flat(member) if isinstance(member, list | np.ndarray) else [member]


_CHECKS: dict[str, Callable[[Any], None]] = {
    "sklearn.tree._tree.Tree": _tree,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _boosted_tree,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.BaseHistGradientBoosting": _boosting,
    "sklearn.neighbors._kd_tree.BinaryTree64": _neighbors,
    "sklearn.neighbors._kd_tree.BinaryTree32": _neighbors,
    "sklearn.neighbors._ball_tree.BinaryTree64": _neighbors,
    "sklearn.neighbors._ball_tree.BinaryTree32": _neighbors,
    "sklearn.neighbors._classification.KNeighborsClassifier": _neighbor_classes,
    "sklearn.neighbors._classification.RadiusNeighborsClassifier": _neighbor_classes,
    "sklearn.svm._base.BaseLibSVM": _support_vectors,
    "scipy.sparse._base._spbase": _sparse,
    "scipy.interpolate._bsplines.BSpline": _spline,
}
