#!/usr/bin/env bash
# Gradescope runs this once, when the autograder is built.
set -e
apt-get update && apt-get install -y python3 python3-pip
pip3 install gradcli || pip3 install --break-system-packages gradcli
