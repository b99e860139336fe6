#!/bin/sh
# Every sample program through `gradcli verify`, two at a time; xargs ends with an error if one disagrees.
# needs: xargs
printf '%s\n' ../diamond.grad ../square_of_sum.grad ../two_products.grad |
    xargs -P 2 -n 1 gradcli verify -f >/dev/null && echo "all agree"
