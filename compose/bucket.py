"""Make the bucket of MLflow's artifacts, unless it is there."""

import boto3

store = boto3.client("s3")  # its address and its keys are in the environment
if "heldout" not in {bucket["Name"] for bucket in store.list_buckets()["Buckets"]}:
    store.create_bucket(Bucket="heldout")
