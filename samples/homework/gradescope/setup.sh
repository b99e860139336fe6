#!/usr/bin/env bash
# Gradescope runs this once, when the autograder is built. It installs the wheel that lies beside it, which
# `python -m build --wheel` makes in gradcli's checkout.
set -e
shopt -s nullglob
wheels=("$(dirname "${BASH_SOURCE[0]}")"/gradcli-*.whl)
if [ ${#wheels[@]} -ne 1 ]; then
  echo "there are ${#wheels[@]} wheels of gradcli beside setup.sh: put one into the zip" >&2
  exit 1
fi
apt-get update && apt-get install -y python3 python3-pip
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "$(python3 --version) is too old, gradcli needs 3.11: choose the base image with Ubuntu 24.04" >&2
  exit 1
fi
pip3 install "${wheels[0]}" || pip3 install --break-system-packages "${wheels[0]}"
