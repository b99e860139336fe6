#!/bin/sh
# Records spread over processes by GNU parallel, in order: what `gradcli batch --jobs 2` does by itself.
# needs: jq parallel seq
seq 2000 | jq -c '{x: (. / 1000)}' |
    parallel --pipe --keep-order --block 20k -j 2 gradcli batch "'sin(x)**2 + cos(x)**2'" --forward-only |
    jq -s 'length, (map(.value) | add | round)'
