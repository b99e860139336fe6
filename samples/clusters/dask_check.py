"""A class of any size, graded on a cluster of Dask on this machine.

    python dask_check.py [ASSIGNMENT CLASS.csv [VERDICTS]] [--students N] [--workers N | --address URL]

The rows of the class have student, question, quantity, answer. Without paths it makes up a class,
and keeps no verdicts.
"""

import argparse
import tempfile
import time

import dask.dataframe as dd
import pandas as pd
from distributed import Client

import gradcli.dask

ASSIGNMENT = """
[[question]]
id = "square"
program = "u = x1 + a*x2\\nz = u**2"
at = { x1 = 1, a = 2, x2 = 3 }
ask = ["u", "z", "dz/du", "dz/dx1", "dz/da", "dz/dx2"]
"""
SHEETS = [  # the right numbers; the power rule without its factor; a product taken by the wrong factor
    {"u": "7", "z": "49", "dz/du": "14", "dz/dx1": "14", "dz/da": "42", "dz/dx2": "28"},
    {"u": "7", "z": "49", "dz/du": "7", "dz/dx1": "7", "dz/da": "21", "dz/dx2": "14"},
    {"u": "7", "z": "49", "dz/du": "14", "dz/dx1": "14", "dz/da": "28", "dz/dx2": "42"},
]


def made_up(students):
    rows = [(f"s{i}", "square", *answer) for i in range(students) for answer in SHEETS[i % len(SHEETS)].items()]
    return pd.DataFrame(rows, columns=["student", "question", "quantity", "answer"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignment", nargs="?", default=ASSIGNMENT)
    parser.add_argument("answers", nargs="?", metavar="class")
    parser.add_argument("verdicts", nargs="?")
    parser.add_argument("--students", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--address", help="of the scheduler of a cluster that is there")
    given = parser.parse_args()

    own = {"n_workers": given.workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": "ERROR"}
    with tempfile.TemporaryDirectory() as folder, Client(given.address, **({} if given.address else own)):
        if given.answers:
            frame = dd.read_csv(given.answers, dtype=str, blocksize="16MB", keep_default_na=False)
        else:
            frame = dd.from_pandas(made_up(given.students), npartitions=4 * given.workers)
        verdicts = given.verdicts or f"{folder}/verdicts"

        start = time.time()
        gradcli.dask.check(given.assignment, frame).to_parquet(verdicts)
        seconds = time.time() - start

        counts = dd.read_parquet(verdicts, columns=["verdict"])["verdict"].value_counts().compute()
        count = counts.sum()
        print(f"{count:,} answers in {seconds:.1f} s: {count / seconds:,.0f} a second, {counts.to_dict()}")


if __name__ == "__main__":  # the workers import this file, too
    main()
