# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts whose processes share a GPU, which run at once there only under CUDA MPS.
#   start_mps  fills `mps_env`, what `env` gives to such a process, and says what it does; fails where MPS does not start. Again: as the first time.
#              MPS that is at work already is used and left as it is.
#   stop_mps   stops what was started, for a trap.
mps='' mps_env=() mps_state=''
start_mps() {
  if [ -z "$mps_state" ]; then
    mps_state=up
    if echo get_server_list | nvidia-cuda-mps-control >/dev/null 2>&1; then
      echo "MPS is at work already; it is used and left as it is"
    else
      mps=$(mktemp -d)
      mps_env=("CUDA_MPS_PIPE_DIRECTORY=$mps" "CUDA_MPS_LOG_DIRECTORY=$mps")
      if env "${mps_env[@]}" nvidia-cuda-mps-control -d; then
        echo "MPS started, its pipes in $mps"
      else
        rm -rf "$mps"
        mps='' mps_env=() mps_state=none
        echo "MPS does not start; without it processes take turns on a GPU, which is slower"
      fi
    fi
  fi
  [ $mps_state = up ]
}
stop_mps() {
  [ -n "$mps" ] || return 0
  if echo quit | env "${mps_env[@]}" nvidia-cuda-mps-control; then
    echo "MPS stopped"
    rm -rf "$mps"
  else
    echo "${0##*/}: MPS did not stop; its pipes are in $mps" >&2
  fi
  mps='' mps_env=() mps_state=''
}
