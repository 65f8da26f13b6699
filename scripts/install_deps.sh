#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing: libraries and tools with apt (as root or with sudo), Python packages into .venv.
#   scripts/install_deps.sh            what building, running and plotting need
#   scripts/install_deps.sh --tests    also what only tests need: ccache, Slurm, a browser and the packages of scripts/requirements-dev.txt
#   scripts/install_deps.sh --long     also the Clang of the fuzzers, of the thread sanitizer and of clang-tidy
# Without apt or the right to use it, says how to go on and leaves the rest to the build, which names what it lacks. What can be installed but
# fails to is an error, except the Python packages where there are no tests to run: runs work without.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

packages=(build-essential cmake ninja-build git openmpi-bin libopenmpi-dev libhdf5-dev libyaml-cpp-dev libcli11-dev
  nlohmann-json3-dev libhwy-dev libnetcdf-dev libproj-dev libopenblas-dev libgtest-dev python3 python3-venv)
lists=(requirements)
tests=
case ${1:-} in
  '') ;;
  --tests | --long)
    tests=yes
    lists+=(requirements-dev)
    packages+=(ccache slurm-wlm libgl1 libxrender1)  # older vtk packages link the last two
    command -v chromium chromium-browser google-chrome >/dev/null || packages+=(chromium)
    [ "$1" = --tests ] || packages+=(clang-19 clang-tidy-19 libclang-rt-19-dev libomp-19-dev xz-utils)
    ;;
  --help | -h) sed -n '3,8s/^# \{0,1\}//p' scripts/install_deps.sh; exit ;;
  *) echo "install_deps.sh: unknown option $1; allowed are --tests, --long and --help" >&2; exit 2 ;;
esac

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
    as_root=(env DEBIAN_FRONTEND=noninteractive)
    [ "$(id -u)" = 0 ] || as_root=(sudo "${as_root[@]}")
    if [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; then
      echo "installing ${missing[*]}"
      log=$(mktemp)
      if ! { "${as_root[@]}" apt-get -qq -o Acquire::Retries=3 update &&
        "${as_root[@]}" apt-get -qq -o Acquire::Retries=3 install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "install_deps.sh: apt-get could not install ${missing[*]}; the whole output is in $log" >&2
        if [[ " ${missing[*]} " = *" chromium "* ]]; then
          echo "install_deps.sh: where chromium is no package (Ubuntu), put a chromium or google-chrome on the path" >&2
        fi
        exit 1
      fi
      rm -f "$log"
    else
      echo "install_deps.sh: missing: ${missing[*]}"
      explain_without_root
    fi
  fi
else
  explain_without_root
fi

without() {  # WHAT FAILED
  echo "install_deps.sh: $1; runs work without, pictures ${tests:+and tests }do not" >&2
  [ -z "$tests" ] || exit 1
}
for list in "${lists[@]}"; do
  installed=.venv/installed${list#requirements}.txt
  if cmp -s "scripts/$list.txt" "$installed"; then continue; fi
  echo "installing the Python packages of scripts/$list.txt into .venv"
  if [ ! -x .venv/bin/python ] && ! python3 -m venv .venv; then
    rm -rf .venv
    without "python3 -m venv failed"
  elif .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "scripts/$list.txt"; then
    cp "scripts/$list.txt" "$installed"
  else
    without "pip could not install scripts/$list.txt"
  fi
done

have=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')
if [ -x .venv/bin/python ] && [ "$(printf '%s\n' 3.25 "${have:-0}" | sort -V | head -n 1)" != 3.25 ]; then
  echo "installing CMake into .venv (found ${have:-none}, need 3.25)"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check 'cmake>=3.25'
fi
