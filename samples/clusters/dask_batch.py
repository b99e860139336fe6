"""Points in Parquet to results in Parquet, on a cluster of Dask on this machine.

    python dask_batch.py [POINTS [RESULTS]] [--rows N] [--workers N | --address URL]

Without paths it makes its own points, and keeps no results.
"""

import argparse
import tempfile
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client

import gradcli.dask

PROGRAM = "z=(x1+a*x2)**2"
PARTS = 16


def part(number, rows):
    i = np.arange(number, rows, PARTS)
    return pd.DataFrame({"id": i, "x1": i / 7, "a": i % 1000 / 3, "x2": 1 - i / 11})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", nargs="?")
    parser.add_argument("results", nargs="?")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--address", help="of the scheduler of a cluster that is there")
    given = parser.parse_args()

    own = {"n_workers": given.workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": "ERROR"}
    with tempfile.TemporaryDirectory() as folder, Client(given.address, **({} if given.address else own)):
        points, results = given.points or f"{folder}/points", given.results or f"{folder}/results"
        if not given.points:
            dd.from_map(part, range(PARTS), rows=given.rows).to_parquet(points)

        frame = dd.read_parquet(points, dtype_backend="pyarrow")  # in which null is not nan
        start = time.time()
        gradcli.dask.batch(frame, PROGRAM).to_parquet(results)
        seconds = time.time() - start

        errors = dd.read_parquet(results, columns=["error"])["error"]
        count, failed = len(errors), errors.count().compute()
        print(f"{count:,} rows in {seconds:.1f} s: {count / seconds:,.0f} rows a second, {failed:,} failed")


if __name__ == "__main__":  # the workers import this file, too
    main()
