#!/bin/sh
# Install the peers by name and build the shims.  usage: setup.sh [PEERS_DIR]
# Needs root for apt.  Debian 12; nothing is fetched but packages.
set -e
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../target/peers}
mkdir -p "$dir"
apt-get install -y --no-install-recommends siconos python3-siconos libsiconos-numerics-dev \
  libbullet-dev libdart-dev libeigen3-dev g++ binutils
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install numpy scipy drake pin pybullet quantecon lemkelcp \
  quadprog daqp proxsuite clarabel piqp casadi
"$here/shims/build.sh" "$dir/build" "$dir/venv"
"$dir/venv/bin/python" "$here/contactgen.py" "$dir/problems"
