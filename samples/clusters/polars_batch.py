"""Points in Parquet to results in Parquet, in a lazy frame of Polars that streams.

    python polars_batch.py [POINTS [RESULTS]] [--rows N]

Without paths it makes its own points, and keeps no results.
"""

import argparse
import tempfile
import time

import polars as pl
import pyarrow as pa

import gradcli

PROGRAM = "z=(x1+a*x2)**2"

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("points", nargs="?")
parser.add_argument("results", nargs="?")
parser.add_argument("--rows", type=int, default=10_000_000)
given = parser.parse_args()

f = gradcli.columns(PROGRAM)


def with_results(frame):
    points = frame.to_arrow()
    return pl.from_arrow(pa.Table.from_batches(map(f.record_batch, points.to_batches()), f.schema(points.schema)))


with tempfile.TemporaryDirectory() as folder:
    points, results = given.points or f"{folder}/points.parquet", given.results or f"{folder}/results.parquet"
    if not given.points:
        i = pl.col("id")
        columns = [(i / 7).alias("x1"), (i % 1000 / 3).alias("a"), (1 - i / 11).alias("x2")]
        pl.LazyFrame().select(id=pl.int_range(given.rows)).with_columns(columns).sink_parquet(points)

    frame = pl.scan_parquet(points)
    start = time.time()
    schema = with_results(frame.collect_schema().to_frame()).schema
    frame.map_batches(with_results, schema=schema, streamable=True).sink_parquet(results)
    seconds = time.time() - start

    errors = pl.scan_parquet(results).select("error")
    count, failed = errors.select(pl.len(), pl.col("error").count().alias("failed")).collect().row(0)
    print(f"{count:,} rows in {seconds:.1f} s: {count / seconds:,.0f} rows a second, {failed:,} failed")
