"""Modules of the standard library about the process: its system, options, clock, threads, streams and messages."""
