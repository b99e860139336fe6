"""The fuzzer: cases made at random, run by the command line, judged, and shrunk where they are at fault."""
