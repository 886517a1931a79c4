#!/bin/bash
# One run whose fits are made on all nodes of a Slurm job: docs/how-to/machines.md, Slurm.
#   cd /srv/heldout && sbatch --ntasks 32 docs/work-pools/slurm.sh [OPTIONS of validate]
# The checkout with its .venv and the certificates of ~/.config/dask are on a file system that all nodes share.
#SBATCH --job-name=heldout
#SBATCH --cpus-per-task=1
#SBATCH --output=.cache/slurm-%j.txt
set -euo pipefail
export PATH=$PWD/.venv/bin:$PATH OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=true
file=.cache/dask-$SLURM_JOB_ID.json log=.cache/dask-$SLURM_JOB_ID.txt

dask scheduler --protocol tls --host "$(hostname)" --port 0 --no-dashboard --scheduler-file "$file" > "$log" 2>&1 &
scheduler=$!
until [ -s "$file" ]; do kill -0 $scheduler; sleep 1; done
srun dask worker --scheduler-file "$file" --nthreads 1 --no-dashboard --local-directory "${TMPDIR:-/tmp}" >> "$log" 2>&1 &
workers=$!
trap 'code=$?; rm "$file"; kill $workers; wait $workers || true; kill $scheduler; exit $code' EXIT
address=$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$file")
python -m flows validate --set execution.executor=dask --set "execution.scheduler=$address" "$@"
