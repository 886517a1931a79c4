"""The eight tasks of Madani, Pennock and Flake (2004): rows with features of at least 0 and length 1, and two classes.

Text: which words a document has (of two letters or digits at least, in three documents at least, without stop words);
the paper has stems, up to three words in a row, and counts. Messages of newsgroups are without their headers, which
give the label away; quotations stay, and so do the 201 messages that were sent to two of the groups of religion.
Reuters: our ten topics have 9,035 documents, the paper's 9,410; earn and acq have as many as there. Votes, chess
and adult: a feature for each answer, where `?` is an answer too; of adult also the numbers from 0 to 1, without the
sampling weight. Optics: its test set, which scikit-learn ships as digits (1,797 rows; the paper has 1,800).
That rows have length 1 is said of the text alone in the paper; here it is so everywhere.
"""

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn import datasets
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import minmax_scale, normalize

LEAST_DOCUMENTS = 3  # that have a word
_TEXTS = {  # file below the folder, column of the label, value of class 1, whether the text begins with headers
    "baseball": ("news20_baseball_hockey/news20_baseball_hockey.parquet", "label", "rec.sport.baseball", True),
    "religion": ("news20_religion/news20_religion.parquet", "label", "alt.atheism", True),
    "earn": ("reuters_top10/reuters_modapte_top10.parquet", "is_earn", 1, False),
    "acq": ("reuters_top10/reuters_modapte_top10.parquet", "is_acq", 1, False),
}
_TABLES = {
    "votes": ("votes/house_votes_84.csv", "party", "democrat"),
    "chess": ("chess_kr_vs_kp/kr_vs_kp.csv", "class", "won"),
    "adult": ("adult/adult_train.parquet", "income", ">50K"),
}
NAMES = (*_TEXTS, *_TABLES, "digit 1")
SHIPPED = ("digit 1", "cancer")  # for the quick forms


@dataclass(frozen=True, eq=False)
class Task:
    """Rows of length 1, shape (N, p), sparse or not, and their two classes, shape (N,)."""

    X: csr_array | NDArray[np.float64]
    y: NDArray[np.bool_]

    def products(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The scalar product of each row with each of `rows`, shape (N, len(rows)), at least 0."""
        other = self.X[rows]
        if isinstance(other, np.ndarray):
            return np.asarray(self.X @ other.T)
        return np.asarray(self.X @ np.ascontiguousarray(other.toarray().T))


@functools.cache
def load(name: str, data: Path | None) -> Task:
    """The task of that name, from the folder of the real data sets or from scikit-learn."""
    X, positive = _read(name, data)
    return Task(normalize(X), positive)


def _read(name: str, data: Path | None) -> tuple[csr_array | NDArray[np.float64], NDArray[np.bool_]]:
    if name in SHIPPED:
        X, y = (datasets.load_digits if name == "digit 1" else datasets.load_breast_cancer)(return_X_y=True)
        return minmax_scale(X), y == 1
    if data is None:
        raise ValueError(f"the task {name} needs the folder of the real data sets")
    if name in _TEXTS:
        file, label, positive, headers = _TEXTS[name]
        table = pd.read_parquet(data / file)
        texts = [text.split("\n\n", 1)[-1] if headers else text for text in table["text"]]
        words = CountVectorizer(binary=True, stop_words="english", min_df=LEAST_DOCUMENTS, dtype=np.float64)
        return csr_array(words.fit_transform(texts)), (table[label] == positive).to_numpy()
    file, label, positive = _TABLES[name]
    table = pd.read_parquet(data / file) if file.endswith("parquet") else pd.read_csv(data / file, dtype=str)
    features = table.drop(columns=[label, "fnlwgt"], errors="ignore")
    numbers = features.select_dtypes("number")
    answers = pd.get_dummies(features.drop(columns=numbers.columns), dtype=float).to_numpy()
    scaled = [minmax_scale(numbers)] if len(numbers.columns) else []
    return np.hstack([answers, *scaled]), (table[label] == positive).to_numpy()
