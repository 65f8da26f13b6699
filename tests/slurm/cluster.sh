# SPDX-License-Identifier: Apache-2.0
# A Slurm cluster of this machine alone, in a folder of its own, for tests: source it, then start_slurm FOLDER and later stop_slurm FOLDER.
# start_slurm returns 1, and says why, where it cannot.

start_slurm() {
  local dir=$1 host program
  host=$(hostname -s)
  PATH=$PATH:/usr/sbin:/sbin
  for program in slurmctld slurmd munged sbatch srun; do
    if ! command -v "$program" >/dev/null; then echo "no $program (Debian: apt-get install slurm-wlm)"; return 1; fi
  done
  mkdir -p "$dir"/{state,spool}
  chmod 755 "$dir"
  (umask 077; head -c 256 /dev/urandom >"$dir/munge.key")
  if ! munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" \
    --seed-file="$dir/munge.seed" >"$dir/start.log" 2>&1; then
    echo "munged does not start: $(tail -n 1 "$dir/start.log")"
    return 1
  fi
  local port=$((20000 + $$ % 20000))
  cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
SchedulerParameters=sched_interval=1,sched_min_interval=100000,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES State=UP MaxTime=10
CONF
  export SLURM_CONF=$dir/slurm.conf
  if ! { slurmctld && slurmd; } >"$dir/start.log" 2>&1; then echo "Slurm does not start: $(tail -n 1 "$dir/start.log")"; return 1; fi
  for _ in $(seq 40); do
    if [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; then return 0; fi
    sleep 0.5
  done
  echo "the Slurm node is not idle: $(sinfo -h 2>&1 | tail -n 1)"
  return 1
}

stop_slurm() {
  local dir=$1 name
  set +e  # whatever fails, the daemons must go
  scancel --quiet --user="$(id -un)" 2>/dev/null
  for name in slurmd slurmctld munged; do
    if [ -s "$dir/$name.pid" ]; then kill "$(cat "$dir/$name.pid")" 2>/dev/null; fi
  done
  sleep 0.5
}
