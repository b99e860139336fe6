#!/bin/sh
# A stream of different programs; `jq` adds up how many could be computed.
# needs: jq
gradcli batch --each -i programs.jsonl 2>/dev/null | jq -c 'if .ok then .gradients else .error.code end'
