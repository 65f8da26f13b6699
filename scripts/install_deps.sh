#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing: libraries and tools with apt (as root or with sudo), the plotting packages into .venv; with --tests also the
# Slurm that tests/cases/slurm.sh starts.
# Without apt or the right to use it, says how to go on and leaves the rest to the build, which names what it lacks.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

packages=(build-essential cmake ninja-build git openmpi-bin libopenmpi-dev libhdf5-dev libyaml-cpp-dev libcli11-dev
  nlohmann-json3-dev libhwy-dev libnetcdf-dev libproj-dev libgtest-dev python3 python3-venv)
if [ "${1:-}" = --tests ]; then packages+=(slurm-wlm); fi

explain_without_root() {
  cat <<'TEXT'
install_deps.sh: cannot install packages here (no apt-get, or neither root nor sudo). On a cluster:
  module load gcc openmpi hdf5 cuda cmake          # names differ from site to site
  # yaml-cpp, CLI11, nlohmann_json and Highway, if no module has them, from Spack or conda-forge into a folder of yours:
  conda create -p ~/agwave-deps -c conda-forge yaml-cpp cli11 nlohmann_json libhwy ninja
  export CMAKE_PREFIX_PATH=~/agwave-deps PATH=$PATH:~/agwave-deps/bin
  cmake --preset cuda -DAGWAVE_NETCDF=OFF -DAGWAVE_PROJ=OFF -DAGWAVE_TESTS=OFF && cmake --build --preset cuda
TEXT
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    if [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; then
      echo "installing ${missing[*]}"
      log=$(mktemp)
      if ! { "${sudo[@]}" apt-get update -qq &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "install_deps.sh: apt-get failed; the whole output is in $log" >&2
        exit 1
      fi
      rm -f "$log"
    else
      explain_without_root
    fi
  fi
else
  explain_without_root
fi

if ! cmp -s scripts/requirements.txt .venv/installed.txt; then
  echo "installing Python packages into .venv"
  if [ -x .venv/bin/python ] || python3 -m venv .venv; then
    if .venv/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt; then
      cp scripts/requirements.txt .venv/installed.txt
    else
      echo "install_deps.sh: pip could not install scripts/requirements.txt; runs work without, pictures do not" >&2
    fi
  else
    rm -rf .venv
    echo "install_deps.sh: python3 -m venv failed; runs work without it, pictures do not" >&2
  fi
fi

have=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')
if [ -x .venv/bin/python ] && [ "$(printf '%s\n' 3.25 "${have:-0}" | sort -V | head -n 1)" != 3.25 ]; then
  echo "installing CMake into .venv (found ${have:-none}, need 3.25)"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check 'cmake>=3.25'
fi
