"""From the source that params.yaml names to data/prepared: columns, roles of rows, duplicates, unlabelled shards.

May import `runtime`, `params` and `storage`.
"""
