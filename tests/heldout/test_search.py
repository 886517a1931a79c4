"""`heldout.search`: candidates like a learner, in a notebook; what is drawn is tested with params.yaml."""

import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import heldout
from heldout.errors import BadArgument


def test_a_parameter_of_a_step_and_the_learner_itself_is_no_copy_that_changes():
    learner = make_pipeline(StandardScaler(), KNeighborsClassifier(7))
    made = heldout.search("knn", learner, {"kneighborsclassifier__n_neighbors": [1, 2, 3]}, draws=3)
    assert [7, {1, 2, 3}] == [
        made["knn"][-1].n_neighbors,
        {one[-1].n_neighbors for name, one in made.items() if name != "knn"},
    ]
    assert learner[-1].n_neighbors == 7


@pytest.mark.parametrize(
    ("values", "draws", "seed", "words"),
    [
        ({"gama": [1]}, 1, 0, "'gama', which is no parameter of SVC"),
        ({"C": []}, 1, 0, "C is .*list of values"),
        ({"C": 3}, 1, 0, "C is 3; write a list of values"),
        ({"C": "uniform(1, 2)"}, 1, 0, r"loguniform\(low, high\)"),
        ({"C": [1, 2]}, 3, 0, "only 2 different points"),
        ({"C": [1, 2]}, 0, 0, "draws is 0"),
        ({"C": [1, 2]}, 1, -1, "seed is -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(values, draws, seed, words):
    with pytest.raises(BadArgument, match=words):
        heldout.search("svm", SVC(), values, draws=draws, seed=seed)
