"""The laws of explanations, held up to random programs: formulas, slopes in fifty digits, sums of contributions."""
