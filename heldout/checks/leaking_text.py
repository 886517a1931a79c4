"""Columns of text that give the target away: the name of the class, a code in a few characters, or a number in it."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from heldout.checks import leakage
from heldout.checks.leakage import Leak
from heldout.findings import checks
from heldout.findings.words import percent

_NAMES_ITS_LABEL, _NAMES_ANOTHER, _SHORTEST_NAME = 0.95, 0.5, 3
_HEADER = re.compile(r"([A-Z][\w-]*):[ \t]")
_FEWEST_ROWS, _MOST_ROWS = 100, 5000  # to look for codes in; of a sample
_ROWS, _CHARACTERS = 1500, 300_000  # of the smaller sample in which codes are looked for
_SHORT = 100  # characters of a text whose every part of a word is looked at; of longer texts whole words are
_LONGEST_PART, _PARTS_KEPT, _PARTS_SHOWN = 5, 100, 3
_WORD = r"[^\W\d_]+|\d+"  # letters or digits
_NUMBER = r"(\d+(?:\.\d+)?)"
_NUMBERS = 3  # of a text, from its start


def of_texts(features: pd.DataFrame, target: pd.Series, names: Sequence[str], *, classes: bool) -> list[Leak]:
    """The columns of strings (`names`) that give the target away; one reason for each. `target` has no gaps."""
    if len(target) > _MOST_ROWS:
        rows = leakage.drawn_rows(len(target), _MOST_ROWS)
        target, features = target.iloc[rows], features.iloc[rows]
    leaks = []
    for name in names:
        texts = features[name].astype("object").where(features[name].notna(), "").astype(str)
        why = _names_class(texts, target) if classes else None
        why = why or _has_number(texts, target, classes=classes)
        why = why or (_has_code(texts, target) if classes else None)
        if why is not None:
            leaks.append(Leak((name,), why, code=checks.TEXT.code))
    return leaks


def _names_class(texts: pd.Series, target: pd.Series) -> str | None:
    """The name of each row's class occurs in its text, and those of other classes seldom."""
    labels = target.astype(str).str.lower()
    kinds = sorted(labels.unique())
    if not kinds or len(kinds) > 50 or any(len(kind) < _SHORTEST_NAME for kind in kinds):
        return None
    lower = texts.str.lower()
    holds = np.column_stack([lower.str.contains(kind, regex=False).to_numpy() for kind in kinds])
    is_label = labels.to_numpy()[:, None] == np.array(kinds)[None, :]
    if holds[is_label].mean() < _NAMES_ITS_LABEL or holds[~is_label].mean() > _NAMES_ANOTHER:
        return None
    why = f"the text of {percent(holds[is_label].mean())} of the rows contains the name of their class"
    return why + _header_that_names(texts, labels)


def _header_that_names(texts: pd.Series, labels: pd.Series) -> str:
    """The header lines, like `From:` in a message, in which the class occurs."""
    counts: dict[str, int] = {}
    for text, label in zip(texts, labels, strict=True):
        for line in text.split("\n\n", 1)[0].splitlines():
            header = _HEADER.match(line)
            if header and label in line.lower():
                counts[header[1]] = counts.get(header[1], 0) + 1
    most = [name for name, count in sorted(counts.items(), key=lambda item: -item[1]) if count >= 0.1 * len(texts)]
    return f" (header lines {', '.join(f'{name}:' for name in most[:4])})" if most else ""


def _has_code(texts: pd.Series, target: pd.Series) -> str | None:
    """A small tree, which asks for a few parts of words, predicts the class almost without error out of fold."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.feature_selection import SelectKBest, chi2
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    if len(texts) < _FEWEST_ROWS:
        return None
    length = max(1.0, float(texts.str.len().mean()))
    rows = max(leakage.ROWS_TO_BE_SURE, min(_ROWS, int(_CHARACTERS / min(length, 10 * _SHORT))))
    if len(texts) > rows:
        texts = texts.sample(rows, random_state=0)
    codes = pd.factorize(target.loc[texts.index])[0]
    parts = {"analyzer": "char_wb", "ngram_range": (1, _LONGEST_PART)}
    tree = make_pipeline(
        CountVectorizer(binary=True, min_df=2, **(parts if length <= _SHORT else {"token_pattern": _WORD})),
        SelectKBest(chi2, k="all"),
        DecisionTreeClassifier(max_leaf_nodes=leakage.leaves(codes), random_state=0),
    )
    starts = texts.str[: 10 * _SHORT]
    predicted = np.full(len(codes), -1)
    for trained, tested in leakage.folds(codes):
        try:
            words = tree[0].fit_transform(starts.iloc[trained])
        except ValueError:  # no part of a word occurs twice
            return None
        tree[1].set_params(k=min(_PARTS_KEPT, words.shape[1]))
        tree[2].fit(tree[1].fit_transform(words, codes[trained]).toarray(), codes[trained])
        predicted[tested] = tree[2].predict(tree[1].transform(tree[0].transform(starts.iloc[tested])).toarray())
        error, base = leakage.errors(predicted[tested], codes[tested])
        if error > 3 * leakage.SHARE_OF_BASE_ERROR * base:  # of one fold: no need for the others
            return None
    error, base = leakage.errors(predicted, codes)
    if error > leakage.SHARE_OF_BASE_ERROR * base:
        return None
    asked = tree[0].get_feature_names_out()[tree[1].get_support()]
    weights = tree[2].feature_importances_
    shown = [repr(str(asked[place]).strip()) for place in np.argsort(-weights, kind="stable") if weights[place] > 0]
    return (
        f"the parts {', '.join(shown[:_PARTS_SHOWN])} of its text predict the target; {leakage.measured(error, base)}"
    )


def _has_number(texts: pd.Series, target: pd.Series, *, classes: bool) -> str | None:
    """A number at the same place of each text alone predicts the target."""
    found = texts.str[: 10 * _SHORT].str.findall(_NUMBER)
    for place in range(_NUMBERS):
        numbers = pd.to_numeric(found.str[place], errors="coerce")
        if numbers.notna().mean() < leakage.ROWS_WITH_A_VALUE or numbers.nunique() < 2:
            return None
        column = numbers.to_frame(str(place))
        ease = leakage.OF_IDENTIFIERS if texts.is_unique else 1.0
        for leak in leakage.of_single_columns(column, target, classes=classes, ease=ease):
            if len(texts) >= _FEWEST_ROWS:
                return f"the number {place + 1} in its text follows the target; {leak.why}"
    return None
