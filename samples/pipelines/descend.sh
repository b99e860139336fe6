#!/bin/sh
# Gradient descent on (x - 3)**2 + (y + 1)**2: one gradcli a step, awk for the update.
# needs: awk
set -e
x=0 y=0
for step in 1 2 3 4; do
    set -- $(gradcli grad "(x - 3)**2 + (y + 1)**2" x=$x y=$y | cut -f2)
    x=$(awk "BEGIN { print $x - 0.4*($1) }")
    y=$(awk "BEGIN { print $y - 0.4*($2) }")
done
echo "x = $x, y = $y"
