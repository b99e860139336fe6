"""Explanations of live graphs of torch, and causes of their faults; no other room imports torch."""
