"""Points in Parquet to results in Parquet, in a query of DuckDB that calls gradcli as a function.

    python duckdb_batch.py [POINTS [RESULTS]] [--rows N]

Without paths it makes its own points, and keeps no results.
"""

import argparse
import tempfile
import time

import duckdb
import pyarrow as pa

import gradcli

PROGRAM = "z=(x1+a*x2)**2"
RESULTS = ["value", "d_x1", "d_a", "d_x2"]

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("points", nargs="?")
parser.add_argument("results", nargs="?")
parser.add_argument("--rows", type=int, default=10_000_000)
given = parser.parse_args()

f = gradcli.columns(PROGRAM)


def gradient(x1, a, x2):
    batch = pa.record_batch([column.combine_chunks() for column in (x1, a, x2)], names=["x1", "a", "x2"])
    return f.record_batch(batch).select([*RESULTS, "error"]).to_struct_array()


kinds = {**dict.fromkeys(RESULTS, "DOUBLE"), "error": "VARCHAR"}
duckdb.create_function(
    "gradient", gradient, ["DOUBLE"] * 3, duckdb.struct_type(kinds), type="arrow", null_handling="special"
)
with tempfile.TemporaryDirectory() as folder:
    points, results = given.points or f"{folder}/points.parquet", given.results or f"{folder}/results.parquet"
    if not given.points:
        made = "select range as id, range / 7 as x1, range % 1000 / 3 as a, 1 - range / 11 as x2"
        duckdb.sql(f"{made} from range({given.rows})").write_parquet(points)

    start = time.time()
    calls = f"select *, unnest(gradient(x1, a, x2)) from read_parquet('{points}')"
    duckdb.sql(calls).write_parquet(results)
    seconds = time.time() - start

    ((count, failed),) = duckdb.sql(f"select count(*), count(error) from read_parquet('{results}')").fetchall()
    print(f"{count:,} rows in {seconds:.1f} s: {count / seconds:,.0f} rows a second, {failed:,} failed")
