#!/bin/sh
# SeaweedFS with one user, whose key and secret are in the environment.
set -eu
umask 077
cat > /s3.json <<JSON
{"identities": [{"name": "heldout", "actions": ["Admin", "Read", "List", "Write", "Tagging"],
  "credentials": [{"accessKey": "$S3_KEY", "secretKey": "$S3_SECRET"}]}]}
JSON
exec weed server -s3 -s3.port=8333 -s3.config=/s3.json -dir=/data -ip.bind=0.0.0.0
