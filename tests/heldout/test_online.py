"""One pass of partial_fit as a learner like any other."""

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neural_network import BernoulliRBM
from sklearn.svm import SVC

from heldout.errors import BadArgument
from heldout.learners import gives_probabilities, open_random_states, seeded
from heldout.learners.tree_cv import BLOCK
from heldout.online import OnePass
from heldout.splits.weights import fit_argument

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 3))
y = np.where(X[:, 0] + RNG.normal(size=80) > 0, "won", "lost")
numbers = X @ [1.0, -1.0, 0.5]
SGD = SGDClassifier(random_state=0, loss="log_loss")


def test_a_fit_is_one_call_of_partial_fit_for_each_block_of_rows_in_their_order():
    n = 2 * BLOCK + 7
    rows, labels = RNG.normal(size=(n, 2)), RNG.integers(0, 2, n)
    plain = clone(SGD)
    for first in range(0, n, BLOCK):
        plain.partial_fit(rows[first : first + BLOCK], labels[first : first + BLOCK], classes=[0, 1])
    np.testing.assert_array_equal(plain.coef_, OnePass(SGD).fit(rows, labels).hypothesis_.coef_)


def test_it_is_another_learner_than_its_refit_where_the_order_of_updates_matters():
    assert not np.array_equal(SGD.fit(X, y).coef_, OnePass(SGD).fit(X, y).hypothesis_.coef_)


def test_and_the_same_where_rows_are_counted():
    counts = RNG.integers(0, 5, size=(80, 3))
    once, refit = OnePass(MultinomialNB()).fit(counts, y), MultinomialNB().fit(counts, y)
    np.testing.assert_array_equal(refit.predict_proba(counts), once.predict_proba(counts))


@pytest.mark.parametrize(
    "rows", [X, pd.DataFrame(X, columns=list("abc")), csr_matrix(X)], ids=lambda x: type(x).__name__
)
def test_rows_may_be_an_array_a_table_or_sparse(rows):
    fitted = OnePass(SGD).fit(rows, y)
    assert ["lost", "won"] == fitted.classes_.tolist()
    np.testing.assert_array_equal(fitted.hypothesis_.predict(rows), fitted.predict(rows))
    np.testing.assert_array_equal(fitted.hypothesis_.predict_proba(rows), fitted.predict_proba(rows))


def test_a_fit_starts_again_and_leaves_the_estimator_alone():
    learner = OnePass(clone(SGD))
    first = learner.fit(X, y).hypothesis_.coef_
    np.testing.assert_array_equal(first, learner.fit(X, y).hypothesis_.coef_)
    assert not hasattr(learner.estimator, "coef_")
    with pytest.raises(NotFittedError):
        clone(learner).predict(X)


def test_weights_go_to_the_updates():
    weights = RNG.integers(0, 4, 80).astype(float)
    once = OnePass(MultinomialNB()).fit(np.abs(X), y, sample_weight=weights)
    np.testing.assert_allclose(
        MultinomialNB().fit(np.abs(X), y, sample_weight=weights).feature_log_prob_,
        once.hypothesis_.feature_log_prob_,
        rtol=1e-12,
    )


def test_it_tells_what_its_estimator_is():
    assert is_classifier(OnePass(SGD))
    assert is_regressor(OnePass(SGDRegressor()))
    assert gives_probabilities(OnePass(SGD))
    assert not gives_probabilities(OnePass(SGDClassifier(loss="hinge")))
    assert "sample_weight" == fit_argument(OnePass(SGD))
    assert fit_argument(OnePass(BernoulliRBM())) is None
    assert OnePass(SGD).__sklearn_tags__().input_tags.sparse


def test_numbers_have_no_classes():
    fitted = OnePass(SGDRegressor(random_state=0)).fit(X, numbers)
    np.testing.assert_array_equal(SGDRegressor(random_state=0).partial_fit(X, numbers).coef_, fitted.hypothesis_.coef_)
    assert not hasattr(fitted, "classes_")


def test_open_randomness_is_that_of_the_estimator():
    assert ["estimator__random_state"] == open_random_states(OnePass(SGDClassifier()))
    assert 5 == seeded(OnePass(SGDClassifier()), 5).estimator.random_state


def test_it_is_stored_and_read_again():
    fitted = OnePass(SGD).fit(X, y)
    stored = skops.io.dumps(fitted)
    read = skops.io.loads(stored, trusted=skops.io.get_untrusted_types(data=stored))
    np.testing.assert_array_equal(fitted.predict_proba(X), read.predict_proba(X))


def test_a_learner_without_partial_fit_is_refused():
    with pytest.raises(BadArgument, match="^update is partial_fit, but SVC has no partial_fit$"):
        OnePass(SVC()).fit(X, y)


def test_gaussian_naive_bayes_smooths_by_each_block_so_that_one_block_alone_is_its_refit():
    rows = np.vstack([X, 9 * X]).repeat(BLOCK // 80, axis=0)  # two blocks of other variances
    labels = np.tile(y, 2).repeat(BLOCK // 80)
    one, both = slice(0, BLOCK), slice(None)
    gaussian = GaussianNB(var_smoothing=0.1)
    for part, equal in ((one, True), (both, False)):
        once, refit = (learner.fit(rows[part], labels[part]) for learner in (OnePass(gaussian), clone(gaussian)))
        assert equal == np.allclose(once.hypothesis_.var_, refit.var_, rtol=1e-9)
