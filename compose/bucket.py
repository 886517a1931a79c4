"""Make the bucket of MLflow's artifacts, unless it is there."""

import os

import boto3

store = boto3.client("s3", endpoint_url=os.environ["MLFLOW_S3_ENDPOINT_URL"])
if "heldout" not in {bucket["Name"] for bucket in store.list_buckets()["Buckets"]}:
    store.create_bucket(Bucket="heldout")
