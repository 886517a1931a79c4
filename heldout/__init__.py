"""heldout: which model, how large its true error is, how far to trust that, under which assumption.

The science alone: arrays, an estimator and a seed in, frozen records out. Importing it loads
neither scikit-learn nor the pipeline.
"""
