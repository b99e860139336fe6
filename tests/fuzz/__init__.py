"""The fuzzer: cases made at random, run by the command line, and judged."""
