"""Model files that were changed by somebody: each names types that are trusted, and its numbers lead astray."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import skops.io
from scipy import sparse
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier


def unpacked(data: bytes) -> dict[str, bytes]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: dict[str, bytes]) -> bytes:
    """The archive of them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def npy(array: np.ndarray) -> bytes:
    """An array in NumPy's format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def with_arrays(model: object, change: Callable[[np.ndarray], np.ndarray | None]) -> bytes:
    """The file of `model`, with what `change` makes of its first array that is not left as it is."""
    members = unpacked(skops.io.dumps(model))
    for name in sorted(members):
        if name.endswith(".npy"):
            changed = change(np.load(io.BytesIO(members[name])))
            if changed is not None:
                return packed(members | {name: npy(changed)})
    raise AssertionError("no array was changed")


def with_field(model: object, field: str, place: int, value: float) -> bytes:
    """The file of `model`, with another value in a field of the nodes of its first tree."""

    def change(array):
        if array.dtype.names is None or field not in array.dtype.names:
            return None
        array[field][place] = value
        return array

    return with_arrays(model, change)


def bomb(megabytes: int, times: int) -> bytes:
    """A small file that unpacks to `megabytes`, so many times."""
    model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    members = unpacked(skops.io.dumps(model))
    schema = json.loads(members["schema.json"])
    node = schema["content"]["content"]["theta_"]
    parts = [{**node, "file": "zeros.npy", "__id__": 10**6 + number} for number in range(times)]
    schema["content"]["content"]["more_"] = {
        "__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": parts, "__id__": 999
    }  # fmt: skip
    zeros = npy(np.zeros(megabytes * 125_000))
    return packed(members | {"schema.json": json.dumps(schema).encode(), "zeros.npy": zeros})


def nested(depth: int) -> bytes:
    """A list in a list, so deep."""
    members = unpacked(skops.io.dumps(GaussianNB().fit([[0.0], [1.0]], [0, 1])))
    head = '{"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": ['
    deep = head * depth + "]}" * depth
    text = members["schema.json"].decode().replace('"protocol"', f'"deep": {deep}, "protocol"', 1)
    return packed(members | {"schema.json": text.encode()})


def sparse_bomb(megabytes: int) -> bytes:
    """An archive in an archive: a matrix of zeros, with its indices."""
    learner = SVC(kernel="linear").fit(sparse.csr_matrix(np.eye(4)), [0, 1, 0, 1])
    learner.more_ = sparse.csr_matrix(np.eye(4))
    members = unpacked(skops.io.dumps(learner))
    huge, buffer = sparse.csr_matrix((2, megabytes * 125_000 + 1)), io.BytesIO()
    huge.data, huge.indices = np.zeros(megabytes * 125_000), np.zeros(megabytes * 125_000, np.int32)
    huge.indptr = np.array([0, megabytes * 125_000, megabytes * 125_000], np.int32)
    sparse.save_npz(buffer, huge)
    name = next(name for name in members if name.endswith(".npz"))
    return packed(members | {name: buffer.getvalue()})


def models(X: pd.DataFrame, y: np.ndarray) -> dict[str, Callable[[], bytes]]:
    """Files that are refused when they are loaded, by what is wrong with them. y has the classes 0 and 1."""
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    nearest = KNeighborsClassifier(algorithm="kd_tree", leaf_size=2).fit(X, y)
    support = SVC(random_state=0).fit(X, y)
    boosted = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(X, y)
    bagged = BaggingClassifier(n_estimators=2, max_features=1, random_state=0).fit(X, y)

    def last(array):  # of the rows that a neighbour tree numbers
        if array.dtype != np.int64 or len(array) != len(X) or set(array.tolist()) != {*range(len(X))}:
            return None
        array[-1] = 10**8
        return array

    def of_support(array):
        if array.dtype != np.int32 or array.ndim != 1 or array.tolist() != support._n_support.tolist():
            return None
        return array + 10**6

    def of_features(array):
        if array.dtype.kind != "i" or array.shape != (1,) or array[0] >= X.shape[1]:
            return None
        return array + 10**8

    def of_labels(array):
        if array.dtype.kind != "i" or array.tolist() != y.tolist():
            return None
        return array + 10**8

    wrong_sparse = SVC(kernel="linear").fit(sparse.csr_matrix(X.to_numpy()), y)
    wrong_sparse.support_vectors_.indices[0] = 10**6

    return {
        "a cycle": lambda: with_field(tree, "left_child", 0, 0),
        "a child beyond the end": lambda: with_field(tree, "right_child", 0, 10**8),
        "a feature beyond the end": lambda: with_field(tree, "feature", 0, 10**8),
        "a cycle in a forest": lambda: with_field(forest, "left_child", 0, 0),
        "a cycle in a boosted tree": lambda: with_field(boosted, "left", 0, 0),
        "a feature beyond the end in a boosted tree": lambda: with_field(boosted, "feature_idx", 0, 10**8),
        "a set of categories beyond the end": lambda: with_field(boosted, "is_categorical", 0, 1),
        "a neighbour beyond the end": lambda: with_arrays(nearest, last),
        "a node of neighbours beyond the end": lambda: with_field(nearest, "idx_end", 0, 10**8),
        "a last node of neighbours that is no leaf": lambda: with_field(nearest, "is_leaf", -1, 0),
        "neighbours of other classes": lambda: with_arrays(nearest, of_labels),
        "more support vectors than there are": lambda: with_arrays(support, of_support),
        "indices of a sparse matrix": lambda: skops.io.dumps(wrong_sparse),
        "features that the rows have not": lambda: with_arrays(bagged, of_features),
        "the same file many times": lambda: bomb(50, 40),
        "an archive in an archive": lambda: sparse_bomb(200),
        "deep lists": lambda: nested(100_000),
    }


def endless() -> bytes:
    """A model as it should be, whose pattern needs more steps for `a…a!` than there is time, with Python's lock."""
    words = make_pipeline(CountVectorizer(token_pattern=r"(?:a+)+$"), LogisticRegression())
    return skops.io.dumps(words.fit(["a", "aa"], [0, 1]))


def write(path: Path, data: bytes) -> Path:
    """Write a file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
