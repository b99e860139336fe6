"""Points in Parquet to results in Parquet, on Spark.

    spark-submit --master "local[2]" spark_batch.py [POINTS [RESULTS]] [--rows N]

Without paths it makes its own points, and keeps no results.
"""

import argparse
import os
import sys
import tempfile
import time

from pyspark.sql import SparkSession

import gradcli.spark

PROGRAM = "z=(x1+a*x2)**2"

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("points", nargs="?")
parser.add_argument("results", nargs="?")
parser.add_argument("--rows", type=int, default=10_000_000)
given = parser.parse_args()

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers run this Python
spark = SparkSession.builder.config("spark.log.level", "WARN").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    points, results = given.points or f"{folder}/points", given.results or f"{folder}/results"
    if not given.points:
        made = spark.range(given.rows).selectExpr("id", "id / 7 as x1", "id % 1000 / 3 as a", "1 - id / 11 as x2")
        made.write.parquet(points)

    frame = spark.read.parquet(points)
    start = time.time()
    gradcli.spark.batch(frame, PROGRAM).write.mode("overwrite").parquet(results)
    seconds = time.time() - start

    done = spark.read.parquet(results)
    count, failed = done.count(), done.where("error is not null").count()
    print(f"{count:,} rows in {seconds:.1f} s: {count / seconds:,.0f} rows a second, {failed:,} failed")
spark.stop()
