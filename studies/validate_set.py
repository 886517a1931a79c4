"""One small data set that scikit-learn ships, through `heldout.validate`, next to boosting with its defaults."""

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.learners.fitting import test
from heldout.losses import choose_loss
from studies import peer_boosting, real_tables
from studies.outcome import JUDGES, Outcome, numbers_of

TEST_FRACTION = 0.2  # as `init` writes


def run(name: str, seed: int) -> Outcome:
    """The winner of two candidates on the rows outside of a random test set."""
    table, target = real_tables.read(name, None)
    loss = choose_loss(None, target.to_numpy())
    X, X_test, y, y_test = train_test_split(table, target.to_numpy(), test_size=TEST_FRACTION, random_state=seed)
    linear = LogisticRegression() if loss.of_classes else RidgeCV()
    tree = DecisionTreeClassifier if loss.of_classes else DecisionTreeRegressor
    candidates = {"linear": make_pipeline(StandardScaler(), linear), "tree": tree(random_state=seed)}
    validation = heldout.validate(candidates, X, y, seed=seed, estimates=list(JUDGES), progress=False)
    selected = validation.select().selected
    frame = validation.to_frame()
    of_winner = frame[frame["candidate"] == selected].set_index("estimate")
    [constant] = [record.value for record in validation.baseline if record.estimate == "E_cv"]

    def test_error(learner: object) -> float:
        model = learner.fit(X, y)  # type: ignore[attr-defined]
        return float(test(model, X_test, y_test, np.arange(len(y_test)), loss).mean())

    return Outcome(
        name=name,
        of_classes=loss.of_classes,
        selected=selected,
        estimates=numbers_of(of_winner),
        test_error=test_error(candidates[selected]),
        test_rows=len(y_test),
        baseline=constant,
        beats_baseline=validation.beats_baseline(selected),
        peer_error=test_error(peer_boosting.learner(X, loss.of_classes)),
    )
