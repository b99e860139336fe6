#!/bin/sh
# The tangents of a parabola: points made by seq, lines written by jq.
# needs: jq seq
seq -2 2 | jq -c '{x: .}' | gradcli batch "y = x**2 - x" |
    jq -r '"slope \(.gradients.x) at height \(.value)"'
