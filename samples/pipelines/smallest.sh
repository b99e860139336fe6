#!/bin/sh
# The point with the smallest value; what failed is told apart from the rest.
# needs: jq
gradcli batch "(1 - x)**2 + 100*(y - x**2)**2" -i points.jsonl 2>/dev/null |
    jq -rs '(map(select(.ok)) | min_by(.value) | "\(.record.id) has \(.value)"),
            (.[] | select(.ok | not) | "\(.record.id): \(.error.message)")'
